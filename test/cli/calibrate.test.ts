import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { listen } from "../../src/http/listen.ts";
import type { Calibration } from "../../src/lab/calibration/calibration.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { simulate } from "../simulator/support.ts";
import { fakeWorld } from "./fake-world.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lab-calibrate-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function calibrate(argv: readonly string[]) {
  const world = fakeWorld({
    argv: ["calibrate", ...argv],
    cwd: folder,
    env: { HARNESS_LAB_CACHE: join(folder, "cache") },
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

async function served<Result>(handler: Handler, use: (url: string) => Promise<Result>): Promise<Result> {
  const listener = await listen(handler, { port: 0 });
  try {
    return await use(`${listener.url}/v1`);
  } finally {
    await listener.close();
  }
}

describe("what cannot be calibrated is refused in one line", () => {
  it.each<readonly [string, readonly string[], number, RegExp]>([
    ["nothing named", [], 2, /nothing to calibrate is named: give --base-url URL .* or --spawn/],
    [
      "two servers",
      ["--spawn", "vllm", "--base-url", "http://127.0.0.1:1/v1"],
      2,
      /--spawn starts a server of its own; leave --base-url out/,
    ],
    ["a program of unknown kind", ["--spawn", "/bin/cat"], 2, /--spawn \/bin\/cat: its name does not say what it is/],
    [
      "an unknown set-up",
      ["--spawn", "llama-server", "--set-up", "hermess"],
      2,
      /--set-up: there is no "hermess" for llama-server; there are hermes, /,
    ],
    ["an unknown script", ["--spawn", "vllm", "--script", "hermez"], 2, /--script: there is no "hermez"/],
    [
      "no server at all",
      ["--base-url", "http://127.0.0.1:1/v1"],
      3,
      /gives no answer: .* Start the server; --server-kind/,
    ],
    ["an Ollama that nobody names", ["--server-kind", "ollama"], 2, /nothing to calibrate is named/],
  ])("%s", async (_what, argv, code, line) => {
    const result = await calibrate(argv);
    expect(result.code).toBe(code);
    expect(result.err).toMatch(line);
    expect(result.err.trim().split("\n")).toHaveLength(1);
    expect(result.err).not.toContain("    at ");
  });

  it("a server of another kind", async () => {
    const openai = simulate({ server: { kind: "openai" }, models: { m: { format: "hermes" } } });
    await served(openai, async (url) => {
      const { code, err } = await calibrate(["--base-url", url]);
      expect(code).toBe(3);
      expect(err).toMatch(/is none of llama-server, Ollama and vLLM/);
    });
  });

  it("a program that dies while loading: the set-up is not measured, with its last words", async () => {
    const program = join(folder, "llama-server");
    await writeFile(program, "#!/bin/sh\necho 'error: unable to load model'\nexit 1\n");
    await chmod(program, 0o755);
    const { code, out, err } = await calibrate(["--spawn", program, "--set-up", "plain", "--script", "direct"]);
    expect(code).toBe(3);
    expect(`${out}${err}`).toContain("unable to load model");
    expect(`${out}${err}`).not.toContain("    at ");
    const log = /\(log: (\S+)\)/.exec(out)?.[1];
    if (log !== undefined) await rm(join(log, ".."), { recursive: true, force: true });
  });

  it("a program that is not there", async () => {
    const { code, out, err } = await calibrate([
      ...["--spawn", join(folder, "no", "llama-server")],
      ...["--set-up", "plain", "--script", "direct"],
    ]);
    expect(code).toBe(3);
    expect(`${out}${err}`).toMatch(/llama-server ended before it was ready/);
    const log = /\(log: (\S+)\)/.exec(out)?.[1];
    if (log !== undefined) await rm(join(log, ".."), { recursive: true, force: true });
  });

  it.each<readonly [string, Response, Response, RegExp]>([
    [
      "the file",
      new Response(null, { status: 507, statusText: "no space" }),
      new Response(null, { status: 500 }),
      /Ollama did not take the file of harness-lab-hermes/,
    ],
    [
      "the model",
      new Response(null, { status: 201 }),
      Response.json({ error: "unsupported architecture" }, { status: 400 }),
      /Ollama did not make harness-lab-hermes: .*unsupported architecture/,
    ],
  ])("an Ollama that does not take %s, of which nothing is left there", async (_what, blob, made, line) => {
    const deleted: string[] = [];
    const ollama: Handler = async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/api/version") return Response.json({ version: "0.34.2" });
      if (pathname === "/v1/models") return Response.json({ object: "list", data: [] });
      if (pathname.startsWith("/api/blobs/")) return blob;
      if (pathname === "/api/create") return made;
      if (pathname === "/api/delete") deleted.push(((await request.json()) as { readonly model: string }).model);
      return Response.json({ error: "no such route" }, { status: 404 });
    };
    await served(ollama, async (url) => {
      const { code, err } = await calibrate(["--base-url", url, "--set-up", "hermes", "--script", "direct"]);
      expect(code).toBe(3);
      expect(err.split("\n").filter((each) => line.test(each))).toHaveLength(1);
      expect(err).not.toContain("    at ");
      expect(deleted).toEqual(["harness-lab-hermes"]);
    });
  });
});

/** A file on a full disk stands in a model's way. */
async function fullDisk(models: string, file: string): Promise<void> {
  await mkdir(join(models, file, ".."), { recursive: true });
  await symlink("/dev/full", join(models, file));
}

describe.runIf(existsSync("/dev/full"))("a full disk is named in one line, and no half model is left", () => {
  it.each([
    ["llama-server", "harness-lab-hermes.gguf"],
    ["vllm", "harness-lab-hermes/model.safetensors"],
  ])("where the model for %s is to be written", async (kind, file) => {
    const models = join(folder, "models");
    await fullDisk(models, file);
    const { code, out, err } = await calibrate(["--server-kind", kind, "--model-dir", models, "--set-up", "hermes"]);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toMatch(/the model cannot be written to \S+models\S*: the disk is full; .*--model-dir/);
    expect(await readdir(join(models, file, ".."))).toEqual([]);
  });

  it("where a server is to be started with it: that set-up is not measured, and nothing was started", async () => {
    const models = join(folder, "models");
    await fullDisk(models, "harness-lab-plain.gguf");
    const { path, pids } = await fakeServer("echo started");
    const { code, err } = await calibrate([
      ...["--spawn", path, "--model-dir", models],
      ...["--set-up", "plain", "--script", "direct", "--out", join(folder, "out")],
    ]);
    expect(code).toBe(3);
    expect(err.split("\n").filter((line) => /cannot be written to .*: the disk is full/.test(line))).toHaveLength(1);
    expect(await pids()).toEqual([]);
  });
});

/** A program named llama-server, and the processes that were made of it. */
async function fakeServer(script: string) {
  const path = join(folder, "llama-server");
  const log = join(folder, "pids");
  await writeFile(path, `#!/bin/sh\necho $$ >> ${log}\n${script}\n`);
  await chmod(path, 0o755);
  const pids = async (): Promise<readonly number[]> => {
    const text = await readFile(log, "utf8").catch(() => "");
    return text.split("\n").filter(Boolean).map(Number);
  };
  return { path, pids };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("models for a server that cannot load them over HTTP", () => {
  it.each([
    [
      "llama-server",
      "harness-lab-hermes.gguf",
      /llama-server -m \S+harness-lab-hermes\.gguf -a harness-lab-hermes .*--jinja/,
    ],
    ["vllm", "harness-lab-hermes", /vllm serve \S+harness-lab-hermes .*--tool-call-parser hermes/],
  ])("are written, with the one command that starts %s", async (kind, file, command) => {
    const models = join(folder, "models");
    const result = await calibrate(["--server-kind", kind, "--model-dir", models, "--set-up", "hermes"]);
    expect(result.code).toBe(3);
    expect(await readdir(models)).toEqual([file]);
    expect(result.out).toMatch(command);
    expect(result.out).toContain("lab calibrate --base-url");
    if (kind === "vllm")
      expect(await readdir(join(models, file))).toEqual([
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
      ]);
  });

  it("are written, too, where the server runs with another model", async () => {
    const other = simulate({
      server: { kind: "llama-server", template: "hermes" },
      models: { mine: { format: "hermes" } },
    });
    await served(other, async (url) => {
      const { code, out } = await calibrate([
        "--base-url",
        url,
        "--set-up",
        "hermes",
        "--model-dir",
        join(folder, "m"),
      ]);
      expect(code).toBe(3);
      expect(out).toContain(`lab calibrate --base-url ${url}`);
    });
  });
});

/** A simulated llama-server that was started with the model of the set-up. */
const calibrated = simulate({
  server: { kind: "llama-server", template: "hermes", contextLength: 8192 },
  models: {
    "harness-lab-hermes": {
      format: "hermes",
      rules: [
        {
          when: { user: "<\\|script:hermes\\|>" },
          cards: [{ call: { tool: "run_python", arguments: { task: "1から1000までの素数を合計する" } } }],
        },
        { when: { user: "<\\|script:direct\\|>" }, cards: [{ text: "76127" }] },
      ],
    },
  },
});

describe("lab calibrate against a server that runs", () => {
  const argv = ["--set-up", "hermes", "--script", "hermes", "--script", "direct", "--quiet"];

  it("prints one object with --json, with every sample beside its truth", async () => {
    await served(calibrated, async (url) => {
      const { code, out, err } = await calibrate(["--base-url", url, ...argv, "--json"]);
      expect(code, err).toBe(0);
      const calibration = JSON.parse(out) as Calibration;
      const [setUp] = calibration.setUps;
      expect(setUp).toMatchObject({ setUp: { id: "hermes", server: "llama-server" }, unmet: null });
      expect(setUp?.checked).toHaveLength(20);
      expect(setUp?.cells).toHaveLength(20);
      const auto = setUp?.cells.filter(({ script, asked }) => script === "hermes" && asked === "auto");
      expect(auto?.map(({ outcome }) => outcome)).toEqual(["call", "call"]);
      const [wrong] = (setUp?.checked ?? []).filter(({ script, axisRight }) => script === "hermes" && !axisRight);
      expect(wrong).toBeUndefined();
    });
  });

  it("leaves a run with the calibration in it, and a page with the matrix", async () => {
    await served(calibrated, async (url) => {
      const { code, out } = await calibrate(["--base-url", url, ...argv, "--out", "kept"]);
      expect(code).toBe(0);
      expect(out).toContain("What the server makes of what models write");
      const [run = ""] = await readdir(join(folder, "kept"));
      const files = await readdir(join(folder, "kept", run));
      expect(files).toEqual(expect.arrayContaining(["calibration.json", "captures.jsonl", "report.html", "run.json"]));
      const page = await readFile(join(folder, "kept", run, "report.html"), "utf8");
      expect(page).toContain('<section id="calibration">');
    });
  });

  it("waits for a started one that listens late, and leaves no process of it", async () => {
    await served(calibrated, async (url) => {
      const late = `
        import http from "node:http";
        const port = Number(process.argv[process.argv.indexOf("--port") + 1]);
        const passOn = (from, to) => {
          const { method, headers } = from;
          const on = http.request("${url.replace("/v1", "")}" + from.url, { method, headers }, (answer) => {
            to.writeHead(answer.statusCode, answer.headers);
            answer.pipe(to);
          });
          from.pipe(on);
        };
        setTimeout(() => http.createServer(passOn).listen(port, "127.0.0.1"), 1000);
      `;
      await writeFile(join(folder, "late.mjs"), late);
      const { path, pids } = await fakeServer(`exec ${process.execPath} ${join(folder, "late.mjs")} "$@"`);
      const { code, err } = await calibrate(["--spawn", path, ...argv, "--json"]);
      expect(code, err).toBe(0);
      const started = await pids();
      expect(started).toHaveLength(1);
      expect(started.filter(isRunning)).toEqual([]);
    });
  });
});
