import { getEventListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../../src/http/listen.ts";
import { type Timeouts, upstream } from "../../../src/http/upstream.ts";
import type { RawExchange } from "../../../src/lab/transport/exchange.ts";
import { type Clock, type SendRequest, send } from "../../../src/lab/transport/send.ts";
import { type Handler, jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import { readReply } from "../../../src/protocol/read-reply.ts";
import { closedPort, rawServer } from "../../http/raw-server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const request: SendRequest = {
  method: "POST",
  path: "/v1/chat/completions?x=1",
  headers: { Authorization: "Bearer k" },
  body: '{"a":"素"}',
};
const encoder = new TextEncoder();

/** A clock that a test moves; the time of day stands still. */
function manualClock(): Clock & { advance(ms: number): void } {
  let now = 1000;
  return {
    now: () => now,
    date: () => new Date("2026-01-02T03:04:05.000Z"),
    advance(ms) {
      now += ms;
    },
  };
}

/** Sends to a real socket on which a test server writes these bytes. */
async function sendToRaw(answer: Parameters<typeof rawServer>[0], timeouts: Timeouts = {}): Promise<RawExchange> {
  const server = await rawServer(answer);
  const handler = upstream(server.url, { timeouts });
  open.push(server, handler);
  return send(handler, request, manualClock());
}

function says(text: string | Uint8Array, end = true, timeouts: Timeouts = {}): Promise<RawExchange> {
  return sendToRaw((socket) => {
    socket.write(text);
    if (end) socket.end();
  }, timeouts);
}

function textOf(exchange: RawExchange): string {
  return new TextDecoder().decode(exchange.body);
}

function readOf(exchange: RawExchange) {
  return readReply({
    body: textOf(exchange),
    contentType: exchange.headers["content-type"] ?? null,
    status: exchange.status,
    streamed: true,
  });
}

describe("recording an exchange", () => {
  it("keeps what was sent, what came and when each piece came", async () => {
    const clock = manualClock();
    const handler: Handler = async (received) => {
      expect([received.method, new URL(received.url).pathname, await received.text()]).toEqual([
        "POST",
        "/v1/chat/completions",
        '{"a":"素"}',
      ]);
      clock.advance(10);
      const pieces = ["data: あ", "\n\n"].map((text) => encoder.encode(text));
      return new Response(
        new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              clock.advance(5.126);
              const piece = pieces.shift();
              if (piece === undefined) controller.close();
              else controller.enqueue(piece);
            },
          },
          { highWaterMark: 0 },
        ),
        { status: 201, headers: { "X-One": "1" } },
      );
    };
    expect(await send(handler, request, clock)).toEqual({
      method: "POST",
      path: "/v1/chat/completions?x=1",
      sentHeaders: { authorization: "Bearer k", "content-type": "application/json" },
      requestBody: '{"a":"素"}',
      startedAt: "2026-01-02T03:04:05.000Z",
      status: 201,
      headers: { "x-one": "1" },
      body: encoder.encode("data: あ\n\n"),
      chunks: [
        [15.13, 9],
        [20.25, 2],
      ],
      timing: { headMs: 10, firstByteMs: 15.13, endMs: 25.38 },
      end: { kind: "complete" },
    });
  });

  it("keeps every cookie that was set, and sends each header once, in lower case", async () => {
    const headers = new Headers({ "X-One": "1" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    const exchange = await send(
      async () => new Response("{}", { headers }),
      { ...request, headers: { Accept: " text/plain ", "Content-Type": "text/x" } },
      manualClock(),
    );
    expect(exchange.headers).toMatchObject({ "x-one": "1", "set-cookie": "a=1, b=2" });
    expect(exchange.sentHeaders).toEqual({ accept: "text/plain", "content-type": "text/x" });
  });

  it("has no body where the response has none", async () => {
    const exchange = await send(
      async () => new Response(null, { status: 204 }),
      { ...request, method: "GET", body: null },
      manualClock(),
    );
    expect(exchange).toMatchObject({
      status: 204,
      chunks: [],
      requestBody: null,
      timing: { firstByteMs: null },
      end: { kind: "complete" },
    });
    expect(exchange.sentHeaders).toEqual({ authorization: "Bearer k" });
    expect(exchange.body).toHaveLength(0);
  });

  it("is the same in-process and over a socket, but for the pieces", async () => {
    const handler: Handler = async (received) =>
      jsonResponse({ path: new URL(received.url).pathname, body: await received.text() }, 418, { "x-one": "1" });
    const server = await listen(handler);
    const client = upstream(server.url);
    open.push(server, client);
    const [direct, socket] = await Promise.all([
      send(handler, request, manualClock()),
      send(client, request, manualClock()),
    ]);
    expect(textOf(socket)).toBe(textOf(direct));
    expect(socket).toMatchObject({
      status: 418,
      sentHeaders: direct.sentHeaders,
      headers: direct.headers,
      end: direct.end,
    });
  });
});

