import type { Handler } from "../../protocol/handler.ts";
import { readReply } from "../../protocol/read-reply.ts";
import type { ChatReply, ReadReply } from "../../protocol/reply.ts";
import type { RawExchange } from "../transport/exchange.ts";
import { send } from "../transport/send.ts";

/** How to reach the server: shared by everything in the target stage that sends. */
export interface Line {
  /** Handler of the bare server; paths start at its root. */
  readonly handler: Handler;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: { now(): number; date(): Date };
  readonly signal?: AbortSignal | undefined;
}

/** Sends a JSON body, or a GET without one, and gives back everything that came. */
export function exchange(line: Line, path: string, body?: unknown): Promise<RawExchange> {
  const posts = body !== undefined;
  return send(
    line.handler,
    {
      method: posts ? "POST" : "GET",
      path,
      headers: {
        accept: "application/json",
        ...(posts ? { "content-type": "application/json" } : {}),
        ...line.headers,
      },
      body: posts ? JSON.stringify(body) : null,
      ...(line.signal === undefined ? {} : { signal: line.signal }),
    },
    line.clock,
  );
}

const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The body as text; bytes that are no UTF-8 show as U+FFFD. */
export function exchangeText(raw: RawExchange): string {
  return lenientUtf8.decode(raw.body);
}

/** Reads the body of an exchange as a chat reply. */
export function exchangeReply(raw: RawExchange): ReadReply {
  return readReply({
    body: exchangeText(raw),
    contentType: raw.headers["content-type"] ?? null,
    status: raw.status,
    streamed: false,
  });
}

/** The first choice of what was read; null where nothing was. */
export function firstChoice(read: ReadReply): ChatReply | null {
  return read.replies.find(({ choice }) => choice === 0) ?? read.replies[0] ?? null;
}
