import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../src/http/listen.ts";
import { type Upstream, type UpstreamOptions, upstream } from "../../src/http/upstream.ts";
import { TransportError, type TransportPhase } from "../../src/protocol/handler.ts";
import { closedPort, type RawServer, rawServer, rawTlsServer, testCertificate } from "./raw-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

function client(url: string, options: UpstreamOptions = {}): Upstream {
  const handler = upstream(url, options);
  open.push(handler);
  return handler;
}

async function raw(...answer: Parameters<typeof rawServer>): Promise<RawServer> {
  const server = await rawServer(...answer);
  open.push(server);
  return server;
}

/** A server that writes one text for each request and may close then. */
function says(text: string | Buffer, end = true): Promise<RawServer> {
  return raw((socket) => {
    socket.write(text);
    if (end) socket.end();
  });
}

function ask(init: RequestInit & { path?: string } = {}): Request {
  return new Request(`http://any.invalid${init.path ?? "/v1/chat/completions"}`, {
    method: "POST",
    body: "{}",
    ...init,
  } as RequestInit);
}

async function failure(result: Promise<unknown>): Promise<TransportError> {
  const error = await result.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!TransportError.is(error)) throw new Error(`expected a TransportError, got ${String(error)}`);
  expect(error.message).not.toMatch(/\n/);
  return error;
}

/** What came of a body before it failed, and how it failed. */
async function readUntilFailure(response: Response): Promise<{ text: string; error: TransportError }> {
  const decoder = new TextDecoder();
  let text = "";
  const read = async () => {
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
    for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
      text += decoder.decode(chunk.value);
  };
  const error = await failure(read());
  return { text, error };
}

const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe("what is sent", () => {
  it("is path and query behind the base URL's path, the headers, the body, and no wish for compression", async () => {
    const heads: string[] = [];
    const { url, address } = await raw((socket, head) => {
      heads.push(head);
      socket.write(ok("{}"));
    });
    const headers = {
      authorization: "Bearer k",
      "accept-encoding": "gzip, br",
      "content-type": "application/json",
      connection: "x-hop",
      "x-hop": "1",
      expect: "100-continue",
    };
    await (await client(`${url}/base/`)(ask({ path: "/v1/x?a=1&b=%20", headers }))).text();
    const [line, ...rest] = (heads[0] ?? "").split("\r\n");
    expect(line).toBe("POST /base/v1/x?a=1&b=%20 HTTP/1.1");
    expect(new Set(rest)).toEqual(
      new Set([
        `host: ${address}`,
        "connection: keep-alive",
        "authorization: Bearer k",
        "accept-encoding: identity",
        "content-type: application/json",
        "content-length: 2",
      ]),
    );
  });

  it("carries the credentials of the base URL where the request has none", async () => {
    const heads: string[] = [];
    const { url } = await raw((socket, head) => {
      heads.push(head);
      socket.write(ok(""));
    });
    const handler = client(url.replace("//", "//user:p%40ss@"));
    await (await handler(ask())).text();
    await (await handler(ask({ headers: { authorization: "own" } }))).text();
    expect(heads[0]).toContain(`authorization: Basic ${Buffer.from("user:p@ss").toString("base64")}`);
    expect(heads[1]).toContain("authorization: own");
  });

  it("streams a long body, whole", async () => {
    const server = await listen(async (request) => new Response(String((await request.text()).length)));
    open.push(server);
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let count = 0; count < 50; count++) controller.enqueue(new Uint8Array(100_000).fill(120));
        controller.close();
      },
    });
    const request = ask({ body: pieces, duplex: "half" } as RequestInit);
    expect(await (await client(server.url)(request)).text()).toBe("5000000");
  });

  it.each(["localhost:8000", "foo", "http://", "ftp://host", "http://a b", ""])(
    "never begins with a URL that is none: %j",
    (url) => {
      expect(() => upstream(url)).toThrow(/is no URL of a server; write it with its scheme/);
    },
  );

  it("uses no more connections than allowed", async () => {
    let current = 0;
    let most = 0;
    const server = await listen(async () => {
      current += 1;
      most = Math.max(most, current);
      await new Promise((resolve) => setTimeout(resolve, 10));
      current -= 1;
      return new Response("x");
    });
    open.push(server);
    const handler = client(server.url, { connections: 2, timeouts: { connectMs: 2000, firstByteMs: 2000 } });
    await Promise.all(Array.from({ length: 12 }, async () => (await handler(ask())).text()));
    expect(most).toBe(2);
  });
});

