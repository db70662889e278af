import { z } from "zod";
import { messageSchema, type Tool, toolSchema } from "../../protocol/chat.ts";

/** Whether an answer can be known without the tool. `irrelevant`: nothing to call a tool for. */
export const scenarioClasses = ["memorizable", "near", "unmemorizable", "impossible", "irrelevant"] as const;
export type ScenarioClass = (typeof scenarioClasses)[number];

export const languages = ["ja", "en"] as const;
export type Language = (typeof languages)[number];

/** How a request is dressed: alone, or as an agent's client sends it (long system prompt, many tools, history). */
export const shapes = ["small", "agent"] as const;
export type Shape = (typeof shapes)[number];

/** Contract A asks for a marker in the text, contract B for a native tool call. */
export const contracts = ["marker", "native"] as const;
export type Contract = (typeof contracts)[number];

/**
 * What counts as the right answer: `exact` a literal; `sha256` the first `length` hex digits of the hash of `of`;
 * `digits` the last `last` digits of an integer power; `none` where no value can be right (a picture).
 */
export const oracleSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exact"), value: z.string().min(1) }),
  z.strictObject({ kind: z.literal("sha256"), of: z.string(), length: z.number().int().min(4).max(64) }),
  z.strictObject({ kind: z.literal("none") }),
]);
export type Oracle = z.infer<typeof oracleSchema>;

/** A reply written by hand whose judgement is known; a scenario whose judgement cannot tell these apart is refused. */
export const exampleSchema = z.strictObject({
  text: z.string().optional(),
  call: z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.json()) }).optional(),
});
export type Example = z.infer<typeof exampleSchema>;

/** A scenario as its YAML file holds it. `{{nonce}}` in texts is replaced by a value of the trial. */
export const scenarioSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "use lower-case letters, digits and hyphens"),
  language: z.enum(languages),
  class: z.enum(scenarioClasses),
  /** Scenarios of one pair ask for the same operation, once with a known input and once with a nonce. */
  pair: z.string().optional(),
  /** Persona and other instructions, without any rule about tools. */
  system: z.string(),
  user: z.string(),
  /** Contract A: the rule appended to the system prompt and the marker's name. */
  marker: z.strictObject({ name: z.string().regex(/^[A-Z][A-Z_]*$/), rule: z.string() }),
  /** Contract B: the tools sent; `wanted` is the one that should be called, null where none should. */
  tools: z.array(toolSchema).min(1),
  wanted: z.string().nullable(),
  oracle: oracleSchema,
  /** Tokens a reply may take. */
  maxTokens: z.number().int().positive().default(512),
  temperature: z.number().min(0).max(2).default(0.7),
  examples: z.strictObject({ good: exampleSchema, bad: exampleSchema, nearMiss: exampleSchema }),
});
export type Scenario = z.infer<typeof scenarioSchema>;

/** What dresses a scenario as an agent's request: put around the scenario's own messages and tools. */
export const agentShapeSchema = z.strictObject({
  language: z.enum(languages),
  /** Appended to the scenario's system prompt. */
  system: z.string(),
  /** Tools beside the scenario's own. */
  tools: z.array(toolSchema),
  /** Turns between the system message and the question, with calls and results. */
  history: z.array(messageSchema),
});
export type AgentShape = z.infer<typeof agentShapeSchema>;

/** An arm is the suite's own factor. */
export const armSchema = z.strictObject({
  id: z.string(),
  contract: z.enum(contracts),
  choice: z.enum(["auto", "required", "named", "none"]).optional(),
});
export type Arm = z.infer<typeof armSchema>;

/** A suite as its YAML file holds it: which scenarios meet which arms, streamed or not. */
export const suiteSchema = z.strictObject({
  id: z.string(),
  arms: z.array(armSchema).min(1),
  stream: z.array(z.boolean()).min(1),
  /** Scenarios by id, or all of the classes named. */
  scenarios: z.union([
    z.strictObject({ ids: z.array(z.string()).min(1) }),
    z.strictObject({ classes: z.array(z.enum(scenarioClasses)).min(1) }),
  ]),
  /** Further scenarios that meet some arms only. */
  also: z.array(z.strictObject({ scenario: z.string(), arms: z.array(z.string()).min(1) })).default([]),
});
export type Suite = z.infer<typeof suiteSchema>;

/** How a reply is to be judged, resolved for one sample and stored with its capture. */
export const judges = ["call", "no_call", "any_call"] as const;

/**
 * Everything about a sample that judging needs, so that an old run is judged without today's scenario files.
 * `wanted` null with judge `any_call`: any declared tool will do. `oracle`: strings that a right answer contains.
 */
export interface Expectation {
  readonly tools: readonly Tool[];
  readonly contract: Contract;
  readonly wanted: string | null;
  readonly markerRule: { readonly name: string } | null;
  readonly memorizable: boolean;
  readonly oracle: readonly string[];
  readonly nonce: string | null;
  readonly judge: (typeof judges)[number];
}

/** The factors a sample belongs to. */
export interface SampleFactors {
  readonly suite: string;
  readonly scenario: string;
  readonly shape: Shape;
  readonly language: Language;
  readonly class: ScenarioClass;
  readonly contract: Contract;
  readonly arm: string;
  readonly stream: boolean;
}
