import { z } from "zod";
import { toolCallFormats } from "../protocol/formats/index.ts";
import type { JsonObject, JsonValue } from "../protocol/json.ts";
import { simulatedKinds } from "./matrices/find-set-up.ts";

const formatNames = toolCallFormats.map((format) => format.name) as [string, ...string[]];
const jsonObject = z.record(z.string(), z.json());

const formatSchema = z.enum(formatNames).describe("Text format in which the model writes tool calls.");

const callSchema = z
  .strictObject({
    tool: z
      .string()
      .min(1)
      .describe('Name of the tool; "*" = the tool that the request names, else the first one that it declares.'),
    arguments: z
      .union([jsonObject, z.literal("auto")])
      .optional()
      .describe(
        "Arguments as an object; \"auto\" or absent = what the tool's schema requires, strings filled from the user's text.",
      ),
    format: formatSchema.optional().describe("Written in another format than the model's own."),
  })
  .describe("A tool call that the model writes.");

const cardSchema = z
  .strictObject({
    n: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Copies of this card in the deck, or its weight; 1 by default."),
    text: z.string().optional().describe("Plain text."),
    reasoning: z.string().optional().describe("Text inside <think>…</think> before everything else."),
    before: z.string().optional().describe("Text before the call or marker."),
    call: callSchema.optional(),
    calls: z.array(callSchema).min(1).optional().describe("Several calls in one reply."),
    marker: z
      .string()
      .min(1)
      .optional()
      .describe(
        '"NAME: task" is written as {{NAME: task}}. NAME "*" = the marker that the system prompt asks for (no marker is written where it asks for none); "*" alone also takes the task from the user\'s text.',
      ),
    after: z.string().optional().describe("Text behind the call or marker."),
    unseen: z
      .string()
      .optional()
      .describe(
        "The reply where a {{seen:PATTERN}} finds nothing. {{seen:PATTERN}} in texts and arguments is the last match of the pattern (its first group, where it has one) in the prompt as the chat template rendered it: a model can only know what stands there.",
      ),
    finish: z.string().min(1).optional().describe("finish_reason in place of the server's own."),
    error: z
      .union([
        z.string().min(1),
        z.strictObject({ status: z.number().int().min(400).max(599).optional(), message: z.string().min(1) }),
      ])
      .optional()
      .describe(
        "The server fails with this message (status 500 by default); in a stream after the card's text, where it has some.",
      ),
  })
  .describe("One reply of the model.");

const patternSchema = z.string().describe("A regular expression; a leading (?i) ignores case.");

const whenSchema = z.strictObject({
  user: patternSchema.optional().describe("Matches the last user message."),
  system: patternSchema.optional().describe("Matches the system messages."),
  prompt: patternSchema.optional().describe("Matches the prompt as the chat template rendered it."),
  choice: patternSchema
    .optional()
    .describe("Matches the word of tool_choice: auto, required, none or named; auto where none is sent."),
  tools: z
    .union([z.boolean(), patternSchema])
    .optional()
    .describe("Whether the request declares tools; a pattern matches one of their names."),
  stream: z.boolean().optional().describe("Whether the reply is streamed."),
  last: z.enum(["user", "tool"]).optional().describe("Role of the last message: a question, or the result of a call."),
});

const ruleSchema = z.strictObject({
  when: whenSchema.optional().describe("All that is given must hold; absent = any request."),
  draw: z
    .enum(["deck", "independent"])
    .optional()
    .describe(
      "deck: without replacement, reshuffled when empty, one deck per tool_choice and per streamed or not; independent (default): each card with its weight. A deck whose rule has no `user` pattern is also drawn from by a client's own checks.",
    ),
  cards: z.array(cardSchema).min(1),
});

const modelSchema = z.strictObject({
  format: formatSchema,
  template: z
    .string()
    .optional()
    .describe("Another template than the server's, for this model (ollama, llama-server)."),
  rules: z.array(ruleSchema).optional().describe("The first rule that matches is drawn from."),
  forced: callSchema
    .optional()
    .describe("What a grammar makes of a card without a call; absent = the least call that the tool's schema allows."),
  default: cardSchema.optional().describe("The reply where no rule matches; absent = a short plain text."),
});

/** A profile as a user writes it in YAML: one server and the models on it. Wrong keys are errors. */
export const profileSchema = z
  .strictObject({
    description: z.string().optional(),
    server: z.strictObject({
      kind: z.enum(simulatedKinds),
      version: z.union([z.string(), z.number()]).optional(),
      parser: z
        .string()
        .nullable()
        .optional()
        .describe("vllm: --tool-call-parser hermes, qwen3_coder or llama3_json; null or none = started without it."),
      reasoningParser: z.string().nullable().optional().describe("vllm: --reasoning-parser qwen3, with parser hermes."),
      template: z
        .string()
        .optional()
        .describe(
          "ollama: hermes, hermesfunction, exclusive, notools, qwen3-coder, parseronly, qwen3.5 or native; llama-server: hermes, hermes-think, qwen3coder, llama3, mistral or plain.",
        ),
      contextLength: z.number().int().min(16).optional().describe("Tokens; a token is one code point here."),
      chunk: z
        .union([z.number().int().min(1).max(100_000), z.literal("random")])
        .optional()
        .describe("Characters in one piece of a stream, or random."),
    }),
    models: z
      .record(z.string().min(1), modelSchema)
      .refine((models) => Object.keys(models).length > 0, "needs at least one model"),
  })
  .meta({ title: "harness-lab simulator profile" });

export type SimulatorProfile = z.infer<typeof profileSchema>;
export type ProfileModel = z.infer<typeof modelSchema>;
export type ProfileRule = z.infer<typeof ruleSchema>;
export type ProfileCard = z.infer<typeof cardSchema>;
export type ProfileCall = z.infer<typeof callSchema>;

/** JSON Schema of a profile file, with the descriptions of all keys. */
export function profileJsonSchema(): JsonObject {
  return z.toJSONSchema(profileSchema, { io: "input" }) as unknown as JsonObject;
}

/** Compiles a pattern of a profile; a text that says what is wrong with it where it is no regular expression. */
export function compilePattern(pattern: string): RegExp | string {
  const ignoresCase = pattern.startsWith("(?i)");
  try {
    return new RegExp(ignoresCase ? pattern.slice(4) : pattern, ignoresCase ? "iu" : "u");
  } catch (error) {
    return error instanceof Error ? error.message : "not a regular expression";
  }
}

/** The calls of a card, one or several. */
export function cardCalls(card: ProfileCard): readonly ProfileCall[] {
  return card.calls ?? (card.call === undefined ? [] : [card.call]);
}

/** Arguments of a profile call as JSON; null where they come from the tool's schema. */
export function writtenArguments(call: ProfileCall): JsonObject | null {
  return call.arguments === undefined || call.arguments === "auto"
    ? null
    : (call.arguments as Record<string, JsonValue>);
}
