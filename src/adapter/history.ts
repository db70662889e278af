import type { ChatMessage, MessageToolCall } from "../protocol/chat.ts";
import type { JsonObject } from "../protocol/json.ts";

/** Text of the result of a call that the client never answered. */
const unanswered = "[no result: the call was not carried out]";

/** What had to be set right in a history, for the trace. */
export interface HistoryNote {
  readonly decision: string;
  readonly reason: string;
}

/**
 * Puts a history in the order that strict templates and servers want: each result directly behind the message with its
 * call, ids unique, no call without a result, no result without a call. Texts that stood between move in front of the call.
 */
export function orderHistory(messages: readonly ChatMessage[], notes: HistoryNote[]): readonly ChatMessage[] {
  if (!messages.some((message) => message.role === "tool" || message.tool_calls !== undefined)) return messages;
  const joined = joinAssistants(messages);
  const used = new Set<string>();
  const taken = new Set<ChatMessage>();
  const ordered: ChatMessage[] = [];
  for (const [at, message] of joined.entries()) {
    if (taken.has(message)) continue;
    if (message.role === "tool") {
      notes.push({
        decision: "orphan_result",
        reason: `no call has the id ${JSON.stringify(message.tool_call_id ?? "")}`,
      });
      ordered.push({ role: "user", content: message.content ?? "" });
      continue;
    }
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) {
      ordered.push(message);
      continue;
    }
    const results: ChatMessage[] = [];
    const renamed: MessageToolCall[] = [];
    for (const call of calls) {
      const id = unused(call.id, used);
      if (id !== call.id)
        notes.push({ decision: "id_made_unique", reason: `${JSON.stringify(call.id)} came more than once` });
      renamed.push(id === call.id ? call : { ...call, id });
      const result = resultOf(call.id, joined, at, taken);
      if (result === undefined)
        notes.push({ decision: "result_missing", reason: `call ${JSON.stringify(call.id)} has no result` });
      else taken.add(result);
      results.push({ ...(result ?? { role: "tool", content: unanswered }), tool_call_id: id });
    }
    ordered.push({ ...message, tool_calls: renamed }, ...results);
  }
  return ordered;
}

/** The nearest result of that id behind the call; one that stands in front of it answers another call. */
function resultOf(
  id: string,
  messages: readonly ChatMessage[],
  from: number,
  taken: ReadonlySet<ChatMessage>,
): ChatMessage | undefined {
  for (let at = from + 1; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === "tool" && message.tool_call_id === id && !taken.has(message)) return message;
  }
  return undefined;
}

function unused(id: string, used: Set<string>): string {
  let free = id === "" ? "call" : id;
  for (let number = 2; used.has(free); number++) free = `${id}_${number}`;
  used.add(free);
  return free;
}

/** Neighbouring assistant messages, and those with nothing but results still to come between them, are one message. */
function joinAssistants(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") joined[joined.length - 1] = joinTwo(last, message);
    else joined.push(message);
  }
  return joined;
}

function joinTwo(first: ChatMessage, second: ChatMessage): ChatMessage {
  const calls = [...(first.tool_calls ?? []), ...(second.tool_calls ?? [])];
  const content = joinContent(first.content, second.content);
  return { ...first, ...second, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

type Content = ChatMessage["content"];

/** Two contents as one: texts with a blank line between them, part lists where one of them holds more than text. */
export function joinContent(first: Content, second: Content): Content {
  if (isEmpty(first)) return second ?? "";
  if (isEmpty(second)) return first;
  const left = flatContent(first);
  const right = flatContent(second);
  if (typeof left === "string" && typeof right === "string") return `${left}\n\n${right}`;
  return [...asParts(left), ...asParts(right)];
}

function isEmpty(content: Content): boolean {
  return content === undefined || content === null || content.length === 0;
}

function asParts(content: string | readonly JsonObject[]): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Content as a string where it is text alone: some templates and servers cannot read a list. */
export function flatContent(content: Content): string | readonly JsonObject[] {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content.every((part) => typeof part["text"] === "string")
    ? content.map((part) => String(part["text"])).join("\n\n")
    : content;
}
