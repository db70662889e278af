import { type ChatMessage, messageText } from "../../protocol/chat.ts";
import { callKey } from "../../protocol/hand-on.ts";
import { type JsonValue, parseJson } from "../../protocol/json.ts";

/** Lines of a client's framing that differ from run to run and say nothing of what the command gave. */
const framing = /^(?:Chunk ID|Wall time|Process Group PGID|Original token count):.*$/gm;
/** The client's own word that a program is still at work: asking again is then the way to wait for it. */
const stillRunning = /^Process running with session ID /m;

/** Name and arguments as one text, equal for equal calls however they are written. */
export function keyOf(name: string, argumentsText: string): string {
  return callKey({ name, arguments: (parseJson(argumentsText) ?? argumentsText) as JsonValue });
}

/**
 * How often each call has been made since the last user message with the same result as the time before; polls of a running
 * program are not counted.
 */
export function repeatsInTurn(messages: readonly ChatMessage[]): ReadonlyMap<string, number> {
  const start = messages.findLastIndex((message) => message.role === "user") + 1;
  const repeats = new Map<string, { count: number; result: string }>();
  const keys = new Map<string, string>();
  for (const message of messages.slice(start)) {
    for (const call of message.tool_calls ?? []) keys.set(call.id, keyOf(call.function.name, call.function.arguments));
    const key = message.role === "tool" ? keys.get(message.tool_call_id ?? "") : undefined;
    if (key === undefined) continue;
    const text = messageText(message);
    const result = text.replace(framing, "").trim();
    const before = repeats.get(key);
    if (stillRunning.test(text) || (before !== undefined && before.result !== result)) repeats.delete(key);
    else repeats.set(key, { count: (before?.count ?? 0) + 1, result });
  }
  return new Map([...repeats].map(([key, { count }]) => [key, count]));
}
