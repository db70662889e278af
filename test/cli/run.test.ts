import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { fakeWorld } from "./fake-world.ts";
import { smallServer } from "./small-server.ts";

let folder = "";
let listeners: Listener[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-run-"));
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  listeners = [];
  rmSync(folder, { recursive: true, force: true });
});

function onePrompt(trials = 2): readonly string[] {
  return ["--suite", "contract-matrix", "--scenario", "prime-sum-known-en", "--seed", "s", "--trials", String(trials)];
}

async function serve(handler: Handler): Promise<string> {
  const listener = await listen(handler, { port: 0 });
  listeners.push(listener);
  return listener.url;
}

async function lab(argv: readonly string[], signal?: AbortSignal) {
  const world = fakeWorld({
    argv,
    cwd: process.cwd(),
    clock: { now: () => performance.now(), date: () => new Date() },
    ...(signal === undefined ? {} : { signal }),
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("lab run", () => {
  it("measures, keeps the run, renders it and names the next command", async () => {
    const url = await serve(smallServer({}));
    const { code, out, err } = await lab([
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      ...onePrompt(),
      "--out",
      folder,
    ]);
    expect(code).toBe(0);
    const [run = ""] = readdirSync(folder);
    expect(run).toMatch(/^\d{8}-\d{6}-[0-9a-f]{4}$/);
    const files = readdirSync(join(folder, run));
    for (const name of ["run.json", "captures.jsonl", "classifications.jsonl", "summary.json", "report.html"]) {
      expect(files).toContain(name);
    }
    expect(out).toContain("contract-matrix");
    expect(out).toContain(`Report: ${join(folder, run, "report.html")}`);
    expect(lines(out).at(-1)).toMatch(/^Next: lab /);
    expect(err).toContain("4 samples planned");
  });

  it("prints exactly one object with --json, and progress elsewhere", async () => {
    const url = await serve(smallServer({}));
    const { code, out } = await lab([
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      ...onePrompt(),
      "--out",
      folder,
      "--json",
    ]);
    expect(code).toBe(0);
    expect(lines(out)).toHaveLength(1);
    const object = JSON.parse(out);
    expect(object.run).toBe(readdirSync(folder)[0]);
    const cells = object.cells.map((cell: Record<string, unknown>) => [
      cell["target"],
      cell["arm"],
      cell["planned"],
      cell["measured"],
      cell["delivered"],
    ]);
    expect(cells.sort()).toEqual([
      ["small", "marker", 2, 2, 0],
      ["small", "native", 2, 2, 0],
    ]);
    expect(Array.isArray(object.diagnoses)).toBe(true);
  });

  it("gives runs that begin in one second ids of their own", async () => {
    const url = await serve(smallServer({}));
    const out = join(folder, "one-second");
    const clock = { now: () => performance.now(), date: () => new Date("2026-01-31T14:25:01.000Z") };
    for (let round = 0; round < 3; round++) {
      const world = fakeWorld({
        argv: ["run", "--base-url", url, "--model", "small", ...onePrompt(), "--quiet", "--out", out],
        cwd: process.cwd(),
        clock,
        randomHex: () => "ffffffff",
      });
      expect(await program(commands, world)).toBe(0);
    }
    expect(readdirSync(out).sort()).toEqual(["20260131-142501-0000", "20260131-142501-0001", "20260131-142501-ffff"]);
  });

  it("measures a request of the user's own through every choice, alone", async () => {
    const file = join(folder, "my-request.json");
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    writeFileSync(
      file,
      JSON.stringify({ model: "other", messages: [{ role: "user", content: "Is it raining?" }], tools }),
    );
    const url = await serve(smallServer({}));
    const argv = [
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      "--request",
      file,
      "--trials",
      "1",
      "--out",
      folder,
      "--json",
    ];
    const { code, out } = await lab(argv);
    expect(code).toBe(0);
    const cells: readonly Record<string, unknown>[] = JSON.parse(out).cells;
    expect([...new Set(cells.map((cell) => `${cell["suite"]} ${cell["scenario"]} ${cell["arm"]}`))].sort()).toEqual([
      "request my-request auto",
      "request my-request named",
      "request my-request none",
      "request my-request required",
    ]);
  });

  it("takes the only model of a server, and asks where there are several", async () => {
    const one = await serve(smallServer({ models: ["only-one"] }));
    const alone = await lab(["run", "--base-url", one, ...onePrompt(), "--out", folder, "--json"]);
    expect(alone.code).toBe(0);
    expect(alone.err).toContain("only-one");
    const several = await lab([
      "run",
      "--base-url",
      await serve(smallServer({ models: ["a", "b"] })),
      ...onePrompt(),
      "--out",
      folder,
    ]);
    expect(several).toMatchObject({ code: 3, out: "" });
    expect(several.err).toMatch(
      /^lab: http:\/\/127\.0\.0\.1:\d+\/v1 has several models; name one or more with --model: a, b\n$/,
    );
  });

  it("sends the headers, the key and the body keys that were asked for, and stores no secret", async () => {
    const seen: { headers: Headers; body: Record<string, unknown> }[] = [];
    const url = await serve(
      smallServer({
        onChat: async (request) => {
          seen.push({ headers: request.headers, body: JSON.parse(await request.text()) });
        },
      }),
    );
    const argv = [
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      ...onePrompt(),
      "--out",
      folder,
      "--header",
      "X-Team: lab",
      "Authorization: Bearer very-secret-token-of-mine",
    ];
    const { code, err } = await lab([...argv, "--body", "num_ctx=8192", "--temperature", "0.1", "--max-tokens", "77"]);
    expect(code).toBe(0);
    expect(seen.length).toBeGreaterThanOrEqual(4);
    for (const { headers } of seen) {
      expect(headers.get("authorization")).toBe("Bearer very-secret-token-of-mine");
      expect(headers.get("x-team")).toBe("lab");
    }
    expect(
      seen.filter(({ body }) => body["num_ctx"] === 8192 && body["temperature"] === 0.1 && body["max_tokens"] === 77),
    ).toHaveLength(4);
    const [run = ""] = readdirSync(folder);
    for (const name of readdirSync(join(folder, run))) {
      expect(readFileSync(join(folder, run, name), "utf8")).not.toContain("very-secret-token");
    }
    expect(err).not.toContain("very-secret-token");
  });

  it("ends with 3 and one line for each target where nothing answers", async () => {
    const dead = await listen(smallServer({}), { port: 0 });
    await dead.close();
    const { code, err } = await lab([
      "run",
      "--base-url",
      dead.url,
      "--model",
      "small",
      ...onePrompt(),
      "--out",
      folder,
      "--quiet",
    ]);
    expect(code).toBe(3);
    const complaints = lines(err).filter((line) => line.startsWith("lab: "));
    expect(complaints.length).toBeGreaterThanOrEqual(1);
    expect(complaints[0]).toContain("small");
    expect(err).not.toContain("internal error");
  });

  it("does not wait for a server that hangs before anything was asked", async () => {
    const stop = new AbortController();
    const url = await serve(() => {
      stop.abort();
      return new Promise(() => {});
    });
    const { code, err } = await lab(
      ["run", "--base-url", url, "--model", "small", ...onePrompt(), "--out", folder, "--quiet"],
      stop.signal,
    );
    expect(code).toBe(130);
    expect(err).toContain("lab: Interrupted: 0 of 4 samples were measured");
    expect(err).not.toContain("could not be measured");
  });

  it("ends with 3 and the reason where answers cannot be read, whatever they hold", async () => {
    const url = await serve(async (request) =>
      new URL(request.url).pathname === "/v1/models"
        ? smallServer({ models: ["\u001b[2Jevil"] })(request)
        : new Response("", { headers: { "content-type": "application/json" } }),
    );
    const { code, err } = await lab(["run", "--base-url", url, ...onePrompt(), "--out", folder]);
    expect(code).toBe(3);
    expect(err).toContain(
      `lab: Only 0 of 4 planned samples could be measured. Mostly answer unreadable at ${url}/v1: the body is empty (HTTP 200). Check --base-url and what answers there.\n`,
    );
    expect(err).toContain("\\x1b[2Jevil");
    expect(err).not.toContain("\u001b");
  });

  it("finishes what is in flight when interrupted, and sums up what there is", async () => {
    const interruption = new AbortController();
    let chats = 0;
    const url = await serve(
      smallServer({
        onChat: async () => {
          chats += 1;
          if (chats === 8) interruption.abort();
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      }),
    );
    const argv = ["run", "--base-url", url, "--model", "small", ...onePrompt(200), "--out", folder, "--json"];
    const { code, out, err } = await lab(argv, interruption.signal);
    expect(code).toBe(130);
    const object = JSON.parse(out);
    expect(object.planned).toBe(400);
    expect(object.measured).toBeGreaterThan(0);
    expect(object.measured).toBeLessThan(20);
    expect(err).toContain(`Interrupted: ${object.measured} of 400 samples were measured`);
    const [run = ""] = readdirSync(folder);
    expect(lines(readFileSync(join(folder, run, "captures.jsonl"), "utf8"))).toHaveLength(object.measured);
  });
});

describe("misuse of lab run is one line and exit 2, before any request", () => {
  it.each([
    [
      ["--base-url", "localhost:8000", "--model", "m"],
      'lab: --base-url: "localhost:8000" has no scheme; write http://localhost:8000/v1',
    ],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--suite", "parser-mismach"],
      'lab: --suite: there is no "parser-mismach" (did you mean "parser-mismatch"?)',
    ],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--scenario", "seed-memorisable"],
      'lab: --scenario: there is no "seed-memorisable" (did you mean "seed-memorizable"?)',
    ],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--scenarios", "/no/such/folder"],
      "lab: /no/such/folder: no such folder",
    ],
    [["--base-url", "http://x/v1", "--model", "m", "--request", "/no/such.json"], "lab: /no/such.json: no such file"],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--config", "/no/lab.yaml"],
      "lab: --config: there is no file /no/lab.yaml",
    ],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--api-key-env", "NO_SUCH_KEY"],
      "lab: --api-key-env: the environment variable NO_SUCH_KEY is not set; export it or name another",
    ],
    [
      ["--base-url", "http://x/v1", "--model", "m", "--body", "seed=1"],
      "lab: --body seed: the run sets this key itself, sample by sample; it cannot be fixed for all of them",
    ],
  ])("%j", async (argv, line) => {
    expect(await lab(["run", ...argv])).toEqual({ code: 2, out: "", err: `${line}\n` });
  });
});

