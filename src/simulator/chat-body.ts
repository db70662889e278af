import type { ChatMessage, Tool, ToolChoiceWord } from "../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json.ts";

/** A chat request as far as a simulated server acts on it; what is wrong with it is for each server to say. */
export interface ChatBody {
  readonly fields: JsonObject;
  readonly model: string | null;
  /** Null where `messages` is absent or no list. */
  readonly messages: readonly ChatMessage[] | null;
  readonly tools: readonly Tool[];
  readonly toolChoice: JsonValue | undefined;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly seed: string | null;
  readonly logprobs: boolean;
}

/** Reads a chat request's body; messages that are no objects are left out. */
export function readChatBody(fields: JsonObject): ChatBody {
  const { messages, tools } = fields as { messages?: JsonValue; tools?: JsonValue };
  const streamOptions = fields["stream_options"];
  return {
    fields,
    model: typeof fields["model"] === "string" ? fields["model"] : null,
    messages: Array.isArray(messages) ? (messages.filter(isJsonObject) as unknown as ChatMessage[]) : null,
    tools: Array.isArray(tools) ? (tools.filter(isFunctionTool) as unknown as Tool[]) : [],
    toolChoice: fields["tool_choice"] ?? undefined,
    stream: fields["stream"] === true,
    includeUsage: isJsonObject(streamOptions) && streamOptions["include_usage"] === true,
    seed: seedOf(fields["seed"]),
    logprobs: fields["logprobs"] === true,
  };
}

export function seedOf(value: JsonValue | undefined): string | null {
  return typeof value === "number" || typeof value === "string" ? String(value) : null;
}

/** The first of the keys that holds a positive number, as a budget; null where none does. */
export function budgetOf(fields: JsonObject, keys: readonly string[]): number | null {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "number" && value > 0) return Math.floor(value);
  }
  return null;
}

/** The name in a named tool_choice; null where it names none. */
export function namedToolOf(choice: JsonValue | undefined): string | null {
  if (!isJsonObject(choice) || !isJsonObject(choice["function"])) return null;
  const name = choice["function"]["name"];
  return typeof name === "string" ? name : null;
}

/** The word of a tool_choice that this server knows; null for anything else. */
export function choiceWordOf(choice: JsonValue | undefined): ToolChoiceWord | null {
  if (choice === undefined) return "auto";
  if (choice === "auto" || choice === "required" || choice === "none") return choice;
  return namedToolOf(choice) === null ? null : "named";
}

function isFunctionTool(value: JsonValue): boolean {
  return isJsonObject(value) && isJsonObject(value["function"]) && typeof value["function"]["name"] === "string";
}
