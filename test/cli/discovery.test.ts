import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { discoveredTargets, portsToAsk } from "../../src/cli/discovery.ts";
import { discoveryPorts } from "../../src/cli/listed-models.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { fakeWorld } from "./fake-world.ts";
import { smallServer } from "./small-server.ts";

let folder = "";
let listeners: Listener[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-discovery-"));
});
afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.close()));
  listeners = [];
  rmSync(folder, { recursive: true, force: true });
});

async function serve(handler: Handler, host = "127.0.0.1"): Promise<Listener> {
  const listener = await listen(handler, { port: 0, host });
  listeners.push(listener);
  return listener;
}

/** A port on which nothing listens any more. */
async function deadPort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function run(ports: readonly number[], ...more: readonly string[]) {
  const plan = ["--suite", "contract-matrix", "--scenario", "prime-sum-known-en", "--trials", "1", "--out", folder];
  const world = fakeWorld({
    argv: ["run", ...more, ...plan],
    cwd: process.cwd(),
    env: { LAB_DISCOVERY_PORTS: ports.join(","), A_KEY: "very-secret-token-of-mine" },
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

const has6 = await serveSix();
async function serveSix(): Promise<boolean> {
  try {
    const listener = await listen(smallServer({}), { port: 0, host: "::1" });
    await listener.close();
    return true;
  } catch {
    return false;
  }
}

describe("lab run without a server", () => {
  it("measures on the server of this machine that lists the model, and says which", async () => {
    const asked: string[] = [];
    const other = await serve(smallServer({ models: ["other"], onChat: () => void asked.push("other") }));
    const right = await serve(smallServer({ models: ["a", "mine"], onChat: () => void asked.push("right") }));
    const { code, err } = await run([other.port, right.port], "--model", "mine");
    expect(code).toBe(0);
    expect(err).toContain(`No server is named; mine is on http://127.0.0.1:${right.port}/v1`);
    expect(new Set(asked)).toEqual(new Set(["right"]));
  });

  it("takes the only model of the only server", async () => {
    const { port } = await serve(smallServer({ models: ["sole"] }));
    expect(await run([port])).toMatchObject({ code: 0, err: expect.stringContaining("sole is on ") });
  });

  it("finds each of several models on its own server", async () => {
    const asked: string[] = [];
    const servers = await Promise.all(
      ["a", "b"].map((name) => serve(smallServer({ models: [name], onChat: () => void asked.push(name) }))),
    );
    const { code } = await run(
      servers.map(({ port }) => port),
      "--model",
      "b",
      "a",
    );
    expect(code).toBe(0);
    expect(new Set(asked)).toEqual(new Set(["a", "b"]));
  });

  it("sends no key and no header to a server that was only found, and says so", async () => {
    const seen: (string | null)[] = [];
    const inner = smallServer({ models: ["mine"] });
    const { port } = await serve((request) => {
      seen.push(request.headers.get("authorization"), request.headers.get("x-team"));
      return inner(request);
    });
    const { code, err } = await run([port], "--model", "mine", "--api-key-env", "A_KEY", "--header", "x-team: lab");
    expect(code).toBe(0);
    expect(new Set(seen)).toEqual(new Set([null]));
    expect(err).toContain("Keys and headers are not sent to a server that was only found; name it with --base-url");
  });

  it("says what was asked where nothing answers, and offers the demo", async () => {
    const ports = [await deadPort(), await deadPort()];
    expect(await run(ports, "--model", "mine")).toEqual({
      code: 2,
      out: "",
      err: `lab: no server is named and none answers on this machine (ports ${ports.join(", ")} of 127.0.0.1 and ::1 were asked); write lab run --base-url http://HOST:PORT/v1 --model mine, or try lab demo\n`,
    });
  });

  it("names both servers that list the model, and asks for one", async () => {
    const one = await serve(smallServer({ models: ["mine"] }));
    const two = await serve(smallServer({ models: ["x", "mine"] }));
    expect(await run([one.port, two.port], "--model", "mine")).toEqual({
      code: 2,
      out: "",
      err: `lab: 2 servers of this machine list mine: ${one.url}/v1 and ${two.url}/v1; choose one with --base-url\n`,
    });
  });

  it("says what there is where nobody lists the model", async () => {
    const one = await serve(smallServer({ models: ["qwen3:8b", "b"] }));
    expect(await run([one.port], "--model", "qwen3:8")).toEqual({
      code: 2,
      out: "",
      err: `lab: no server is named, and none of this machine lists qwen3:8 (did you mean "qwen3:8b"?): ${one.url}/v1 has qwen3:8b, b\n`,
    });
  });

  it.skipIf(!has6)("finds a server that listens on IPv6 only", async () => {
    const { port } = await serve(smallServer({ models: ["six"] }), "::1");
    const { code, err } = await run([port], "--model", "six");
    expect(code).toBe(0);
    expect(err).toContain(`six is on http://[::1]:${port}/v1`);
  });
});

describe("what is discovered", () => {
  const server = (port: number, ...models: readonly string[]) => ({ baseUrl: `http://127.0.0.1:${port}/v1`, models });
  const discover = (models: readonly string[], ...found: readonly ReturnType<typeof server>[]) =>
    discoveredTargets({ models, found, ports: [1], kind: null });

  it("is Ollama's x:latest for x", () => {
    expect(discover(["x"], server(1, "x:latest"))).toMatchObject([{ model: "x", headers: {} }]);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      "two servers and no model",
      () => discover([], server(1, "a"), server(2, "b")),
      /2 servers answer .*--base-url or --model: http\S+ has a; http\S+ has b$/,
    ],
    [
      "one server with several models",
      () => discover([], server(1, "a", "b")),
      /choose one or more with --model: http\S+ has a, b$/,
    ],
    ["nothing at all", () => discover([]), /none answers .*--model NAME, or try lab demo$/],
  ])("asks back for %s", (_what, attempt, message) => {
    expect(attempt).toThrow(message);
  });

  it("is looked for on the default ports, or on those of LAB_DISCOVERY_PORTS", () => {
    expect(portsToAsk({})).toBe(discoveryPorts);
    expect(portsToAsk({ LAB_DISCOVERY_PORTS: "1, 2" })).toEqual([1, 2]);
    expect(() => portsToAsk({ LAB_DISCOVERY_PORTS: "1,many" })).toThrow('LAB_DISCOVERY_PORTS: "many" is no port');
  });
});
