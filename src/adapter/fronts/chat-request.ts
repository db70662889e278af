import type { ChatMessage, ChatRequest, MessageToolCall, Tool, ToolChoice } from "../../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json.ts";
import type { TraceEntry } from "../../protocol/trace.ts";
import { badRequest } from "../failures.ts";
import { type HistoryNote, orderHistory } from "../history.ts";
import type { DroppedText } from "../trace.ts";
import type { DeclaredTool } from "../turn.ts";
import { declareTools, type ToolReading } from "./declared-tools.ts";
import type { FrontReading } from "./front.ts";

/** A request that cannot be served, with the words for its sender. */
export class BadRequest extends Error {}

const roles: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool"]);

/** Keys that are the adapter's own business, or of other services, and would make a strict server refuse the request. */
const notForwarded = new Set([
  "messages",
  "tools",
  "tool_choice",
  "store",
  "metadata",
  "n",
  "functions",
  "function_call",
  "service_tier",
  "prediction",
  "prompt_cache_key",
  "safety_identifier",
  "user",
]);

/** Reads a Chat Completions body. */
export function readChatRequest(body: JsonObject): FrontReading {
  try {
    return readBody(body);
  } catch (error) {
    if (error instanceof BadRequest) return { kind: "bad", failure: badRequest(error.message) };
    throw error;
  }
}

function readBody(body: JsonObject): FrontReading {
  const { messages, n } = body;
  if (!Array.isArray(messages)) throw new BadRequest("messages is missing: a list of messages is needed");
  if (messages.length === 0) throw new BadRequest("messages is empty: at least one message is needed");
  if (n !== undefined && n !== null && n !== 1)
    throw new BadRequest(`n is ${JSON.stringify(n)}: one answer at a time is all there is`);
  const notes: HistoryNote[] = [];
  const read = messages.map((message: JsonValue, at) => readMessage(message, at));
  const given = body["tools"] ?? legacyFunctions(body["functions"]);
  const dropped: DroppedText[] = [];
  const { tools, entries } = readTools(given, dropped);
  for (const key of notForwarded) {
    const value = body[key];
    if (value !== undefined && value !== null && !["messages", "tools", "tool_choice", "functions", "n"].includes(key))
      dropped.push({ stage: "front", reason: `${key} means nothing to a local server`, text: JSON.stringify(value) });
  }
  // Written key by key: a copy of an object made of entries would have a hidden class of its own.
  const original: Record<string, unknown> = {};
  for (const key of Object.keys(body)) if (!notForwarded.has(key)) copyKey(original, key, body[key]);
  original["model"] = typeof body["model"] === "string" ? body["model"] : "";
  original["messages"] = orderHistory(read, notes);
  Object.assign(original, toolKeys(tools, readChoice(body["tool_choice"] ?? body["function_call"], tools)));
  return {
    kind: "request",
    original: original as unknown as ChatRequest,
    tools,
    dropped,
    entries: [...entries, ...notes.map((note): TraceEntry => ({ stage: "front", ...note }))],
  };
}

/** Also a key named __proto__, which an assignment would take for something else. */
function copyKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

/** The keys that declare tools; none where there are none, or where the choice forbids them all. */
export function toolKeys(
  tools: readonly DeclaredTool[],
  choice: ToolChoice | undefined,
): { tools?: readonly Tool[]; tool_choice?: ToolChoice } {
  if (tools.length === 0) return {};
  return { tools: tools.map(({ tool }) => tool), ...(choice === undefined ? {} : { tool_choice: choice }) };
}

function readMessage(given: JsonValue, at: number): ChatMessage {
  const place = `messages[${at}]`;
  if (!isJsonObject(given)) throw new BadRequest(`${place} is no object`);
  const { role, content } = given;
  if (typeof role !== "string" || !roles.has(role))
    throw new BadRequest(
      `${place}.role is ${JSON.stringify(role ?? null)}; it must be one of ${[...roles].join(", ")}`,
    );
  if (content !== undefined && content !== null && typeof content !== "string" && !isPartList(content))
    throw new BadRequest(`${place}.content must be a text or a list of parts`);
  const calls = given["tool_calls"];
  return {
    ...given,
    role,
    content: (content ?? (role === "assistant" ? null : "")) as ChatMessage["content"],
    ...(Array.isArray(calls) && calls.length > 0
      ? { tool_calls: calls.map((call: JsonValue, index) => readCall(call, `${place}.tool_calls[${index}]`)) }
      : {}),
    ...(role === "tool" ? { tool_call_id: String(given["tool_call_id"] ?? "") } : {}),
  } as ChatMessage;
}

function isPartList(content: JsonValue): boolean {
  return Array.isArray(content) && content.every((part: JsonValue) => isJsonObject(part));
}

function readCall(given: JsonValue, place: string): MessageToolCall {
  const body = isJsonObject(given) ? given["function"] : undefined;
  const custom = isJsonObject(given) ? given["custom"] : undefined;
  const id = isJsonObject(given) && typeof given["id"] === "string" ? given["id"] : "";
  if (isJsonObject(custom) && typeof custom["name"] === "string") {
    const input = JSON.stringify({ input: custom["input"] ?? "" });
    return { id, type: "function", function: { name: custom["name"], arguments: input } };
  }
  if (!isJsonObject(body) || typeof body["name"] !== "string") throw new BadRequest(`${place} names no function`);
  const given_ = body["arguments"];
  const text = typeof given_ === "string" ? given_ : JSON.stringify(given_ ?? {});
  return { id, type: "function", function: { name: body["name"], arguments: text } };
}

function legacyFunctions(given: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(given) ? given.map((item: JsonValue) => ({ type: "function", function: item })) : undefined;
}

function readTools(given: JsonValue | undefined, dropped: DroppedText[]): ToolReading {
  if (given === undefined || given === null) return { tools: [], entries: [] };
  if (!Array.isArray(given)) throw new BadRequest("tools must be a list");
  return declareTools(given, dropped);
}

/** Reads a tool choice in either API's shape. @throws BadRequest where it names a tool that is not declared */
export function readChoice(given: JsonValue | undefined, tools: readonly DeclaredTool[]): ToolChoice | undefined {
  if (given === undefined || given === null) return undefined;
  if (given === "auto" || given === "none" || given === "required") return given;
  if (given === "any") return "required";
  if (!isJsonObject(given)) throw new BadRequest(`tool_choice ${JSON.stringify(given)} is not known`);
  const inner = given["function"] ?? given["custom"] ?? given;
  const name = isJsonObject(inner) ? inner["name"] : undefined;
  if (typeof name !== "string") {
    const mode = given["mode"] ?? (isJsonObject(given["allowed_tools"]) ? given["allowed_tools"]["mode"] : undefined);
    return mode === "required" ? "required" : "auto";
  }
  const tool = tools.find((declared) => declared.clientName === name || declared.name === name);
  if (tool === undefined)
    throw new BadRequest(
      `tool_choice names ${JSON.stringify(name)}, which is not among the tools (${
        tools
          .map((declared) => declared.name)
          .slice(0, 20)
          .join(", ") || "none"
      })`,
    );
  return { type: "function", function: { name: tool.name } };
}
