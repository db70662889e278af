import { type Handler, TransportError } from "../handler.ts";
import type { Answer, Ask } from "./probe.ts";

/** Handlers want absolute URLs and look at the path only. */
const origin = "http://server.invalid";

/** Asks questions through a Handler, with these headers on each; keeps nothing. */
export function askThrough(
  handler: Handler,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Ask {
  return async ({ path, body }) => {
    const request = new Request(`${origin}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    try {
      const response = await handler(request);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
        reference: null,
      } satisfies Answer;
    } catch (error) {
      if (TransportError.is(error)) return error;
      return new TransportError("protocol", error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
}

/** Asks each question once: later stages may ask again for what an earlier one has seen. Failures are asked anew. */
export function askOnce(ask: Ask): Ask {
  const known = new Map<string, Answer>();
  return async (question) => {
    const key = JSON.stringify([question.path, question.body ?? null]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = await ask(question);
    if (!TransportError.is(answer)) known.set(key, answer);
    return answer;
  };
}