describe("a stored run", () => {
  it("is rendered again in any format, and judged again without a change", async () => {
    const url = await serve(smallServer({}));
    await lab(["run", "--base-url", url, "--model", "small", ...onePrompt(), "--out", folder, "--json"]);
    await Promise.all(listeners.map((listener) => listener.close()));
    const [run = ""] = readdirSync(folder);
    const file = join(folder, run, "classifications.jsonl");
    const summaryFile = join(folder, run, "summary.json");
    const before = [readFileSync(file, "utf8"), readFileSync(summaryFile, "utf8")];

    const judged = await lab(["classify", run.slice(0, -2), "--results", folder, "--json"]);
    expect(judged.code).toBe(0);
    expect([readFileSync(file, "utf8"), readFileSync(summaryFile, "utf8")]).toEqual(before);

    const reports = join(folder, "rendered");
    const rendered = await lab([
      "report",
      "latest",
      "--results",
      folder,
      "--format",
      "html,csv,json",
      "--out",
      reports,
    ]);
    expect(rendered.code).toBe(0);
    expect(lines(rendered.out)).toHaveLength(3);
    expect(readdirSync(reports)).toHaveLength(3);

    const shown = await lab(["report", join(folder, run), "--lang", "ja"]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain("contract-matrix");

    expect((await lab(["report", "latest", "--results", folder, "--json"])).out).toBe(judged.out);
  });

  it("of many samples is told whole, by the process that made it as by any later one", async () => {
    const url = await serve(smallServer({}));
    await lab([
      "run",
      "--base-url",
      url,
      "--model",
      "small",
      ...onePrompt(115),
      "--concurrency",
      "20",
      "--out",
      folder,
    ]);
    const run = join(folder, readdirSync(folder)[0] ?? "");
    const told = ["samples.csv", "report.html"].map((name) => readFileSync(join(run, name), "utf8"));
    await lab(["report", run, "--format", "csv,html", "--out", join(folder, "later")]);
    expect(["samples.csv", "report.html"].map((name) => readFileSync(join(folder, "later", name), "utf8"))).toEqual(
      told,
    );

    const [csv = "", html = ""] = told;
    const ids = csv.split("\r\n").flatMap((line) => /^small\/[^,]+/.exec(line)?.[0] ?? []);
    expect(new Set(ids).size).toBe(230);
    expect(ids).toHaveLength(230);
    const packed = [...html.matchAll(/class="packed">([^<]+)</g)].flatMap(
      ([, block = ""]) => JSON.parse(gunzipSync(Buffer.from(block, "base64")).toString()) as { readonly id: string }[],
    );
    expect(packed.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [["report", "latest", "--results", "/no/such"], /^lab: \/no\/such: .+\n$/],
    [["report", "/no/such/run"], /^lab: \/no\/such\/run: .+not a run\n$/],
    [["report", "latest", "--format", "htm"], /^lab: --format: there is no "htm" \(did you mean "html"\?\)\n$/],
    [["classify", "/no/such/run"], /not a run\n$/],
  ])("that is not there is one line and exit 2: %j", async (argv, line) => {
    const { code, out, err } = await lab(argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(line);
  });
});

describe("lab scenarios", () => {
  it("lists scenarios and suites", async () => {
    const { code, out } = await lab(["scenarios", "list", "--json"]);
    expect(code).toBe(0);
    const object = JSON.parse(out);
    expect(object.scenarios.map(({ id }: { id: string }) => id)).toContain("seed-memorizable");
    expect(object.suites.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(["contract-matrix", "parser-mismatch"]),
    );
    const table = (await lab(["scenarios", "list"])).out;
    expect(table).toContain("seed-memorizable");
    expect(table.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("finds the shipped ones in order", async () => {
    expect(await lab(["scenarios", "check"])).toMatchObject({ code: 0, err: "" });
  });

  it("writes a JSON Schema for every kind of file a user may write", async () => {
    const { code } = await lab(["scenarios", "schema", "--out", folder]);
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([
      "agent-shape.schema.json",
      "gate-policy.schema.json",
      "lab-yaml.schema.json",
      "probes.schema.json",
      "profile.schema.json",
      "scenario.schema.json",
      "suite.schema.json",
    ]);
    for (const name of readdirSync(folder))
      expect(JSON.parse(readFileSync(join(folder, name), "utf8")).type).toBe("object");
  });

  it("offers the nearest action", async () => {
    expect((await lab(["scenarios", "lst"])).err).toBe(
      'lab: lab scenarios: there is no "lst" (did you mean "list"?)\n',
    );
  });
});
