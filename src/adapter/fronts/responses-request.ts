import type { ChatMessage, ChatRequest, MessageToolCall } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { TraceEntry } from "../../protocol/trace.ts";
import { badRequest } from "../failures.ts";
import { flatContent, type HistoryNote, orderHistory } from "../history.ts";
import type { DroppedText } from "../trace.ts";
import { BadRequest, readChoice, toolKeys } from "./chat-request.ts";
import { chatNameOf, declareTools } from "./declared-tools.ts";
import type { FrontReading } from "./front.ts";

/** Keys with a meaning that chat has too, under the name it has there. */
const sameInChat: Readonly<Record<string, string>> = {
  temperature: "temperature",
  top_p: "top_p",
  max_output_tokens: "max_tokens",
  parallel_tool_calls: "parallel_tool_calls",
  seed: "seed",
  presence_penalty: "presence_penalty",
  frequency_penalty: "frequency_penalty",
};

/** Keys that were read, or say nothing to a local server. */
const understood = new Set([
  ...Object.keys(sameInChat),
  ...["model", "input", "instructions", "tools", "tool_choice", "stream", "text", "reasoning", "include"],
  ...["store", "prompt_cache_key", "client_metadata", "stream_options", "metadata", "user", "truncation", "background"],
]);

/** Reads a Responses body: its items become chat messages; what chat has no place for is noted as dropped. */
export function readResponsesRequest(body: JsonObject): FrontReading {
  try {
    return readBody(body);
  } catch (error) {
    if (error instanceof BadRequest) return { kind: "bad", failure: badRequest(error.message) };
    throw error;
  }
}

