import { z } from "zod";
import type { JsonObject, JsonValue } from "./json.ts";

/** A tool as declared in a request: an OpenAI function tool. `parameters` is a JSON Schema object. */
export interface Tool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters?: JsonObject | undefined;
    readonly strict?: boolean | undefined;
  };
}

/** `tool_choice` as sent: a word, or one named tool. */
export type ToolChoice =
  | "auto"
  | "required"
  | "none"
  | { readonly type: "function"; readonly function: { readonly name: string } };

/** A call inside an assistant message of the history. `arguments` is JSON text. */
export interface MessageToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One message of the conversation. Unknown roles and keys are kept as they came. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly JsonObject[] | undefined;
  readonly tool_calls?: readonly MessageToolCall[] | undefined;
  readonly tool_call_id?: string | undefined;
  readonly name?: string | undefined;
}

/** A Chat Completions request body. Server-specific keys (`return_token_ids`, `num_ctx` …) stand beside the known ones. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly Tool[] | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly max_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly seed?: number | undefined;
  readonly stream?: boolean | undefined;
  readonly [extra: string]: unknown;
}

const json: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
const jsonObject = z.record(z.string(), json) as unknown as z.ZodType<JsonObject>;

/** Reads a tool definition; unknown keys are kept. */
export const toolSchema = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: jsonObject.optional(),
    strict: z.boolean().optional(),
  }),
}) as unknown as z.ZodType<Tool>;

const toolChoiceSchema = z.union([
  z.enum(["auto", "required", "none"]),
  z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }),
]) as unknown as z.ZodType<ToolChoice>;

export const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.null(), z.array(jsonObject)]).optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string(),
        type: z.literal("function"),
        function: z.looseObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
}) as unknown as z.ZodType<ChatMessage>;

/** Reads a chat request tolerantly: only the keys the lab acts on are checked, all others are kept. */
export const chatRequestSchema = z.looseObject({
  model: z.string().optional(),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).optional(),
  tool_choice: toolChoiceSchema.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: z.number().int().positive().optional(),
  temperature: z.number().optional(),
  seed: z.number().int().optional(),
  stream: z.boolean().optional(),
});

/** Text of a message: a string as is, the text parts of a list joined, "" for none. */
export function messageText(message: ChatMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: JsonObject) => (typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/** The word of a tool choice; a named choice is "named", an absent one "auto" where tools are given. */
export type ToolChoiceWord = "auto" | "required" | "none" | "named";
export function toolChoiceWord(choice: ToolChoice | undefined): ToolChoiceWord {
  if (choice === undefined) return "auto";
  return typeof choice === "string" ? choice : "named";
}