describe("what comes back", () => {
  it("is the response as sent: a redirect is not followed", async () => {
    const { url } = await says(
      "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
      false,
    );
    const response = await client(url)(ask());
    expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/"]);
  });

  it("is not decompressed: bytes and header stay", async () => {
    const body = gzipSync("hello");
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { url } = await says(Buffer.concat([Buffer.from(head), body]), false);
    const response = await client(url)(ask());
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  });

  it("keeps repeated headers and raw UTF-8 in them, and drops those of the connection", async () => {
    const { url } = await says(
      "HTTP/1.1 200 Fine\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nx-name: \u3042\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n",
      false,
    );
    const response = await client(url)(ask());
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(Buffer.from(response.headers.get("x-name") ?? "", "latin1").toString()).toBe("あ");
    expect(response.headers.get("keep-alive")).toBeNull();
    expect(response.statusText).toBe("Fine");
  });

  it("passes over informational responses", async () => {
    const { url } = await says(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok("hi")}`, false);
    expect(await (await client(url)(ask())).text()).toBe("hi");
  });

  it("may end with the connection where no length is named", async () => {
    const { url } = await says("HTTP/1.1 200 OK\r\n\r\nhello");
    expect(await (await client(url)(ask())).text()).toBe("hello");
  });

  it("may be a 204 or the answer to a HEAD, without a body", async () => {
    const none = await says("HTTP/1.1 204 No Content\r\n\r\n", false);
    expect((await client(none.url)(ask())).status).toBe(204);
    const head = await says("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", false);
    const response = await client(head.url)(ask({ method: "HEAD", body: null }));
    expect([response.status, response.headers.get("content-length"), response.body]).toEqual([200, "5", null]);
  });

  it("is read from the socket only as fast as it is read from the response", async () => {
    let accepted = 0;
    const { url } = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n");
      const write = () => {
        while (accepted < 1600) {
          accepted += 1;
          if (!socket.write(Buffer.alloc(65_536))) return;
        }
      };
      socket.on("drain", write);
      write();
    });
    const response = await client(url)(ask());
    let last = -1;
    for (let same = 0; same < 6; same = accepted === last ? same + 1 : 0) {
      last = accepted;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(accepted).toBeLessThan(800);
    expect((await response.arrayBuffer()).byteLength).toBe(104_857_600);
  });
});

describe("the idle limit", () => {
  it("counts the silence of the server, not that of a reader who wants no more", async () => {
    const body = "x".repeat(1_000_000);
    const { url } = await says(ok(body));
    const response = await client(url, { timeouts: { idleMs: 400 } })(ask());
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await response.text()).toBe(body);
  });
});

describe("failures before an answer", () => {
  it.each(["127.0.0.1", "localhost"])("a closed port of %s", async (host) => {
    const port = await closedPort();
    expect(await failure(client(`http://${host}:${port}`)(ask()))).toMatchObject({
      phase: "connect",
      message: `nothing listens on ${host}:${port} (connection refused)`,
    });
  });

  it("TLS against a plain port that answers in plain", async () => {
    const server = await listen(async () => new Response("x"));
    open.push(server);
    const error = await failure(client(server.url.replace("http", "https"))(ask()));
    expect(error).toMatchObject({
      phase: "tls",
      message: expect.stringContaining("does not speak TLS; use http:// instead of https://"),
    });
  });

  it("TLS against a plain port that says nothing", async () => {
    const { url } = await raw(() => {}, { silentToTls: true });
    const error = await failure(client(url.replace("http", "https"), { timeouts: { connectMs: 50 } })(ask()));
    expect(error).toMatchObject({ phase: "tls", message: expect.stringContaining("no TLS handshake") });
  });

  it("plain against a TLS port", async () => {
    const server = await rawTlsServer((socket) => socket.end(ok("x")));
    open.push(server);
    const error = await failure(client(server.url.replace("https", "http"))(ask()));
    expect(error).toMatchObject({
      phase: "tls",
      message: `${server.address} speaks TLS; use https:// instead of http://`,
    });
  });

  it("a certificate that nobody vouches for, until its CA is named", async () => {
    const server = await rawTlsServer((socket) => socket.end(ok("hi")));
    open.push(server);
    expect(await failure(client(server.url)(ask()))).toMatchObject({
      phase: "tls",
      message: expect.stringContaining("is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)"),
    });
    expect(await (await client(server.url, { tls: { ca: testCertificate } })(ask())).text()).toBe("hi");
    expect(await (await client(server.url, { tls: { rejectUnauthorized: false } })(ask())).text()).toBe("hi");
  });

  it.each<[string, string, TransportPhase, RegExp]>([
    ["an empty reply", "", "first_byte", /closed the connection without an answer/],
    ["a head that stops", "HTTP/1.1 200 OK\r\ncontent-le", "first_byte", /closed the connection without an answer/],
    ["no HTTP", "<html>hi</html>\r\n\r\n", "protocol", /does not speak HTTP: its answer begins with "<html>/],
    [
      "status 999",
      "HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi",
      "protocol",
      /HTTP status 999, which does not exist/,
    ],
    ["status 099", "HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nhi", "protocol", /no HTTP response/],
    [
      "204 with a body",
      "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nhi",
      "protocol",
      /HTTP status 204 and a body/,
    ],
    [
      "204 with a body in chunks",
      "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      "protocol",
      /HTTP status 204 and a body/,
    ],
    [
      "an unasked protocol switch",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "protocol",
      /no HTTP response/,
    ],
    ["a head without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}`, "protocol", /head of .* is too long/],
  ])("%s", async (_name, text, phase, message) => {
    const { url } = await says(text);
    expect(await failure(client(url)(ask()))).toMatchObject({ phase, message: expect.stringMatching(message) });
  });

  it("a reset connection", async () => {
    const { url } = await raw((socket) => socket.resetAndDestroy());
    expect(await failure(client(url)(ask()))).toMatchObject({
      phase: "first_byte",
      message: expect.stringContaining("without an answer (ECONNRESET)"),
    });
  });

  it("is sent once: nothing is tried again", async () => {
    let count = 0;
    const { url } = await raw((socket) => {
      count += 1;
      socket.end();
    });
    await failure(client(url)(ask()));
    await failure(client(url)(ask({ method: "GET", body: null })));
    expect(count).toBe(2);
  });

  it.each<[TransportPhase, UpstreamOptions["timeouts"]]>([
    ["first_byte", { firstByteMs: 300 }],
    ["total", { totalMs: 300 }],
  ])("a host that never answers, with a limit for %s", async (phase, timeouts) => {
    const { url } = await raw(() => {});
    expect(await failure(client(url, { timeouts })(ask()))).toMatchObject({
      phase,
      message: expect.stringContaining("within 300 ms"),
    });
  });
});

