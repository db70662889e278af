import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Listener, type ListenOptions, listen } from "../../src/http/listen.ts";
import { type Handler, jsonResponse, TransportError } from "../../src/protocol/handler.ts";
import { plainResponse } from "../../src/protocol/plain-response.ts";

let listener: Listener | undefined;
afterEach(() => listener?.close());

async function serve(handler: Handler, options: ListenOptions = {}): Promise<Listener> {
  listener = await listen(handler, options);
  return listener;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Sends with node:http, which shows the wire as it is: no decoding, no limits of the fetch standard. */
async function get(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<Answer> {
  const outgoing = httpRequest(url, { method: options.method ?? "GET", headers: options.headers ?? {}, agent: false });
  outgoing.end(options.body);
  return answerOf(outgoing);
}

async function answerOf(outgoing: ClientRequest): Promise<Answer> {
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks).toString() };
}

/** Waits until a number has stopped growing. */
async function settled(value: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 6; same = value() === last ? same + 1 : 0) {
    last = value();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return last;
}

describe("requests", () => {
  it("arrive with method, path, query, headers and body, without what belongs to the connection", async () => {
    let seen: unknown;
    const { url } = await serve(async (request) => {
      const { pathname, search } = new URL(request.url);
      seen = {
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      return jsonResponse({});
    });
    await get(`${url}//a%20b?x=1&x=2`, {
      method: "PUT",
      headers: {
        "x-one": "1",
        connection: "close, x-hop",
        "x-hop": "2",
        te: "trailers",
        "keep-alive": "timeout=1",
        "content-length": "5",
        authorization: "Bearer k",
      },
      body: "素x\n",
    });
    expect(seen).toEqual({
      method: "PUT",
      path: "//a%20b?x=1&x=2",
      headers: { host: url.slice(7), "x-one": "1", "content-length": "5", authorization: "Bearer k" },
      body: "素x\n",
    });
  });

  it.each([
    ["small", 1000],
    ["longer than what is buffered", 3_000_000],
  ])("a %s body is whole", async (_name, length) => {
    const { url } = await serve(async (request) => new Response(String((await request.text()).length)));
    expect((await get(url, { method: "POST", body: "x".repeat(length) })).body).toBe(String(length));
  });

  it("keep each line of a head that names a header twice, and bytes beyond ASCII as they are", async () => {
    let seen: unknown;
    const { port } = await serve(async ({ headers }) => {
      seen = [headers.get("authorization"), headers.get("x-two"), headers.get("x-name")];
      return jsonResponse({});
    });
    const socket = connect(port, "127.0.0.1");
    socket.write(
      "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: a\r\nAuthorization: b\r\nX-Two: 1\r\nx-two: 2\r\nx-name: あ\r\n\r\n",
    );
    await once(socket.resume(), "close");
    expect(seen).toEqual(["a, b", "1, 2", Buffer.from("あ").toString("latin1")]);
  });

  it("are read only as fast as the handler reads them", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { port } = await serve(async (request) => {
      await released;
      return new Response(String((await request.arrayBuffer()).byteLength));
    });
    const total = 64 * 1024 * 1024;
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${total}\r\n\r\n`);
    socket.write(Buffer.alloc(total));
    const sent = await settled(() => socket.bytesWritten - socket.writableLength);
    expect(sent).toBeLessThan(total / 2);
    release();
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(new RegExp(`\\r\\n\\r\\n${total}$`));
  });

  it("that cannot be served are answered with 400 and do not reach the handler", async () => {
    const failures: unknown[] = [];
    const { url } = await serve(async () => jsonResponse({}), { onError: (error) => failures.push(error) });
    const answer = await get(url, { method: "TRACE" });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: "invalid_request_error" } });
    expect(failures).toEqual([]);
  });
});

describe("responses", () => {
  it("keep status, reason, headers and repeated cookies, without what belongs to the connection", async () => {
    const { url } = await serve(async () => {
      const headers = new Headers({ "x-one": "1", "keep-alive": "timeout=9", "content-encoding": "gzip" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      return new Response("raw", { status: 418, headers });
    });
    const answer = await get(url);
    expect(answer).toMatchObject({
      status: 418,
      body: "raw",
      headers: { "x-one": "1", "content-encoding": "gzip", "set-cookie": ["a=1", "b=2"] },
    });
    expect(answer.headers["keep-alive"]).not.toBe("timeout=9");
  });

  it("that are whole already carry their length", async () => {
    const { url } = await serve(async () => jsonResponse({ a: "素" }));
    expect((await get(url)).headers).toMatchObject({ "content-length": "11" });
  });

  it.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("to %s with status %s have no body", async (method, status) => {
    const { url } = await serve(async () => new Response(status === 200 ? "x" : null, { status }));
    expect(await get(url, { method })).toMatchObject({ status, body: "" });
  });

  it("that are whole come in the order of their requests, and one that cannot be written cuts its connection", async () => {
    const failures: unknown[] = [];
    const { port, url } = await serve(
      async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/broken") return plainResponse({ status: 200, headers: { "x-a": "1\r\n2" }, body: "" });
        if (pathname === "/first") await new Promise((resolve) => setTimeout(resolve, 20));
        return plainResponse({ status: 200, headers: {}, body: pathname });
      },
      { onError: (error) => failures.push(error) },
    );
    const socket = connect(port, "127.0.0.1");
    const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
    socket.write(`${request("/first")}${request("/second")}${request("/third", "connection: close\r\n")}`);
    let answers = "";
    for await (const chunk of socket) answers += chunk;
    expect(answers.match(/(?<=\r\n\r\n)\/\w+(?=HTTP|$)/g)).toEqual(["/first", "/second", "/third"]);
    await expect(get(`${url}/broken`)).rejects.toThrow();
    expect(failures).toHaveLength(1);
  });

  it("send their head at once and each piece when it is made", async () => {
    let push = (_text: string) => {};
    let close = () => {};
    const { url } = await serve(async () => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          push = (text) => controller.enqueue(new TextEncoder().encode(text));
          close = () => controller.close();
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    });
    const outgoing = httpRequest(url, { agent: false }).end();
    // Each wait below would never end if the piece before it were held back.
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    push("one");
    expect(String((await once(incoming, "data"))[0])).toBe("one");
    push("two");
    expect(String((await once(incoming, "data"))[0])).toBe("two");
    close();
    await once(incoming, "end");
    expect(incoming.complete).toBe(true);
  });

  it("are made only as fast as the client reads them", async () => {
    let made = 0;
    const piece = new Uint8Array(64 * 1024);
    const pieces = 1024;
    const { port } = await serve(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            pull(controller) {
              if (made === pieces) controller.close();
              else {
                made += 1;
                controller.enqueue(piece);
              }
            },
          }),
        ),
    );
    const socket = connect(port, "127.0.0.1");
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    const first = await settled(() => made);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(pieces / 2);
    for await (const _chunk of socket);
    expect(made).toBe(pieces);
  });
});

describe("failures", () => {
  it("of the way to a server become 502 with the phase as code", async () => {
    const failures: unknown[] = [];
    const error = new TransportError("connect", "nothing listens on 127.0.0.1:1 (connection refused)");
    const { url } = await serve(() => Promise.reject(error), { onError: (failure) => failures.push(failure) });
    const answer = await get(url);
    expect({ ...answer, body: JSON.parse(answer.body) }).toMatchObject({
      status: 502,
      body: { error: { message: error.message, type: "upstream_error", code: "connect" } },
    });
    expect(failures).toEqual([error]);
  });

  it("of any other kind become 500, told to the owner and not to the client", async () => {
    const failures: unknown[] = [];
    const error = new Error("the secret is 42");
    const { url } = await serve(() => Promise.reject(error), { onError: (failure) => failures.push(failure) });
    const answer = await get(url);
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain("42");
    expect(failures).toEqual([error]);
  });

  it("of a body stream cut the connection, so that the client sees it", async () => {
    const failures: unknown[] = [];
    let count = 0;
    const { url } = await serve(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              await new Promise((resolve) => setImmediate(resolve));
              count += 1;
              if (count === 1) controller.enqueue(new TextEncoder().encode("data: a\n\n"));
              else controller.error(new TransportError("idle", "stopped"));
            },
          }),
        ),
      { onError: (failure) => failures.push(failure) },
    );
    const outgoing = httpRequest(url, { agent: false }).end();
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    let received = "";
    const read = async () => {
      for await (const chunk of incoming) received += chunk;
    };
    await expect(read()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(received).toBe("data: a\n\n");
    expect(failures).toMatchObject([{ phase: "idle" }]);
  });

  it("to keep to the named length cut the connection too", async () => {
    const failures: unknown[] = [];
    const { url } = await serve(async () => new Response("four", { headers: { "content-length": "9" } }), {
      onError: (failure) => failures.push(failure),
    });
    await expect(get(url)).rejects.toThrow();
    expect(failures).toHaveLength(1);
  });

  it("to open the port are one clear line", async () => {
    const { port } = await serve(async () => jsonResponse({}));
    await expect(listen(async () => jsonResponse({}), { port })).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`);
  });
});

