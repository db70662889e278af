import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { TransportError } from "../protocol/handler.ts";
import type { PlainFields } from "../protocol/plain-message.ts";
import { plainResponse } from "../protocol/plain-response.ts";
import { addAbortAction, removeAbortAction } from "./abort-actions.ts";
import { type FailurePlace, toTransportError } from "./failure.ts";
import { receivedHeaders } from "./headers.ts";

/** Limits in milliseconds; 0 = none. */
export interface ExchangeLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface OutgoingRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Readable | null;
}

/** Bytes of a response body that wait for the reader before the socket is told to stop. */
const bufferedBytes = 64 * 1024;
const settled = Promise.resolve();
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

type Progress = FailurePlace["progress"];
type BodyController = ReadableStreamDefaultController<Uint8Array>;

/**
 * Sends one request and gives its response as soon as the head is there. Rejects, and fails the body, only with TransportError.
 * The dispatcher is used directly: no stream of another kind lies between the socket and the web stream, and the moment a
 * connection is ready is known, so that waiting for a free connection counts as no time of the server's.
 */
export function startExchange(
  dispatcher: Dispatcher,
  request: OutgoingRequest,
  signal: AbortSignal | null,
  limits: ExchangeLimits,
  place: Omit<FailurePlace, "progress">,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let progress: Progress = "connecting";
    let over: TransportError | true | null = null;
    let connection: Dispatcher.DispatchController | null = null;
    let body: BodyController | null = null;
    let bodiless: Response | null = null;
    /** A head whose body may yet prove to be there already. */
    let head: { readonly init: HeadInit; readonly pieces: Uint8Array<ArrayBuffer>[] } | null = null;
    let paused = false;
    let waiting: NodeJS.Timeout | undefined;
    const { server } = place;
    const total =
      limits.totalMs > 0
        ? setTimeout(
            () =>
              fail(
                new TransportError(
                  "total",
                  `the answer of ${server} was not complete within ${duration(limits.totalMs)}`,
                ),
              ),
            limits.totalMs,
          )
        : undefined;
    const abort = () => fail(aborted(signal));

    function wind(ms: number, phase: "first_byte" | "idle"): void {
      clearTimeout(waiting);
      waiting = undefined;
      if (ms <= 0) return;
      waiting = setTimeout(() => fail(new TransportError(phase, waitMessage(phase, server, ms))), ms);
    }

    function conclude(result: TransportError | true): void {
      over = result;
      clearTimeout(total);
      clearTimeout(waiting);
      if (signal !== null) removeAbortAction(signal, abort);
    }

    function fail(error: TransportError): void {
      if (over !== null) return;
      conclude(error);
      if (head !== null) settleHead();
      if (body === null) reject(error);
      else failBody(body, error);
      connection?.abort(error);
    }

    /** An error empties the queue of a web stream: it waits until what came before it has been read. */
    function failBody(controller: BodyController, error: TransportError): void {
      if (controller.desiredSize === bufferedBytes) controller.error(error);
    }

    function bodyStream(): ReadableStream<Uint8Array> {
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            body = controller;
          },
          pull(controller) {
            if (over instanceof TransportError) failBody(controller, over);
            if (!paused || over !== null) return;
            paused = false;
            wind(limits.idleMs, "idle");
            connection?.resume();
          },
          cancel() {
            if (over !== null) return;
            const error = new TransportError("aborted", "the reader of the answer left");
            conclude(error);
            connection?.abort(error);
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: bufferedBytes }),
      );
    }

    /** The rest of the body is still on its way, or will not come: from here on it streams. */
    function settleHead(): void {
      if (head === null) return;
      const { init, pieces } = head;
      head = null;
      resolve(new Response(bodyStream(), init));
      for (const piece of pieces) (body as BodyController | null)?.enqueue(piece);
      if (pieces.length > 0 && over === null) wind(limits.idleMs, "idle");
    }

    function start(status: number, headers: IncomingHttpHeaders, statusText: string): void {
      const impossible = impossibleHead(status, headers, server);
      if (impossible !== null) {
        fail(new TransportError("protocol", impossible));
        return;
      }
      const init: HeadInit = {
        status,
        statusText: reasonPhrase(statusText),
        headers: receivedHeaders(headers, () => headerLines(headers)),
      };
      if (bodilessStatuses.has(status) || request.method === "HEAD") bodiless = new Response(null, init);
      else {
        // Head and body of a short answer come in one packet, and all of it is read before the next microtask runs.
        head = { init, pieces: [] };
        // `queueMicrotask` would make a resource of its own for asynchronous hooks.
        void settled.then(settleHead);
      }
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        connection = controller;
        if (over !== null) return controller.abort(over === true ? aborted(signal) : over);
        progress = "waiting";
        wind(limits.firstByteMs, "first_byte");
      },
      onResponseStart(_controller, status, headers, statusText) {
        // Informational responses come before the real one.
        if (over !== null || status < 200) return;
        progress = "reading";
        start(status, headers, statusText ?? "");
      },
      onResponseData(controller, chunk) {
        const piece = new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
        if (head !== null) {
          head.pieces.push(piece);
          return;
        }
        if (over !== null || body === null) return;
        body.enqueue(piece);
        if ((body.desiredSize ?? 0) > 0) return wind(limits.idleMs, "idle");
        // A reader that wants no more is not the server's silence.
        paused = true;
        clearTimeout(waiting);
        controller.pause();
      },
      onResponseEnd() {
        if (over !== null) return;
        conclude(true);
        if (head !== null) {
          const { init, pieces } = head;
          const { status, statusText, headers } = init;
          head = null;
          resolve(plainResponse({ status, statusText, headers, body: joined(pieces) }));
          return;
        }
        body?.close();
        if (bodiless !== null) resolve(bodiless);
      },
      onResponseError(_controller, error) {
        fail(toTransportError(error, { ...place, progress }));
      },
    };

    if (signal?.aborted === true) return abort();
    if (signal !== null) addAbortAction(signal, abort);
    try {
      // Written key by key: a copy with more keys has a hidden class of its own, which lives until a full collection.
      const { origin, path, method, headers, body: sent } = request;
      const options = { origin, path, method, headers, body: sent, headersTimeout: 0, bodyTimeout: 0 };
      dispatcher.dispatch(options as Dispatcher.DispatchOptions, handler);
    } catch (error) {
      fail(toTransportError(error, { ...place, progress }));
    }
  });
}

