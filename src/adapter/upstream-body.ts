import type { ChatMessage, ChatRequest, MessageToolCall } from "../protocol/chat.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import { flatContent, joinContent } from "./history.ts";

/**
 * The request as bytes for the upstream, in the shape that strict chat templates accept: one system message, first; later
 * instructions as user messages; no two user or assistant messages in a row; one call to a message, its result behind it (Llama
 * 3 knows no other way); texts as strings; call ids of nine letters and digits.
 */
export function upstreamBody(request: ChatRequest): string {
  const { tools } = request;
  const body = JSON.stringify({
    ...request,
    messages: strictMessages(oneCallEach(request.messages)),
    // What is undefined is not written. Taken out with `...rest`, the copy would have a hidden class of its own, for ever.
    tools: tools === undefined || tools.length === 0 ? undefined : tools,
  });
  // JSON.stringify escapes lone surrogates and nothing else of that kind; parsers of servers choke on them.
  return body.includes("\\ud") ? withoutLoneSurrogates(body) : body;
}

/** Messages with several calls as several, each with its result; the text stays with the first. */
function oneCallEach(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some((message) => (message.tool_calls?.length ?? 0) > 1)) return messages;
  const taken = new Set<ChatMessage>();
  return messages.flatMap((message, at): readonly ChatMessage[] => {
    if (taken.has(message)) return [];
    const calls = message.tool_calls ?? [];
    if (calls.length < 2) return [message];
    return calls.flatMap((call, index) => {
      const result = messages.slice(at + 1).find((other) => other.role === "tool" && other.tool_call_id === call.id);
      if (result !== undefined) taken.add(result);
      const own = { ...message, content: index === 0 ? (message.content ?? "") : "", tool_calls: [call] };
      return result === undefined ? [own] : [own, result];
    });
  });
}

function strictMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const strict: ChatMessage[] = [];
  const ids = createIdMap();
  let leading = true;
  for (const message of messages) {
    const instruction = message.role === "system" || message.role === "developer";
    leading &&= instruction;
    const role = instruction ? (leading ? "system" : "user") : message.role;
    const last = strict.at(-1);
    const next = strictMessage(message, role, ids);
    if (
      last !== undefined &&
      last.role === role &&
      role !== "tool" &&
      (role !== "assistant" || last.tool_calls === undefined)
    )
      strict[strict.length - 1] = { ...last, ...next, content: flatContent(joinContent(last.content, next.content)) };
    else strict.push(next);
  }
  return strict;
}

function strictMessage(message: ChatMessage, role: string, ids: (id: string) => string): ChatMessage {
  const content = flatContent(message.content);
  if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
    return { ...message, role, content, tool_calls: message.tool_calls.map((call) => strictCall(call, ids)) };
  }
  if (message.tool_call_id !== undefined) return { ...message, role, content, tool_call_id: ids(message.tool_call_id) };
  return role === message.role && content === message.content ? message : { ...message, role, content };
}

/** Arguments that are no JSON object make llama-server fail on the whole history; as a text inside of one they are still told. */
function strictCall(call: MessageToolCall, ids: (id: string) => string): MessageToolCall {
  const { name, arguments: text } = call.function;
  const whole = isJsonObject(parseJson(text))
    ? text
    : text.trim() === ""
      ? "{}"
      : JSON.stringify({ invalid_arguments: text });
  return { ...call, id: ids(call.id), function: whole === text ? call.function : { name, arguments: whole } };
}

/**
 * Mistral's templates take ids of nine letters and digits only, and every other server takes them as well. The same id gives
 * the same word in every turn, so that prefix caches hold.
 */
function createIdMap(): (id: string) => string {
  const known = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    let short = /^[a-zA-Z0-9]{9}$/.test(id) ? id : shortId(id);
    for (let number = 1; used.has(short); number++) short = shortId(`${id}#${number}`);
    known.set(id, short);
    used.add(short);
    return short;
  };
}

/** FNV-1a over two seeds, 9 digits in base 36. */
function shortId(id: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < id.length; at++) {
    low = Math.imul(low ^ id.charCodeAt(at), 0x01000193) >>> 0;
    high = Math.imul(high ^ (id.charCodeAt(at) + at), 0x85ebca6b) >>> 0;
  }
  return `${low.toString(36).padStart(7, "0")}${high.toString(36).padStart(7, "0")}`.slice(0, 9);
}

function withoutLoneSurrogates(body: string): string {
  return JSON.stringify(JSON.parse(body), (_key, value: unknown) =>
    typeof value === "string"
      ? value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD")
      : value,
  );
}