describe("failures in the middle of a body", () => {
  it.each<[string, string, TransportPhase, RegExp]>([
    [
      "shorter than its length",
      "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello",
      "protocol",
      /broke off in the middle of the answer/,
    ],
    [
      "shorter than its length, on a connection that closes",
      "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nhello",
      "protocol",
      /does not have the length that its head names/,
    ],
    ["cut inside a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhello", "protocol", /broke off/],
    [
      "a chunk size that is none",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
      "protocol",
      /breaks the rules of HTTP/,
    ],
  ])("%s", async (_name, text, phase, message) => {
    const { url } = await says(text);
    const { text: received, error } = await readUntilFailure(await client(url)(ask()));
    expect(received).toBe("hello");
    expect(error).toMatchObject({ phase, message: expect.stringMatching(message) });
  });

  it("does not lose what came before it, however late that is read", async () => {
    const { url } = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello", () => socket.resetAndDestroy());
    });
    const response = await client(url)(ask());
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await readUntilFailure(response)).toMatchObject({ text: "hello", error: { phase: "protocol" } });
  });

  it.each<[TransportPhase, string, string, UpstreamOptions["timeouts"]]>([
    // Long enough for a busy machine to bring head and piece before.
    ["first_byte", "", "no answer", { firstByteMs: 700, idleMs: 1 }],
    ["idle", "5\r\nhello\r\n", "sent nothing for 700 ms", { idleMs: 700 }],
    ["total", "5\r\nhello\r\n", "not complete within 700 ms", { totalMs: 700 }],
  ])("a server that falls silent: %s", async (phase, body, message, timeouts) => {
    const { url } = await says(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`, false);
    const { text, error } = await readUntilFailure(await client(url, { timeouts })(ask()));
    expect(text).toBe(body === "" ? "" : "hello");
    expect(error).toMatchObject({ phase, message: expect.stringContaining(message) });
  });
});

describe("leaving", () => {
  it("before sending sends nothing", async () => {
    let count = 0;
    const { url } = await raw(() => {
      count += 1;
    });
    expect(await failure(client(url)(ask({ signal: AbortSignal.abort() })))).toMatchObject({ phase: "aborted" });
    expect(count).toBe(0);
  });

  it("while waiting or reading closes the connection to the server", async () => {
    for (const head of ["", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n"]) {
      const controller = new AbortController();
      let closed = () => {};
      const serverSawIt = new Promise<void>((resolve) => {
        closed = resolve;
      });
      const { url } = await raw((socket) => {
        socket.on("close", closed);
        socket.write(head, () => {
          if (head === "") controller.abort();
        });
      });
      const answer = client(url)(ask({ signal: controller.signal }));
      if (head === "") expect(await failure(answer)).toMatchObject({ phase: "aborted" });
      else {
        const reader = (await answer).body?.getReader();
        await reader?.read();
        controller.abort();
        expect(await failure(Promise.resolve(reader?.read()))).toMatchObject({ phase: "aborted" });
      }
      await serverSawIt;
    }
  });

  it("by cancelling the body closes the connection to the server", async () => {
    let closed = () => {};
    const serverSawIt = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url } = await raw((socket) => {
      socket.on("close", closed);
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
    });
    await (await client(url)(ask())).body?.cancel();
    await serverSawIt;
  });

  it("passes from the client through a listener to the server behind it", async () => {
    const events: string[] = [];
    let closed = () => {};
    const serverSawIt = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await raw((socket) => {
      events.push("server asked");
      socket.on("close", () => {
        events.push("server left alone");
        closed();
      });
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
    });
    const behind = client(server.url);
    const front = await listen((request) => {
      request.signal.addEventListener("abort", () => events.push("listener noticed"));
      return behind(request);
    });
    open.push(front);
    const controller = new AbortController();
    const response = await client(front.url)(ask({ signal: controller.signal }));
    await response.body?.getReader().read();
    events.push("client leaves");
    controller.abort();
    await serverSawIt;
    expect(events).toEqual(["server asked", "client leaves", "listener noticed", "server left alone"]);
  });

  it("by closing the pool fails what is under way as aborted", async () => {
    let asked = () => {};
    const serverAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { url } = await raw(() => asked());
    const handler = client(url);
    const error = failure(handler(ask()));
    await serverAsked;
    await handler.close();
    expect(await error).toMatchObject({ phase: "aborted" });
  });
});

describe("a proxy on the way", () => {
  it("gets plain requests with the whole URL, and its own credentials", async () => {
    const heads: string[] = [];
    const { url } = await raw((socket, head) => {
      heads.push(head);
      socket.write(ok("hi"));
    });
    const handler = client("http://model.test/base", { proxy: url.replace("//", "//u:p@") });
    expect(await (await handler(ask())).text()).toBe("hi");
    expect(heads[0]).toMatch(/^POST http:\/\/model\.test\/base\/v1\/chat\/completions HTTP\/1\.1\r\n/);
    expect(heads[0]).toContain(`proxy-authorization: Basic ${Buffer.from("u:p").toString("base64")}`);
  });

  it("gets a tunnel for TLS", async () => {
    const server = await rawTlsServer((socket) => socket.end(ok("hi")));
    open.push(server);
    const { connect } = await import("node:net");
    const { createServer } = await import("node:http");
    const lines: (string | undefined)[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      lines.push(request.url);
      const onward = connect(Number(server.address.split(":")[1]), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    open.push({ close: () => new Promise((resolve) => proxy.close(() => resolve())) });
    const address = proxy.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const handler = client(server.url, { proxy: `http://127.0.0.1:${port}`, tls: { ca: testCertificate } });
    expect(await (await handler(ask())).text()).toBe("hi");
    expect(lines).toEqual([server.address]);
  });

  it("is named where it is the one that fails", async () => {
    const port = await closedPort();
    for (const target of ["http://model.test", "https://model.test"]) {
      const error = await failure(client(target, { proxy: `http://127.0.0.1:${port}` })(ask()));
      expect(error).toMatchObject({
        phase: "connect",
        message: `nothing listens on the proxy 127.0.0.1:${port} (connection refused)`,
      });
    }
  });

  it("that refuses is a failed connection", async () => {
    const { url } = await says("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n", false);
    for (const target of ["http://model.test", "https://model.test"]) {
      expect(await failure(client(target, { proxy: url })(ask()))).toMatchObject({
        phase: "connect",
        message: expect.stringContaining("407"),
      });
    }
  });
});
