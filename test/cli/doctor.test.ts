import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { jsonResponse } from "../../src/protocol/handler.ts";
import { simulate } from "../simulator/support.ts";
import { fakeWorld } from "./fake-world.ts";
import { smallServer } from "./small-server.ts";

let folder = "";
let listeners: Listener[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-doctor-"));
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  listeners = [];
  rmSync(folder, { recursive: true, force: true });
});

async function serve(handler: Handler): Promise<string> {
  const listener = await listen(handler, { port: 0 });
  listeners.push(listener);
  return listener.url;
}

let runs = 0;
async function lab(...argv: readonly string[]) {
  runs += 1;
  const second = String(runs % 60).padStart(2, "0");
  const world = fakeWorld({
    argv: [...argv, "--out", folder],
    cwd: process.cwd(),
    env: { LAB_DISCOVERY_PORTS: "1" },
    // Runs of one test are told apart by their time.
    clock: { now: () => performance.now(), date: () => new Date(`2026-01-01T00:00:${second}.000Z`) },
    randomHex: () => `${runs}`.padStart(8, "0"),
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

function vllm(parser: string | null, models: readonly string[] = ["m"]): Handler {
  const model = {
    format: "qwen3_coder",
    rules: [{ when: { tools: true }, cards: [{ call: { tool: "*" } }] }],
    default: { text: "OK" },
  };
  return simulate({
    server: { kind: "vllm", version: "0.32.0", parser, contextLength: 8192 },
    models: Object.fromEntries(models.map((name) => [name, model])),
  });
}

/** A server whose inside can be exchanged, as a restart with other options does. */
async function restartable(inside: Handler) {
  const server = { inside, url: "" };
  server.url = await serve((request) => server.inside(request));
  return server;
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

describe("lab doctor", () => {
  it("says what the server is, what it does, and in one sentence what to change; exit 1", async () => {
    const url = await serve(vllm("hermes"));
    const { code, out, err } = await lab("doctor", "--base-url", url, "--model", "m", "--lang", "en");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toContain("vLLM 0.32.0, model m. [probes.jsonl:");
    expect(out).toMatch(/FAULT {2}auto .* 2\n? *came back as text\. \[captures\.jsonl:1,2\]/);
    expect(out).toContain("(inferred)");
    expect(lines(out).filter((line) => line.startsWith("Fix: "))).toEqual([
      "Fix: Start vLLM with --tool-call-parser qwen3_coder.",
    ]);
    const [run = ""] = readdirSync(folder);
    expect(lines(out).at(-1)).toBe(`Next, once that is changed: lab doctor --verify ${run} --out ${folder}`);
    expect(readdirSync(join(folder, run))).toEqual(
      expect.arrayContaining(["run.json", "probes.jsonl", "captures.jsonl", "classifications.jsonl", "summary.json"]),
    );
    expect(await lab("classify", run, "--results", folder).then(({ err: said }) => said)).not.toContain("internal");
  });

  it("is silent about changes where nothing is wrong; exit 0", async () => {
    const url = await serve(vllm("qwen3_coder"));
    const { code, out } = await lab("doctor", "--base-url", url, "--lang", "en");
    expect(code).toBe(0);
    expect(out).toContain("Nothing to change: calls are delivered, whole and streamed.");
    expect(out).not.toContain("FAULT");
  });

  it("speaks Japanese", async () => {
    const url = await serve(vllm("hermes"));
    const { code, out } = await lab("doctor", "--base-url", url, "--lang", "ja");
    expect(code).toBe(1);
    expect(out).toContain("対処: ");
    expect(out).toContain("--tool-call-parser qwen3_coder");
    expect(out).toContain("(推定)");
  });

  it("prints one object with --json", async () => {
    const url = await serve(vllm("hermes"));
    const { code, out } = await lab("doctor", "--base-url", url, "--json");
    expect(code).toBe(1);
    expect(lines(out)).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({
      verdict: "fault",
      fix: "--tool-call-parser qwen3_coder",
      owner: "server_parser",
      statements: expect.arrayContaining([
        expect.objectContaining({ topic: "parser", certainty: "inferred", evidence: expect.any(Array) }),
      ]),
    });
  });

  it.each<[string, string | null, string | null, number, RegExp]>([
    [
      "better",
      "hermes",
      "qwen3_coder",
      0,
      /^Better than before: 4 of 4 calls are delivered, 0 of 4 were; in order now: auto, auto, streamed, parity\.$/m,
    ],
    ["the same", "hermes", "hermes", 1, /^The same as before: 0 of 4 calls are delivered, 0 of 4 were\.$/m],
    [
      "worse",
      "qwen3_coder",
      "hermes",
      1,
      /^Worse than before: 0 of 4 calls are delivered, 4 of 4 were; no longer in order: /m,
    ],
    [
      "better",
      null,
      "qwen3_coder",
      0,
      /^Better than before: 4 of 4 calls are delivered, 0 of 1 were; in order now: auto, parser\.$/m,
    ],
  ])("--verify says %s after a change from %s to %s", async (_word, before, after, code, sentence) => {
    const server = await restartable(vllm(before));
    await lab("doctor", "--base-url", server.url, "--model", "m");
    server.inside = vllm(after);
    const verified = await lab("doctor", "--verify", "latest", "--lang", "en");
    expect(verified.out.replace(/\n(?! |[A-Z]|\n)/g, " ")).toMatch(sentence);
    expect(verified.code).toBe(code);
    const object = JSON.parse((await lab("doctor", "--verify", "latest", "--json")).out);
    expect(object.verify).toMatchObject({ outcome: "same" });
  });

  it("--verify wants a run of its own kind", async () => {
    const url = await serve(smallServer({}));
    await lab(
      "run",
      "--base-url",
      url,
      "--suite",
      "contract-matrix",
      "--scenario",
      "prime-sum-known-en",
      "--trials",
      "1",
    );
    expect(await lab("doctor", "--verify", "latest")).toMatchObject({
      code: 2,
      out: "",
      err: "lab: --verify: latest is no run of lab doctor that met its server; name one that is\n",
    });
  });

  it("finds the server of this machine like lab run, and says what it tried", async () => {
    expect(await lab("doctor", "--model", "m")).toMatchObject({
      code: 2,
      err: expect.stringContaining("none answers on this machine"),
    });
  });

  it("looks at one model at a time", async () => {
    const url = await serve(vllm("hermes", ["a", "b"]));
    expect(await lab("doctor", "--base-url", url, "--model", "a", "b")).toMatchObject({
      code: 2,
      err: expect.stringContaining("one model at a time"),
    });
  });

  it.each<[string, Handler, RegExp]>([
    [
      "a page",
      async () => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } }),
      /answers HTML pages, not an API/,
    ],
    [
      "a missing key",
      async () => jsonResponse({ error: { message: "Unauthorized" } }, 401),
      /wants a key .*--api-key-env/,
    ],
    ["a model that is not there", vllm("hermes", ["other"]), /vLLM has no model "m".*other/],
  ])("ends with 3 and one line for %s", async (_what, handler, line) => {
    const url = await serve(handler);
    const { code, out, err } = await lab("doctor", "--base-url", url, "--model", "m");
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(lines(err)).toEqual([expect.stringMatching(line)]);
    const object = JSON.parse((await lab("doctor", "--base-url", url, "--model", "m", "--json")).out);
    expect(object).toMatchObject({ verdict: "unmeasured", statements: [] });
  });

  it("ends with 3 where the server answers and generates nothing usable", async () => {
    const inner = smallServer({ models: ["m"] });
    const url = await serve(async (request) =>
      new URL(request.url).pathname === "/v1/chat/completions" ? new Response("", { status: 502 }) : inner(request),
    );
    const { code, out } = await lab("doctor", "--base-url", url, "--model", "m", "--lang", "en");
    expect(code).toBe(3);
    expect(out).toMatch(/Not measured, so nothing can be said/);
  });

  it("keeps keys out of its folder", async () => {
    const url = await serve(vllm("hermes"));
    await lab("doctor", "--base-url", url, "--header", "authorization: Bearer a-very-secret-key-of-mine");
    const [run = ""] = readdirSync(folder);
    for (const name of readdirSync(join(folder, run)))
      expect(readFileSync(join(folder, run, name), "utf8"), name).not.toContain("a-very-secret-key");
  });
});
