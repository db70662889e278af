import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import { type Listener, listen } from "../../src/http/listen.ts";
import { type Handler, jsonResponse } from "../../src/protocol/handler.ts";
import { fakeWorld } from "./fake-world.ts";
import { smallServer } from "./small-server.ts";

let folder = "";
let closers: (() => Promise<void> | void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-bad-"));
});
afterEach(async () => {
  for (const close of closers) await close();
  closers = [];
  rmSync(folder, { recursive: true, force: true });
});

async function serve(handler: Handler, host = "127.0.0.1"): Promise<Listener> {
  const listener = await listen(handler, { port: 0, host });
  closers.push(() => listener.close());
  return listener;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closers.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function lab(baseUrl: string, ...more: readonly string[]) {
  const plan = ["--suite", "contract-matrix", "--scenario", "prime-sum-known-en", "--trials", "1"];
  const world = fakeWorld({
    argv: ["run", "--base-url", baseUrl, "--model", "small", ...plan, "--out", folder, "--lang", "en", ...more],
    cwd: process.cwd(),
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  const summary = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? "", "summary.json"), "utf8"));
  return {
    code,
    complaints: world
      .err()
      .split("\n")
      .filter((line) => line.startsWith("lab: ")),
    summary,
  };
}

async function hasIpv6(): Promise<boolean> {
  try {
    await (await listen(smallServer({}), { port: 0, host: "::1" })).close();
    return true;
  } catch {
    return false;
  }
}
const ipv6 = await hasIpv6();

describe("a server that cannot be measured: one clear line, and nothing is called a failure of the model", () => {
  it.each<[string, Handler, RegExp]>([
    [
      "sits behind a proxy that answers pages",
      async () =>
        new Response("<!doctype html><h1>Welcome to nginx!</h1>", { headers: { "content-type": "text/html" } }),
      /answers HTML pages, not an API; the API's address usually ends in \/v1$/,
    ],
    [
      "wants a key",
      async () => jsonResponse({ error: { message: "Unauthorized" } }, 401),
      /wants a key \(HTTP 401: Unauthorized\); name its variable with --api-key-env$/,
    ],
    [
      "lists its models freely and wants a key for the rest",
      async (request) =>
        request.method === "GET" ? smallServer({})(request) : jsonResponse({ error: { message: "no key" } }, 401),
      /wants a key \(no key\); name its variable with --api-key-env$/,
    ],
    [
      "loads for longer than the patience",
      async () => jsonResponse({ error: { message: "Loading model", code: 503 } }, 503),
      /cannot answer now \(HTTP 503: Loading model\); try again when it is ready$/,
    ],
  ])("%s", async (what, handler, line) => {
    const { url } = await serve(handler);
    // Patience is the time for a first byte; where nothing is waited for, a busy machine must not run into it.
    const patience = what.startsWith("loads") ? ["--timeout-first-byte", "0.3"] : [];
    const { code, complaints, summary } = await lab(url, ...patience, "--quiet");
    expect(code).toBe(3);
    const [first, ...rest] = complaints.filter((each) => !each.includes("is loading"));
    expect(first).toMatch(line);
    expect(rest).toEqual(["lab: Only 0 of 2 planned samples could be measured; the report lists the rest."]);
    expect(summary).toMatchObject({ planned: 2, measured: 0, diagnoses: [] });
    for (const { reason } of summary.exclusions) expect(reason).toBe("target_not_met");
  });

  it("listens and never answers", async () => {
    const port = await listening(createServer(() => {}));
    const { code, complaints } = await lab(`http://127.0.0.1:${port}/v1`, "--timeout-first-byte", "0.2");
    expect(code).toBe(3);
    expect(complaints[0]).toMatch(/within 200 ms/);
    expect(complaints[0]).toMatch(/--timeout-first-byte/);
  });

  it("loads its model on demand, for longer than the limit: only the first look waits for that, and no sample is lost", async () => {
    const inner = smallServer({});
    let generations = 0;
    const { url } = await serve(async (request) => {
      if (!request.url.endsWith("/chat/completions")) return inner(request);
      generations += 1;
      // A proxy starts another server, which goes on when nobody waits any more.
      if (generations === 1) await new Promise((resolve) => closers.push(() => resolve(null)));
      return inner(request);
    });
    const { code, complaints, summary } = await lab(url, "--timeout-first-byte", "7", "--quiet");
    expect({ code, complaints }).toEqual({
      code: 0,
      complaints: ["lab: small: no answer from small yet; the server may be loading it"],
    });
    expect(summary).toMatchObject({ planned: 2, measured: 2, exclusions: [] });
    expect(generations).toBeGreaterThan(2);
  });

  it("has a certificate that nobody signed", async () => {
    const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));
    const port = await listening(createSecureServer({ key: read("key.pem"), cert: read("certificate.pem") }, () => {}));
    const { code, complaints } = await lab(`https://localhost:${port}/v1`);
    expect(code).toBe(3);
    expect(complaints[0]).toMatch(/certificate of localhost:\d+ is not trusted here .*NODE_EXTRA_CA_CERTS/);
  });

  it.skipIf(!ipv6)("listens on IPv6 only, which is measured under its address", async () => {
    const { port } = await serve(smallServer({}), "::1");
    expect(await lab(`http://[::1]:${port}/v1`)).toMatchObject({ code: 0, complaints: [] });
  });
});
