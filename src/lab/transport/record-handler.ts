import { type Handler, TransportError } from "../../protocol/handler.ts";
import { abortSignalOf, plainRequest } from "../../protocol/plain-request.ts";
import type { ExchangeEnd, RawExchange } from "./exchange.ts";
import type { Clock } from "./send.ts";

/** A handler with a record of everything that went through it, in the order of sending. */
export interface RecordedHandler {
  readonly handler: Handler;
  /** What was sent and came back so far; an answer that is still being read has the bytes that have come. */
  exchanges(): readonly RawExchange[];
}

/** Puts a recorder before a handler. Bytes, their times and failures pass unchanged. */
export function recordHandler(handler: Handler, clock: Clock): RecordedHandler {
  const records: (() => RawExchange)[] = [];
  return {
    exchanges: () => records.map((record) => record()),
    async handler(request) {
      const startedAt = clock.date().toISOString();
      const start = clock.now();
      const since = (): number => Math.round((clock.now() - start) * 100) / 100;
      const requestBody = request.method === "GET" || request.method === "HEAD" ? null : await request.text();
      const { pathname, search } = new URL(request.url);
      const pieces: Uint8Array[] = [];
      const chunks: [number, number][] = [];
      let [status, headMs, endMs]: (number | null)[] = [null, null, null];
      let headers: Readonly<Record<string, string>> = {};
      let end: ExchangeEnd | null = null;
      const finish = (how: ExchangeEnd): void => {
        if (end !== null) return;
        end = how;
        endMs = since();
      };
      const sentHeaders = Object.fromEntries(request.headers);
      records.push(() => ({
        method: request.method,
        path: `${pathname}${search}`,
        sentHeaders,
        requestBody,
        startedAt,
        status: status ?? null,
        headers,
        body: Buffer.concat(pieces),
        chunks: [...chunks],
        timing: { headMs: headMs ?? null, firstByteMs: chunks[0]?.[0] ?? null, endMs: endMs ?? since() },
        // Whoever read it has seen enough and may never have come to its end.
        end: end ?? { kind: "stopped" },
      }));
      let response: Response;
      try {
        response = await handler(
          plainRequest({
            url: request.url,
            method: request.method,
            headers: request.headers,
            body: requestBody,
            signal: abortSignalOf(request),
          }),
        );
      } catch (error) {
        finish(failureOf(error));
        throw error;
      }
      headMs = since();
      status = response.status;
      headers = Object.fromEntries(response.headers);
      if (response.body === null) {
        finish({ kind: "complete" });
        return response;
      }
      const reader = response.body.getReader();
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (done) {
                finish({ kind: "complete" });
                controller.close();
                return;
              }
              pieces.push(value.slice());
              chunks.push([since(), value.byteLength]);
              controller.enqueue(value);
            } catch (error) {
              finish(failureOf(error));
              controller.error(error);
            }
          },
          async cancel(reason) {
            finish({ kind: "stopped" });
            await reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { status: response.status, headers: response.headers });
    },
  };
}

function failureOf(error: unknown): ExchangeEnd {
  if (TransportError.is(error)) return { kind: "failed", phase: error.phase, cause: error.message };
  return { kind: "failed", phase: "protocol", cause: error instanceof Error ? error.message : String(error) };
}