describe("failures are recorded, never thrown", () => {
  it("before an answer: phase and one line of cause", async () => {
    const port = await closedPort();
    const client = upstream(`http://127.0.0.1:${port}`);
    open.push(client);
    expect(await send(client, request, manualClock())).toMatchObject({
      status: null,
      headers: {},
      chunks: [],
      timing: { headMs: null, firstByteMs: null },
      end: { kind: "failed", phase: "connect", cause: `nothing listens on 127.0.0.1:${port} (connection refused)` },
    });
  });

  it("a handler that breaks its contract", async () => {
    const handlers: Handler[] = [
      () => Promise.reject(new Error("odd")),
      () => {
        throw new Error("odd");
      },
      async () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error("odd")) })),
    ];
    for (const handler of handlers) {
      expect((await send(handler, request, manualClock())).end).toEqual({
        kind: "failed",
        phase: "protocol",
        cause: "odd",
      });
    }
  });

  it.each(["x one", "x:one", "", "ヘッダー"])("a name that is none for HTTP is said: %j", async (name) => {
    const exchange = await send(async () => jsonResponse({}), { ...request, headers: { [name]: "1" } }, manualClock());
    expect(exchange.end).toMatchObject({ kind: "failed", cause: expect.stringContaining(JSON.stringify(name)) });
  });

  it.each(["a\nb", "素"])("a header that HTTP cannot carry is named without its value: %j", async (value) => {
    const exchange = await send(
      async () => jsonResponse({}),
      { ...request, headers: { authorization: value } },
      manualClock(),
    );
    expect(exchange.end).toEqual({
      kind: "failed",
      phase: "protocol",
      cause: 'the header "authorization" holds a character that HTTP does not allow',
    });
  });

  it("status 999 and a 204 with a body have no status that a response could hold", async () => {
    expect(await says("HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nhi")).toMatchObject({
      status: null,
      end: { phase: "protocol", cause: expect.stringContaining("999") },
    });
    expect(await says("HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nhi")).toMatchObject({
      status: null,
      end: { phase: "protocol", cause: expect.stringContaining("204") },
    });
  });

  it("a host that never answers", async () => {
    expect(await sendToRaw(() => {}, { firstByteMs: 200 })).toMatchObject({
      status: null,
      end: { phase: "first_byte", cause: expect.stringContaining("within 200 ms") },
    });
  });

  it("an empty reply", async () => {
    expect(await says("")).toMatchObject({
      status: null,
      end: { phase: "first_byte", cause: expect.stringContaining("without an answer") },
    });
  });
});

