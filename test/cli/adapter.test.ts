import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { chatBody, scripted } from "../adapter/support.ts";
import { fakeWorld } from "./fake-world.ts";

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function lab(
  argv: readonly string[],
  more: { env?: Record<string, string>; cwd?: string; signal?: AbortSignal } = {},
) {
  const world = fakeWorld({ argv: ["adapter", ...argv], ...more });
  return { code: await program(commands, world), out: world.out(), err: world.err(), world };
}

/** Starts the command, waits until it says where it is, gives that address to `use`, and stops it. */
async function running(
  argv: readonly string[],
  use: (url: string) => Promise<void>,
  more: { env?: Record<string, string>; cwd?: string } = {},
) {
  const stop = new AbortController();
  const world = fakeWorld({ argv: ["adapter", "--port", "0", ...argv], signal: stop.signal, ...more });
  const ended = program(commands, world);
  await expect.poll(() => world.out(), { timeout: 10_000 }).toContain("It never runs");
  const url = /http:\/\/[\d.]+:\d+/.exec(world.out())?.[0] ?? "";
  await use(url);
  stop.abort();
  return { code: await ended, out: world.out(), err: world.err() };
}

async function model() {
  const listener = await listen(scripted(chatBody({ text: "Hello." })));
  listeners.push(listener);
  return listener.url;
}

describe("refusals, before anything is opened", () => {
  const folder = mkdtempSync(join(tmpdir(), "adapter-"));
  writeFileSync(join(folder, "bad.yaml"), "profile: agent\nlimits:\n  bodyBites: 7\n");
  writeFileSync(join(folder, "value.yaml"), "profile: reckless\n");

  it.each([
    { argv: [], words: /--upstream is missing/ },
    { argv: ["--upstream", "localhost:8080"], words: /has no scheme; write http:\/\/localhost:8080\/v1/ },
    {
      argv: ["--upstream", "http://h:1", "--prompt", "hermez"],
      words: /--prompt: there is no format "hermez" \(did you mean "hermes"\?\)/,
    },
    {
      argv: ["--upstream", "http://h:1", "--disable", "guards"],
      words: /--disable: there is no stage "guards" \(did you mean "guard"\?\)/,
    },
    { argv: ["--upstream", "http://h:1", "--profile", "wild"], words: /--profile/ },
    ...["intent", "suppress"].map((stage) => ({
      argv: ["--upstream", "http://h:1", "--profile", "read-only", "--disable", `guard,${stage}`],
      words: new RegExp(`--profile read-only rests on the stage ${stage}`),
    })),
    { argv: ["--upstream", "http://h:1", "--host", "0.0.0.0"], words: /--host 0\.0\.0\.0: .*--api-key-env/ },
    { argv: ["--upstream", "http://h:1", "--host", "192.168.1.5"], words: /--api-key-env/ },
    { argv: ["--upstream", "http://h:1", "--api-key-env", "NOT_SET"], words: /NOT_SET is not set/ },
    {
      argv: ["--upstream", "http://h:1", "--config", "bad.yaml"],
      words: /bad\.yaml:3:3: unknown key "bodyBites" \(did you mean "bodyBytes"\?\)/,
    },
    {
      argv: ["--upstream", "http://h:1", "--config", "value.yaml"],
      words: /value\.yaml:1:10: "profile" cannot be "reckless"/,
    },
    { argv: ["--upstream", "http://h:1", "--config", "none.yaml"], words: /there is no file none\.yaml/ },
    { argv: ["--upstream", "http://h:1", "--searxng", "example"], words: /--searxng/ },
  ])("$argv", async ({ argv, words }) => {
    const { code, out, err } = await lab(argv, { cwd: folder });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(words);
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});

it("says at start what it does and what not, serves, and ends with 0", async () => {
  const upstream = await model();
  const { code, out, err } = await running(
    ["--upstream", upstream, "--profile", "read-only", "--disable", "guard"],
    async (url) => {
      const response = await fetch(`${url}/v1/responses`, {
        method: "POST",
        body: JSON.stringify({ model: "m", input: "Hi." }),
      });
      expect(await response.json()).toMatchObject({ output: [{ content: [{ text: "Hello." }] }] });
    },
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const words of [
    /adapter on http/,
    /model server: /,
    /prompt: +native/,
    /read-only: commands/,
    /web: +off/,
    /stages off: +guard/,
    /traces: +not kept/,
    /never runs a command/,
  ])
    expect(out).toMatch(words);
});

it.each([
  { disable: "guard", says: /become tool calls at once/ },
  { disable: "router", says: /profile: +agent: commands are left to the model/ },
  {
    disable: "intent",
    says: /commands are left to the model[\s\S]*stages off: +intent; without intent nothing is routed/,
  },
])("says at start what is off without $disable", async ({ disable, says }) => {
  const { out } = await running(["--upstream", await model(), "--disable", disable], async () => undefined);
  expect(out).toMatch(says);
});

it("starts before its model server does, and says so", async () => {
  const { code, out } = await running(["--upstream", "http://127.0.0.1:9"], async (url) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi." }] }),
    });
    expect(response.status).toBe(503);
  });
  expect(code).toBe(0);
  expect(out).toMatch(/not reached yet/);
});

it("keeps traces for its owner alone, without keys, and logs failures with their id", async () => {
  const folder = mkdtempSync(join(tmpdir(), "adapter-"));
  const secret = `sk-${"a1".repeat(20)}`;
  const upstream = await model();
  let failed = "";
  const { err } = await running(
    ["--upstream", upstream, "--trace-dir", "traces"],
    async (url) => {
      const tools = [{ type: "web_search", key: secret }];
      await fetch(`${url}/v1/responses`, { method: "POST", body: JSON.stringify({ model: "m", input: "Hi.", tools }) });
      failed =
        (await fetch(`${url}/v1/responses`, { method: "POST", body: "{}" })).headers.get("x-adapter-trace") ?? "";
    },
    { cwd: folder },
  );
  const [name = ""] = readdirSync(join(folder, "traces"));
  const file = join(folder, "traces", name);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain(secret);
  const traces = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(traces).toMatchObject([
    { outcome: "completed", dropped: [{ stage: "front" }] },
    { id: failed, outcome: "failed" },
  ]);
  expect(JSON.parse(err)).toMatchObject({ trace: failed, msg: expect.stringMatching(/input is missing/) });
});

it("wants its key and does not send it on", async () => {
  const seen: (string | null)[] = [];
  const listener = await listen(async (request) => {
    seen.push(request.headers.get("authorization"));
    return chatBody({ text: "Hello." })();
  });
  listeners.push(listener);
  await running(
    ["--upstream", listener.url, "--api-key-env", "MY_KEY"],
    async (url) => {
      const ask = (authorization: string) =>
        fetch(`${url}/v1/responses`, {
          method: "POST",
          headers: { authorization },
          body: JSON.stringify({ model: "m", input: "Hi." }),
        });
      expect((await ask("Bearer wrong")).status).toBe(401);
      expect((await ask("Bearer open sesame")).status).toBe(200);
    },
    { env: { MY_KEY: "open sesame" } },
  );
  expect(seen.filter((value) => value !== null)).toEqual([]);
});