function readBody(body: JsonObject): FrontReading {
  const previous = body["previous_response_id"];
  if (previous !== undefined && previous !== null)
    throw new BadRequest(
      "previous_response_id: the adapter keeps no responses; send the whole input again (store: false)",
    );
  if (body["background"] === true) throw new BadRequest("background: the adapter answers at once or not at all");
  const dropped: DroppedText[] = [];
  const entries: TraceEntry[] = [];
  const notes: HistoryNote[] = [];
  const items = readItems(body["input"]);
  const given = body["tools"] ?? [];
  if (!Array.isArray(given)) throw new BadRequest("tools must be a list");
  const more = items.flatMap((item) =>
    item["type"] === "additional_tools" && Array.isArray(item["tools"]) ? item["tools"] : [],
  );
  const declared = declareTools([...given, ...more], dropped);
  const messages: ChatMessage[] = [];
  const { instructions } = body;
  if (typeof instructions === "string" && instructions !== "") messages.push({ role: "system", content: instructions });
  for (const [at, item] of items.entries()) messages.push(...readItem(item, at, dropped));
  if (messages.length === 0) throw new BadRequest("input holds no message");
  noteUnforwarded(body, dropped, entries);
  const original = {
    model: typeof body["model"] === "string" ? body["model"] : "",
    messages: orderHistory(messages, notes),
    ...Object.fromEntries(
      Object.entries(sameInChat).flatMap(([key, name]) => {
        const value = body[key];
        return value === undefined || value === null || (key === "parallel_tool_calls" && declared.tools.length === 0)
          ? []
          : [[name, value]];
      }),
    ),
    ...toolKeys(declared.tools, readChoice(body["tool_choice"], declared.tools)),
    ...responseFormat(body["text"]),
    ...(body["stream"] === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  } as ChatRequest;
  return {
    kind: "request",
    original,
    tools: declared.tools,
    dropped,
    entries: [...entries, ...declared.entries, ...notes.map((note): TraceEntry => ({ stage: "front", ...note }))],
  };
}

function readItems(input: JsonValue | undefined): readonly JsonObject[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (!Array.isArray(input)) throw new BadRequest("input is missing: a text or a list of items is needed");
  if (input.length === 0) throw new BadRequest("input is empty: at least one item is needed");
  return input.map((item: JsonValue, at) => {
    if (!isJsonObject(item)) throw new BadRequest(`input[${at}] is no object`);
    return item;
  });
}

const messageRoles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant"]);

function readItem(item: JsonObject, at: number, dropped: DroppedText[]): readonly ChatMessage[] {
  const type = item["type"] ?? (item["role"] === undefined ? null : "message");
  switch (type) {
    case "message":
      return [readMessage(item, at, dropped)];
    case "function_call":
      return [callMessage(item, textOf(item["arguments"]))];
    case "custom_tool_call":
      return [callMessage(item, JSON.stringify({ input: textOf(item["input"]) }))];
    case "function_call_output":
    case "custom_tool_call_output":
      return [
        { role: "tool", tool_call_id: String(item["call_id"] ?? ""), content: readOutput(item["output"], dropped) },
      ];
    case "compaction_trigger":
      throw new BadRequest(
        'remote compaction is not offered: give the provider in the client\'s configuration any display name but "OpenAI"',
      );
    case "additional_tools":
      return [];
    default:
      // Reasoning, web_search_call and whatever comes next: no chat template has a place for them.
      dropped.push({
        stage: "front",
        reason: `an item of type ${JSON.stringify(type)} has no place in a chat history`,
        text: JSON.stringify(item),
      });
      return [];
  }
}

function readMessage(item: JsonObject, at: number, dropped: DroppedText[]): ChatMessage {
  const { role, content } = item;
  if (typeof role !== "string" || !messageRoles.has(role))
    throw new BadRequest(
      `input[${at}].role is ${JSON.stringify(role ?? null)}; it must be one of ${[...messageRoles].join(", ")}`,
    );
  return { role, content: readParts(content, dropped, at) };
}

/** Content parts of the Responses API as those of chat; a list of texts alone becomes one text. */
function readParts(content: JsonValue | undefined, dropped: DroppedText[], at: number | null): ChatMessage["content"] {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new BadRequest(`input[${at ?? "?"}].content must be a text or a list of parts`);
  const parts = content.flatMap((part: JsonValue): readonly JsonObject[] => {
    if (!isJsonObject(part)) return [];
    if (typeof part["text"] === "string") return [{ type: "text", text: part["text"] }];
    if (typeof part["refusal"] === "string") return [{ type: "text", text: part["refusal"] }];
    if (part["type"] === "input_image" && typeof part["image_url"] === "string") {
      const detail = typeof part["detail"] === "string" ? { detail: part["detail"] } : {};
      return [{ type: "image_url", image_url: { url: part["image_url"], ...detail } }];
    }
    dropped.push({
      stage: "front",
      reason: `a part of type ${JSON.stringify(part["type"] ?? null)} cannot be sent on`,
      text: JSON.stringify(part),
    });
    return [];
  });
  return flatContent(parts);
}

function readOutput(output: JsonValue | undefined, dropped: DroppedText[]): ChatMessage["content"] {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return readParts(output, dropped, null);
  // Older clients wrapped the text and a success flag.
  if (isJsonObject(output) && typeof output["content"] === "string") return output["content"];
  return output === undefined || output === null ? "" : JSON.stringify(output);
}

function callMessage(item: JsonObject, argumentsText: string): ChatMessage {
  const name = chatNameOf(textOf(item["name"]), typeof item["namespace"] === "string" ? item["namespace"] : null);
  const call: MessageToolCall = {
    id: textOf(item["call_id"]) || textOf(item["id"]),
    type: "function",
    function: { name, arguments: argumentsText },
  };
  return { role: "assistant", content: null, tool_calls: [call] };
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function responseFormat(text: JsonValue | undefined): { response_format?: JsonObject } {
  const format = isJsonObject(text) ? text["format"] : undefined;
  if (!isJsonObject(format)) return {};
  if (format["type"] === "json_object") return { response_format: { type: "json_object" } };
  if (format["type"] !== "json_schema") return {};
  const { type: _type, ...schema } = format;
  return { response_format: { type: "json_schema", json_schema: schema } };
}

function noteUnforwarded(body: JsonObject, dropped: DroppedText[], entries: TraceEntry[]): void {
  if (body["store"] === true)
    entries.push({ stage: "front", decision: "not_stored", reason: "the adapter keeps no responses" });
  const reasoning = body["reasoning"];
  if (isJsonObject(reasoning) && typeof reasoning["effort"] === "string")
    dropped.push({
      stage: "front",
      reason: "servers refuse efforts that they do not know",
      text: `reasoning.effort ${reasoning["effort"]}`,
    });
  for (const key of Object.keys(body))
    if (!understood.has(key) && body[key] !== null)
      dropped.push({
        stage: "front",
        reason: `the key ${key} has no meaning in chat`,
        text: JSON.stringify(body[key]),
      });
}