describe("answers that are no good are kept as they are", () => {
  const sse = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

  it("HTML", async () => {
    const exchange = await says("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html><title>Login</title></html>");
    expect(exchange).toMatchObject({ status: 200, end: { kind: "complete" } });
    expect(readOf(exchange)).toMatchObject({ end: "unreadable", problems: [expect.stringContaining('"Login"')] });
  });

  it("an empty 200", async () => {
    const exchange = await says("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    expect(exchange.end).toEqual({ kind: "complete" });
    expect(readOf(exchange)).toMatchObject({ end: "unreadable", problems: [expect.stringContaining("empty")] });
  });

  it("invalid UTF-8, byte for byte", async () => {
    const bytes = Uint8Array.of(0x7b, 0xff, 0xfe, 0x00, 0x7d);
    const exchange = await says(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), bytes]));
    expect([...exchange.body]).toEqual([...bytes]);
  });

  it("ten megabytes in one line", async () => {
    const exchange = await sendToRaw((socket) => {
      socket.write(sse);
      socket.write(`data: {"choices":[{"index":0,"delta":{"content":"`);
      for (let count = 0; count < 100; count++) socket.write("x".repeat(100_000));
      socket.end(`"}}]}\n\ndata: [DONE]\n\n`);
    });
    expect(exchange.end).toEqual({ kind: "complete" });
    expect(readOf(exchange).replies[0]?.content).toHaveLength(10_000_000);
  });

  it("a stream cut in the middle of an event keeps all that came", async () => {
    const exchange = await says(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n${chunk("a")}data: {"cho`,
    );
    expect(exchange).toMatchObject({ status: 200, end: { kind: "failed", phase: "protocol" } });
    expect(textOf(exchange)).toBe(`${chunk("a")}data: {"cho`);
    expect(readOf(exchange)).toMatchObject({
      end: "no_done",
      replies: [{ content: "a" }],
      problems: [expect.stringContaining("stops inside")],
    });
  });

  it("broken JSON in data, and an error object inside a 200 stream", async () => {
    const broken = await says(`${sse}${chunk("a")}data: {"choices"\n\n${chunk("b")}data: [DONE]\n\n`);
    expect(readOf(broken)).toMatchObject({
      end: "complete",
      replies: [{ content: "ab" }],
      problems: [expect.stringContaining("event 2 is not JSON")],
    });
    const failed = await says(`${sse}${chunk("a")}data: {"error":{"message":"boom","code":500}}\n\n`);
    expect(readOf(failed)).toMatchObject({
      end: "no_done",
      replies: [{ content: "a", error: { message: "boom", code: 500 } }],
    });
  });

  it("a redirect is not followed and gzip is not unpacked", async () => {
    const redirect = await says(
      "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
      false,
    );
    expect(redirect).toMatchObject({
      status: 302,
      headers: { location: "http://127.0.0.1:1/" },
      end: { kind: "complete" },
    });
    const body = gzipSync("hello");
    const zipped = await says(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n"), body]));
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect([...zipped.body]).toEqual([...body]);
  });

  it("a server that falls silent keeps what came", async () => {
    const exchange = await says(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${chunk("a")}`, false, { idleMs: 200 });
    expect(exchange).toMatchObject({
      status: 200,
      end: { phase: "idle", cause: expect.stringContaining("sent nothing for 200 ms") },
    });
    expect(textOf(exchange)).toBe(chunk("a"));
  });
});

describe("limits", () => {
  it("stops a body that never ends, at exactly the limit, and lets the server go", async () => {
    let closed = () => {};
    const letGo = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await rawServer((socket) => {
      socket.on("close", closed);
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const write = () => {
        while (socket.writable && socket.write("x".repeat(50_000)));
      };
      socket.on("drain", write);
      write();
    });
    const client = upstream(server.url);
    open.push(server, client);
    const exchange = await send(client, request, manualClock(), { maxBodyBytes: 1_000_001 });
    expect(exchange.end).toEqual({
      kind: "failed",
      phase: "protocol",
      cause: "the answer is longer than the limit of 1000001 bytes; reading stopped there",
    });
    expect(exchange.body).toHaveLength(1_000_001);
    expect(exchange.chunks.reduce((sum, [, count]) => sum + count, 0)).toBe(1_000_001);
    await letGo;
  });

  it("takes a body of exactly the limit for whole", async () => {
    expect(await send(async () => new Response("12345"), request, manualClock(), { maxBodyBytes: 5 })).toMatchObject({
      end: { kind: "complete" },
    });
  });

  it("stops a stream of endless single bytes", async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(Uint8Array.of(120)) });
    const exchange = await send(async () => new Response(endless), request, manualClock());
    expect(exchange.end).toMatchObject({ kind: "failed", cause: expect.stringContaining("1000000 pieces") });
    expect(exchange.body).toHaveLength(1_000_000);
  });
});

describe("leaving", () => {
  it("does not send where the signal is aborted already", async () => {
    let count = 0;
    const handler: Handler = async () => {
      count += 1;
      return jsonResponse({});
    };
    const exchange = await send(handler, { ...request, signal: AbortSignal.abort() }, manualClock());
    expect([exchange.end, count]).toEqual([{ kind: "failed", phase: "aborted", cause: "the request was aborted" }, 0]);
  });

  it("ends at once where the handler does not listen to the signal, and cancels what it gives later", async () => {
    const controller = new AbortController();
    let answer = (_response: Response) => {};
    let cancelled = () => {};
    const wasCancelled = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const handler: Handler = () =>
      new Promise((resolve) => {
        answer = resolve;
        controller.abort();
      });
    const exchange = await send(handler, { ...request, signal: controller.signal }, manualClock());
    expect(exchange.end).toMatchObject({ phase: "aborted" });
    answer(new Response(new ReadableStream({ cancel: () => cancelled() })));
    await wasCancelled;
  });

  it("keeps what came before, and leaves no listener on a signal that many exchanges share", async () => {
    const controller = new AbortController();
    const stalled: Handler = async () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (stream) => stream.enqueue(encoder.encode("a")),
          pull: () => controller.abort(new TransportError("total", "the run is over")),
        }),
      );
    await send(async () => jsonResponse({}), { ...request, signal: controller.signal }, manualClock());
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    const exchange = await send(stalled, { ...request, signal: controller.signal }, manualClock());
    expect(exchange).toMatchObject({ status: 200, end: { kind: "failed", phase: "total", cause: "the run is over" } });
    expect(textOf(exchange)).toBe("a");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });
});