describe("a client that leaves", () => {
  it("aborts the signal of its request while the handler thinks", async () => {
    const events: string[] = [];
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { port } = await serve(async (request) => {
      events.push("asked");
      request.signal.addEventListener("abort", () => {
        events.push("aborted");
        gone();
      });
      socket.destroy();
      await left;
      throw new TransportError("aborted", "x");
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi");
    await left;
    expect(events).toEqual(["asked", "aborted"]);
  });

  it("leaves what it has still to be answered, whichever request of its connection that is", async () => {
    const signals: AbortSignal[] = [];
    let gone = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { port } = await serve(async (request) => {
      signals.push(request.signal);
      if (request.url.endsWith("/first")) return jsonResponse({ first: true });
      request.signal.addEventListener("abort", gone);
      socket.destroy();
      await left;
      throw new TransportError("aborted", "x");
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /first HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    socket.write("GET /second HTTP/1.1\r\nhost: x\r\n\r\n");
    await left;
    expect(signals).toHaveLength(2);
  });

  it("aborts nothing when it has had every answer", async () => {
    const signals: AbortSignal[] = [];
    const { port } = await serve(async (request) => {
      signals.push(request.signal);
      return jsonResponse({});
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    socket.destroy();
    await once(socket, "close");
    // The server has seen the end by the time that it has answered another connection.
    await get(`http://127.0.0.1:${port}/`);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it("cancels the body that it was reading, and is no error", async () => {
    const failures: unknown[] = [];
    let gone = (_reason: unknown) => {};
    const cancelled = new Promise<unknown>((resolve) => {
      gone = resolve;
    });
    const { port } = await serve(
      async () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => controller.enqueue(new TextEncoder().encode("a")),
            cancel: (reason) => gone(reason),
          }),
        ),
      { onError: (failure) => failures.push(failure) },
    );
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    socket.destroy();
    expect(TransportError.is(await cancelled)).toBe(true);
    expect(failures).toEqual([]);
  });

  it("in the middle of its own body fails the reading of it, and is no error", async () => {
    const failures: unknown[] = [];
    const reading: unknown[] = [];
    let gone = () => {};
    const done = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { port } = await serve(
      async (request) => {
        await request.text().catch((error: unknown) => reading.push(error));
        gone();
        throw new TransportError("aborted", "x");
      },
      { onError: (failure) => failures.push(failure) },
    );
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\nhi");
    await settled(() => socket.bytesWritten);
    socket.destroy();
    await done;
    expect(reading).toHaveLength(1);
    expect(TransportError.is(reading[0])).toBe(true);
    expect(failures).toEqual([]);
  });
});

describe("closing", () => {
  it("ends requests under way and resolves", async () => {
    let abort = () => {};
    const aborted = new Promise<void>((resolve) => {
      abort = resolve;
    });
    const { url, close } = await serve(
      (request) =>
        new Promise((_resolve, reject) => {
          request.signal.addEventListener("abort", () => {
            abort();
            reject(new TransportError("aborted", "x"));
          });
        }),
    );
    const outgoing = httpRequest(url, { agent: false }).end();
    const failed = once(outgoing, "response").catch((error: unknown) => error);
    await settled(() => outgoing.socket?.bytesWritten ?? 0);
    await close();
    expect(await failed).toMatchObject({ code: "ECONNRESET" });
    await aborted;
  });
});
