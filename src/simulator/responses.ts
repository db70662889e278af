import { TransportError } from "../protocol/handler.ts";
import { plainResponse } from "../protocol/plain-response.ts";

const encoder = new TextEncoder();

/** A response with a text body and the given headers, whose names are in lower case. */
export function textResponse(text: string, status: number, headers: Record<string, string>): Response {
  return text === "" ? new Response(null, { status, headers }) : plainResponse({ status, headers, body: text });
}

/** A streamed response: each part is handed on when it is asked for, and an abort ends the stream as a lost connection does. */
export function streamResponse(
  parts: Iterable<string>,
  headers: Record<string, string>,
  signal: AbortSignal,
): Response {
  const iterator = parts[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (signal.aborted) {
        controller.error(new TransportError("aborted", "the request was aborted"));
        return;
      }
      const { done, value } = iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { status: 200, headers });
}

/** One server-sent event with JSON data. */
export function sseEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const sseDone = "data: [DONE]\n\n";

/** UTF-8 bytes of a token, as `logprobs` show them. */
export function utf8Bytes(text: string): number[] {
  return [...encoder.encode(text)];
}
