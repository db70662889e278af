import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { pinnedFetch } from "../../src/http/pinned-fetch.ts";
import { TransportError } from "../../src/protocol/handler.ts";

const servers: { close(done: () => void): unknown; closeAllConnections?(): void }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    await new Promise<void>((resolve) => void server.close(resolve));
  }
});

async function listening(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const options = { address: "127.0.0.1", headers: {}, signal: new AbortController().signal };

describe("a fetch over a pinned connection", () => {
  it("goes to the address given, whatever the name says, and names the name", async () => {
    let host: string | undefined;
    const port = await listening(
      createServer((request, response) => {
        host = request.headers.host;
        response.end("here");
      }),
    );
    const response = await pinnedFetch().fetch(`http://no-such-name.invalid:${port}/x`, options);
    expect(await response.text()).toBe("here");
    expect(host).toBe(`no-such-name.invalid:${port}`);
  });

  it("does not go to a literal that is another address", async () => {
    const port = await listening(createServer((_request, response) => response.end("here")));
    await expect(
      pinnedFetch().fetch(`http://127.0.0.1:${port}/`, { ...options, address: "192.0.2.1" }),
    ).rejects.toMatchObject({
      phase: "connect",
    });
  });

  it("follows no redirect and unpacks nothing", async () => {
    const port = await listening(
      createServer((_request, response) =>
        response.writeHead(302, { location: "http://127.0.0.1:1/", "content-encoding": "gzip" }).end("as it is"),
      ),
    );
    const response = await pinnedFetch().fetch(`http://a.invalid:${port}/`, options);
    expect([response.status, await response.text()]).toEqual([302, "as it is"]);
  });

  it("checks the certificate against the name, not the address", async () => {
    const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");
    const port = await listening(
      createTlsServer({ key: read("key.pem"), cert: read("certificate.pem") }, (_request, response) =>
        response.end("safe"),
      ) as unknown as Server,
    );
    const trusting = pinnedFetch({ ca: read("certificate.pem") });
    expect(await (await trusting.fetch(`https://localhost:${port}/`, options)).text()).toBe("safe");
    await expect(trusting.fetch(`https://other.invalid:${port}/`, options)).rejects.toMatchObject({ phase: "tls" });
    await expect(pinnedFetch().fetch(`https://localhost:${port}/`, options)).rejects.toMatchObject({ phase: "tls" });
  });

  it("keeps no connection", async () => {
    let open = 0;
    const server = createServer((_request, response) => response.end("x"));
    server.on("connection", (socket) => {
      open += 1;
      socket.on("close", () => {
        open -= 1;
        server.emit("gone");
      });
    });
    const port = await listening(server);
    const gone = new Promise((resolve) => server.once("gone", resolve));
    await (await pinnedFetch().fetch(`http://a.invalid:${port}/`, options)).text();
    await gone;
    expect(open).toBe(0);
  });

  it("fails with a TransportError where a server is silent, closes, or nobody listens", async () => {
    const silent = await listening(createSocketServer((socket) => void socket.resume()));
    const closing = await listening(createSocketServer((socket) => socket.destroy()));
    const client = pinnedFetch({ idleMs: 100 });
    for (const [port, phase] of [
      [silent, "first_byte"],
      [closing, "first_byte"],
      [1, "connect"],
    ] as const) {
      const error = await client.fetch(`http://a.invalid:${port}/`, options).catch((reason: unknown) => reason);
      expect(TransportError.is(error)).toBe(true);
      expect(error).toMatchObject({ phase });
    }
  });
});

describe("looking a name up", () => {
  it("gives every address", async () => {
    const client = pinnedFetch({ resolve: async () => ["192.0.2.1", "2001:db8::1"] });
    expect(await client.resolve("a.invalid", options.signal)).toEqual(["192.0.2.1", "2001:db8::1"]);
    expect(await pinnedFetch().resolve("localhost", options.signal)).toContain("127.0.0.1");
  });

  it("says in one line that there is none", async () => {
    const client = pinnedFetch({
      resolve: async () => {
        throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
      },
    });
    await expect(client.resolve("a.invalid", options.signal)).rejects.toMatchObject({
      phase: "dns",
      message: expect.stringContaining("a.invalid"),
    });
  });

  it("is not waited for by a client that has left", async () => {
    const leave = new AbortController();
    const waiting = pinnedFetch({ resolve: () => new Promise(() => undefined) }).resolve("a.invalid", leave.signal);
    leave.abort();
    await expect(waiting).rejects.toMatchObject({ phase: "aborted" });
  });
});
