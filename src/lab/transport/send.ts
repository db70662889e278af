import { type Handler, TransportError, type TransportPhase } from "../../protocol/handler.ts";
import { allFieldsOf, fieldsOf } from "../../protocol/plain-message.ts";
import { plainRequest } from "../../protocol/plain-request.ts";
import { takePlainContent } from "../../protocol/plain-response.ts";
import type { ExchangeEnd, RawExchange } from "./exchange.ts";

/** What to send. `path` begins with a slash and is sent as it is; `body` null = none. */
export interface SendRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds for durations, and the time of day for the record. */
export interface Clock {
  now(): number;
  date(): Date;
}

export interface SendOptions {
  /** Longest body that is read, in bytes; default 64 MiB. A longer one is cut there and recorded as failed. */
  readonly maxBodyBytes?: number | undefined;
  /** Asked with all that came so far, as text, after each piece: true stops the reading there. For short answers only. */
  readonly enough?: ((text: string) => boolean) | undefined;
}

const encoder = new TextEncoder();
const defaultMaxBodyBytes = 64 * 1024 * 1024;
/** A stream of single bytes must not fill the memory with its records. */
const maxChunks = 1_000_000;
/** A token of RFC 9110, 5.6.2. */
const fieldName = /^[\w!#$%&'*+.^`|~-]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Handlers look at path and query only; a real server's address stands in its upstream. */
const origin = "http://target.invalid";

/**
 * Sends one request and records all that comes back, with the time of each piece. Never rejects and never hangs once the
 * signal is aborted: what went wrong is `end`, and the bytes that came before it are kept.
 */
export async function send(
  handler: Handler,
  request: SendRequest,
  clock: Clock,
  options: SendOptions = {},
): Promise<RawExchange> {
  const startedAt = clock.date().toISOString();
  const start = clock.now();
  const since = () => Math.round((clock.now() - start) * 100) / 100;
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
  const received: Uint8Array[] = [];
  const chunks: [number, number][] = [];
  let size = 0;
  let sentHeaders: Readonly<Record<string, string>> = request.headers;
  let status: number | null = null;
  let headers: Readonly<Record<string, string>> = {};
  let headMs: number | null = null;

  let seen = "";
  // Made where it is needed: thousands of requests are read without.
  const decoder = options.enough === undefined ? null : new TextDecoder();

  /** Keeps a piece; says why reading should stop behind it, if it should. */
  function keep(piece: Uint8Array): ExchangeEnd | null {
    const kept = size + piece.byteLength > maxBodyBytes ? piece.subarray(0, maxBodyBytes - size) : piece;
    if (kept.byteLength > 0) {
      received.push(kept);
      chunks.push([since(), kept.byteLength]);
      size += kept.byteLength;
    }
    if (kept.byteLength < piece.byteLength) return tooLong(`${maxBodyBytes} bytes`);
    if (chunks.length >= maxChunks) return tooLong(`${maxChunks} pieces`);
    if (options.enough === undefined || decoder === null) return null;
    seen += decoder.decode(kept, { stream: true });
    return options.enough(seen) ? { kind: "stopped" } : null;
  }

  async function exchange(signal: AbortSignal | null): Promise<ExchangeEnd> {
    const outgoing = toRequest(request, signal);
    sentHeaders = fieldsOf(outgoing);
    const response = await orAborted(handler(outgoing), signal);
    headMs = since();
    status = response.status;
    headers = allFieldsOf(response);
    const whole = takePlainContent(response);
    if (whole !== undefined)
      return keep(typeof whole === "string" ? encoder.encode(whole) : whole) ?? { kind: "complete" };
    if (response.body === null) return { kind: "complete" };
    return readBody(response.body.getReader(), signal, keep);
  }

  const end = await withSignal(request.signal, exchange).catch(toFailure);
  return {
    method: request.method,
    path: request.path,
    sentHeaders,
    requestBody: request.body,
    startedAt,
    status,
    headers,
    body: join(received, size),
    chunks,
    timing: { headMs, firstByteMs: chunks[0]?.[0] ?? null, endMs: since() },
    end,
  };
}

/** A signal shared by a whole run gets one listener per exchange under way, and loses it when the exchange ends. */
async function withSignal(
  signal: AbortSignal | undefined,
  exchange: (signal: AbortSignal | null) => Promise<ExchangeEnd>,
): Promise<ExchangeEnd> {
  if (signal === undefined) return exchange(null);
  if (signal.aborted) throw abortion(signal);
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await exchange(own.signal);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function toRequest(request: SendRequest, signal: AbortSignal | null): Request {
  const headers: Record<string, string> = {};
  for (const [name, given] of Object.entries(request.headers)) {
    const value = given.trim();
    // Said without the value, which may be a key.
    if (!fieldName.test(name) || !fieldValue.test(value))
      throw new TransportError(
        "protocol",
        `the header ${JSON.stringify(name)} holds a character that HTTP does not allow`,
      );
    headers[name.toLowerCase()] = value;
  }
  if (request.body !== null) headers["content-type"] ??= "application/json";
  const { method, body } = request;
  return plainRequest({ url: `${origin}${request.path}`, method, headers, body, signal });
}

/** The response, or a rejection as soon as the signal is aborted, whether or not the handler listens to it. */
function orAborted(response: Promise<Response>, signal: AbortSignal | null): Promise<Response> {
  if (signal === null) return response;
  return new Promise((resolve, reject) => {
    let left = false;
    const leave = () => {
      left = true;
      reject(abortion(signal));
    };
    // A handler may abort before it has returned.
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave);
    response.then((value) => {
      if (left) value.body?.cancel().catch(() => {});
      resolve(value);
    }, reject);
  });
}

async function readBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | null,
  keep: (piece: Uint8Array) => ExchangeEnd | null,
): Promise<ExchangeEnd> {
  const leave = () => {
    reader.cancel(signal?.reason).catch(() => {});
  };
  if (signal?.aborted === true) leave();
  else signal?.addEventListener("abort", leave);
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const end = keep(chunk.value);
    if (end === null) continue;
    reader.cancel().catch(() => {});
    return end;
  }
  // Cancelling ends the reading as a normal end would.
  return signal?.aborted === true ? toFailure(abortion(signal)) : { kind: "complete" };
}

function abortion(signal: AbortSignal): TransportError {
  const reason: unknown = signal.reason;
  return TransportError.is(reason)
    ? reason
    : new TransportError("aborted", "the request was aborted", { cause: reason });
}

function tooLong(limit: string): ExchangeEnd {
  return failed("protocol", `the answer is longer than the limit of ${limit}; reading stopped there`);
}

function failed(phase: TransportPhase, cause: string): ExchangeEnd {
  return { kind: "failed", phase, cause };
}

function toFailure(error: unknown): ExchangeEnd {
  if (TransportError.is(error)) return failed(error.phase, error.message);
  // A handler that breaks its contract, or a request that cannot be built (a header with a line break in it).
  return failed("protocol", error instanceof Error ? error.message : String(error));
}

function join(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
