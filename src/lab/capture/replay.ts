import { type Handler, TransportError } from "../../protocol/handler.ts";
import { bodyBytes } from "./body.ts";
import type { Capture, Exchange } from "./capture.ts";

/** Headers that describe how bytes travelled, not what they are; bodies are stored decoded. */
const travelHeaders: ReadonlySet<string> = new Set([
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

/** Statuses with which a Response may have no body. */
const bodyless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/**
 * A Handler that serves a sample's stored replies again: the first request gets the first subject exchange, and so on; after
 * the last one the last is repeated. Bytes arrive in the pieces in which they came, without waiting in between.
 */
export function replayCapture(capture: Pick<Capture, "exchanges">): Handler {
  const served = capture.exchanges.filter(({ hop }) => hop === "subject");
  let next = 0;
  return async (request) => {
    const exchange = served[Math.min(next, served.length - 1)];
    next += 1;
    if (exchange === undefined) throw new TransportError("protocol", "this capture holds no reply to serve");
    if (request.signal.aborted)
      throw new TransportError("aborted", "the request was aborted", { cause: request.signal.reason });
    return replayExchange(exchange, request.signal);
  };
}

function replayExchange(exchange: Exchange, signal: AbortSignal): Response {
  const { end, status } = exchange;
  if (status === null) throw failure(exchange);
  const bytes = bodyBytes(exchange.body);
  if (status < 200 || status > 599 || (bodyless.has(status) && bytes.length > 0)) {
    throw new TransportError(
      "protocol",
      `a Response cannot hold status ${status}${bytes.length > 0 ? " with this body" : ""}`,
    );
  }
  const headers = Object.entries(exchange.headers).filter(([name]) => !travelHeaders.has(name.toLowerCase()));
  if (bodyless.has(status)) return new Response(null, { status, headers });

  let offset = 0;
  const sizes = exchange.chunks.map(([, size]) => size)[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (signal.aborted) {
        controller.error(new TransportError("aborted", "the request was aborted", { cause: signal.reason }));
        return;
      }
      const size = sizes.next();
      // Redaction may have changed the length; what the chunk list does not cover comes last.
      const piece = bytes.subarray(offset, size.done === true ? bytes.length : offset + size.value);
      offset += piece.length;
      if (piece.length > 0) controller.enqueue(piece);
      if (size.done !== true) {
        if (piece.length === 0) controller.enqueue(new Uint8Array(0));
        return;
      }
      if (end.kind === "failed") controller.error(failure(exchange));
      else controller.close();
    },
  });
  return new Response(body, { status, headers });
}

function failure({ end }: Exchange): TransportError {
  return end.kind === "failed"
    ? new TransportError(end.phase, end.cause)
    : new TransportError("protocol", "the stored exchange has no response head");
}
