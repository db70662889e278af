import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Handler, jsonResponse, TransportError } from "../protocol/handler.ts";
import { cookiesOf, fieldsOf } from "../protocol/plain-message.ts";
import { plainRequest } from "../protocol/plain-request.ts";
import { takePlainContent } from "../protocol/plain-response.ts";
import { hopByHopHeaders, receivedHeaders } from "./headers.ts";

/** A handler that is reachable through a socket. */
export interface Listener {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and ends every connection, also those with a request under way. */
  close(): Promise<void>;
  /** Stops listening at once and lets what is under way finish, for at most so many milliseconds; then closes. */
  drain(limitMs: number): Promise<void>;
}

export interface ListenOptions {
  /** 0 or absent: any free port. */
  readonly port?: number | undefined;
  /** Absent: 127.0.0.1, so that nothing is reachable from outside unless asked for. */
  readonly host?: string | undefined;
  /** Told of every failure of the handler or of its body stream that is no fault of the client. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Methods that any request may have. */
const plainMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** How often connections that have become idle are looked for while what is under way comes to its end. */
const idleCheckMs = 20;
/** Request bodies up to this size are read before the handler is called: cheaper than a stream, and small enough to hold. */
const bufferedBodyBytes = 1024 * 1024;

/**
 * Serves a handler over HTTP/1.1. Bodies stream in both directions with backpressure; `request.signal` is aborted when the
 * client leaves; a rejection becomes a JSON error (502 for a TransportError, else 500); a body stream that fails cuts the
 * connection, so that the client sees it. Rejects with one clear line when the port cannot be opened.
 */
export async function listen(handler: Handler, options: ListenOptions = {}): Promise<Listener> {
  const host = options.host ?? "127.0.0.1";
  const report = options.onError ?? (() => {});
  const server = createServer({ keepAliveTimeout: 75_000 }, (incoming, outgoing) => {
    serve(handler, incoming, outgoing, report).catch((error: unknown) => {
      report(error);
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Error(openFailure(error, host, options.port ?? 0), { cause: error })));
    server.listen(options.port ?? 0, host, resolve);
  });
  server.on("error", report);
  const { port, family, address } = server.address() as AddressInfo;
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://${shown}:${port}`,
    port,
    close,
    drain(limitMs) {
      return new Promise((resolve) => {
        const limit = setTimeout(() => server.closeAllConnections(), limitMs);
        // A connection that is kept alive becomes idle with its last answer, and nothing tells when.
        const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
        server.close(() => {
          clearTimeout(limit);
          clearInterval(idle);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

function openFailure(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === "EADDRINUSE") return `port ${port} on ${host} is taken; choose another with --port, or 0 for any`;
  if (error.code === "EACCES") return `port ${port} on ${host} may not be opened by this user; choose one above 1023`;
  return `cannot listen on ${host}:${port}: ${error.message}`;
}

async function serve(
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  report: (error: unknown) => void,
): Promise<void> {
  const { signal } = clientOf(incoming.socket);
  // Errors of a socket whose client has left say nothing new; unheard they would end the process.
  incoming.on("error", ignore);
  outgoing.on("error", ignore);
  outgoing.on("close", noteDeparture);
  let response: Response;
  try {
    const body = hasBody(incoming) ? requestBody(incoming) : null;
    response = await handler(toRequest(incoming, body instanceof Promise ? await body : body, signal));
  } catch (error) {
    if (signal.aborted || outgoing.destroyed || incoming.errored) return;
    if (!(error instanceof BadRequest)) report(error);
    response = failureResponse(error);
  }
  try {
    await writeResponse(response, outgoing, incoming.method === "HEAD", report);
  } catch (error) {
    if (!signal.aborted) report(error);
    outgoing.destroy();
  }
}

function ignore(): void {}

/**
 * One for all requests of a connection: who leaves, leaves all that is under way there. A signal of its own for each request would
 * cost as much as all else here, and each keeps what hangs on it from being freed before a full collection.
 */
const clients = new WeakMap<Socket, AbortController>();

function clientOf(socket: Socket): AbortController {
  const known = clients.get(socket);
  if (known !== undefined && !known.signal.aborted) return known;
  const client = new AbortController();
  clients.set(socket, client);
  return client;
}

function noteDeparture(this: ServerResponse): void {
  if (this.writableFinished) return;
  clientOf(this.req.socket).abort(new TransportError("aborted", "the client closed the connection"));
}

class BadRequest extends Error {}

function failureResponse(error: unknown): Response {
  if (error instanceof BadRequest) {
    return jsonResponse({ error: { message: error.message, type: "invalid_request_error", code: null } }, 400);
  }
  if (TransportError.is(error)) {
    return jsonResponse({ error: { message: error.message, type: "upstream_error", code: error.phase } }, 502);
  }
  // The text of an unforeseen error may hold anything; the client learns only that there was one.
  return jsonResponse({ error: { message: "internal error", type: "internal_error", code: null } }, 500);
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function toRequest(
  incoming: IncomingMessage,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): Request {
  const { method = "GET", rawHeaders } = incoming;
  const headers = receivedHeaders(incoming.headers, () => headerLines(rawHeaders), rawHeaders.length / 2);
  try {
    const url = requestUrl(incoming);
    if (plainMethods.has(method) && !(body instanceof ReadableStream))
      return plainRequest({ url, method, headers, body, signal });
    return new Request(url, { method, headers, body, signal, duplex: "half" });
  } catch (error) {
    throw new BadRequest(`this request cannot be served: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function* headerLines(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index]?.toLowerCase() ?? "", raw[index + 1] ?? ""];
}

function requestUrl(incoming: IncomingMessage): string {
  const target = incoming.url ?? "/";
  // An absolute target comes from clients that take us for a proxy. "//x" must stay a path, so nothing is resolved.
  if (/^https?:\/\//i.test(target)) return target;
  const host = incoming.headers.host ?? "localhost";
  return `http://${host}${target.startsWith("/") ? target : `/${target}`}`;
}

function requestBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> | ReadableStream<Uint8Array> {
  const length = Number(incoming.headers["content-length"] ?? Number.NaN);
  return length <= bufferedBodyBytes ? wholeBody(incoming) : streamBody(incoming);
}

/** Listened to by events: the iterator of a stream costs as much as all else that is done with a small request here. */
function wholeBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => void chunks.push(chunk));
    incoming.on("end", () => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      resolve(new Uint8Array(whole.buffer as ArrayBuffer, whole.byteOffset, whole.byteLength));
    });
    incoming.on("error", reject);
  });
}

/** A pull-driven stream: nothing is read from the socket that the handler has not asked for. */
function streamBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const iterator = incoming[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(new TransportError("aborted", "the client stopped sending its request", { cause: error }));
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

async function writeResponse(
  response: Response,
  outgoing: ServerResponse,
  headOnly: boolean,
  report: (error: unknown) => void,
): Promise<void> {
  const headers = outgoingHeaders(response);
  // A body that does not keep to the length its head named would be read as part of the next answer.
  outgoing.strictContentLength = true;
  if (response.statusText !== "") outgoing.statusMessage = response.statusText;
  const whole = headOnly ? undefined : takePlainContent(response);
  if (whole !== undefined) {
    headers["content-length"] ??= String(Buffer.byteLength(whole));
    setImmediate(writeWhole, outgoing, response.status, headers, whole, report);
    return;
  }
  if (response.body === null || headOnly) {
    outgoing.writeHead(response.status, headers).end();
    await response.body?.cancel();
    return;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const cancel = () => {
    reader.cancel(new TransportError("aborted", "the client closed the connection")).catch(() => {});
  };
  outgoing.once("close", cancel);
  if (outgoing.destroyed) cancel();
  try {
    await writeBody(reader, outgoing, (length) => {
      if (length !== null) headers["content-length"] ??= String(length);
      outgoing.writeHead(response.status, headers);
    });
  } finally {
    outgoing.off("close", cancel);
  }
}

/**
 * Head and body in one write, and all that are ready at a time behind one another, when everything that had arrived has been read:
 * a reader that sleeps is woken once for all of them, and that is most of what a small write costs.
 */
function writeWhole(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string | string[]>,
  body: string | Uint8Array,
  report: (error: unknown) => void,
): void {
  try {
    outgoing.writeHead(status, headers).end(body);
  } catch (error) {
    report(error);
    outgoing.destroy();
  }
}

function outgoingHeaders(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  const fields = fieldsOf(response);
  const dropped = hopByHopHeaders(fields["connection"]);
  for (const name in fields) if (!dropped.has(name)) headers[name] = fields[name] ?? "";
  const cookies = cookiesOf(response);
  if (cookies.length > 0) headers["set-cookie"] = [...cookies];
  return headers;
}

/** A body that is there already leaves in one packet with its head and its length; otherwise the head does not wait for it. */
async function writeBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
  writeHead: (length: number | null) => void,
): Promise<void> {
  let pending = reader.read();
  let chunk: Chunk | undefined = await soon(pending);
  if (chunk === undefined) {
    writeHead(null);
    outgoing.flushHeaders();
  } else if (chunk.done) {
    writeHead(0);
  } else {
    pending = reader.read();
    const next = await soon(pending);
    writeHead(next?.done === true ? chunk.value.byteLength : null);
    await write(outgoing, chunk.value);
    chunk = next;
  }
  chunk ??= await pending;
  while (!chunk.done) {
    await write(outgoing, chunk.value);
    chunk = await reader.read();
  }
  outgoing.end();
}

/** The value of a promise that settles without waiting for anything outside; undefined if it does not. */
async function soon<T>(promise: Promise<T>): Promise<T | undefined> {
  let value: T | undefined;
  promise.then(
    (settled) => {
      value = settled;
    },
    () => {},
  );
  for (let tick = 0; tick < 8 && value === undefined; tick++) await null;
  return value;
}

async function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (outgoing.write(bytes) || outgoing.destroyed) return;
  await new Promise<void>((resolve) => {
    const proceed = () => {
      outgoing.off("drain", proceed);
      outgoing.off("close", proceed);
      resolve();
    };
    outgoing.once("drain", proceed);
    outgoing.once("close", proceed);
  });
}