interface HeadInit {
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainFields | Headers;
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : new Uint8Array(Buffer.concat(pieces));
}

/** What a `Response` cannot hold, as a message; null where it can. */
function impossibleHead(status: number, headers: IncomingHttpHeaders, server: string): string | null {
  if (status > 599) return `${server} answered with HTTP status ${status}, which does not exist`;
  if (status !== 204 && status !== 205) return null;
  const announced = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  return announced ? `${server} answered with HTTP status ${status} and a body, which this status cannot have` : null;
}

/** The failure that an abort signal stands for. */
export function aborted(signal: AbortSignal | null): TransportError {
  const reason: unknown = signal?.reason;
  return new TransportError("aborted", "the request was aborted", { cause: reason });
}

function waitMessage(phase: "first_byte" | "idle", server: string, ms: number): string {
  if (phase === "first_byte") return `no answer from ${server} within ${duration(ms)}`;
  return `${server} sent nothing for ${duration(ms)} in the middle of its answer`;
}

/** Milliseconds in words, for messages. */
export function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function* headerLines(received: IncomingHttpHeaders): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(received))
    for (const one of Array.isArray(value) ? value : [value ?? ""]) yield [name, one];
}

/** `Response` takes no control characters in the reason phrase, which nobody reads anyway. */
function reasonPhrase(text: string): string {
  return /^[\t\x20-\x7e]*$/.test(text) ? text : "";
}
