import { z } from "zod";
import { messageSchema, type Tool, toolSchema } from "../../protocol/chat.ts";
import type { Probe } from "./probe.ts";
import { isNumberPlaceholder, placeholderProblems, placeholders } from "./template.ts";

/** Whether an answer can be known without the tool. `irrelevant`: nothing to call a tool for. */
export const scenarioClasses = ["memorizable", "near", "unmemorizable", "impossible", "irrelevant"] as const;
export type ScenarioClass = (typeof scenarioClasses)[number];

export const languages = ["ja", "en"] as const;
/** Suites of conversations also ask in languages that have no scenarios of single replies. */
export const spokenLanguages = [...languages, "zh"] as const;
export type Language = (typeof spokenLanguages)[number];

/** How a request is dressed: alone, or as an agent's client sends it (long system prompt, many tools, history). */
export const shapes = ["small", "agent"] as const;
export type Shape = (typeof shapes)[number];

/** Contract A asks for a marker in the text, contract B for a native tool call. */
export const contracts = ["marker", "native"] as const;
export type Contract = (typeof contracts)[number];

/**
 * A whole number of an oracle: literal, or a `{{number:LOW-HIGH}}` placeholder of the question. Bounded, because the oracle
 * is computed for every trial.
 */
const boundedInteger = (max: number) =>
  z.union([
    z.number().int().nonnegative().max(max),
    z
      .string()
      .refine(
        (text) => isNumberPlaceholder(text, max),
        `must be a whole number up to ${max} or a placeholder {{number:LOW-HIGH}} within it`,
      ),
  ]);

const hashOracle = { of: z.string(), length: z.number().int().min(4) };

/**
 * What counts as the right answer; all but `exact` are computed from the (filled-in) template. `exact`: a literal.
 * `sha256`, `md5`: the first `length` hex digits of the hash of `of` as UTF-8. `prime_sum`: sum of the primes p with
 * from <= p <= to. `power`: all digits of base to the exponent. `factorial_digit_sum`: sum of the decimal digits of `of`!.
 * `largest_prime_factor`: of an integer of at least 2. `none`: no value can be right (a picture, a greeting).
 */
export const oracleSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exact"), value: z.string().min(1) }),
  z.strictObject({ kind: z.literal("sha256"), ...hashOracle, length: hashOracle.length.max(64) }),
  z.strictObject({ kind: z.literal("md5"), ...hashOracle, length: hashOracle.length.max(32) }),
  z.strictObject({ kind: z.literal("prime_sum"), from: boundedInteger(1_000_000), to: boundedInteger(1_000_000) }),
  z.strictObject({ kind: z.literal("power"), base: boundedInteger(1_000_000), exponent: boundedInteger(1_000) }),
  z.strictObject({ kind: z.literal("factorial_digit_sum"), of: boundedInteger(10_000) }),
  z.strictObject({ kind: z.literal("largest_prime_factor"), of: boundedInteger(10_000_000_000_000) }),
  z.strictObject({ kind: z.literal("none") }),
]);
export type Oracle = z.infer<typeof oracleSchema>;

/** A reply written by hand whose judgement is known; a scenario whose judgement cannot tell these apart is refused. */
export const exampleSchema = z.strictObject({
  text: z.string().optional(),
  call: z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.json()) }).optional(),
});
export type Example = z.infer<typeof exampleSchema>;

const idSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, "use lower-case letters, digits, hyphens and underscores");

/**
 * A scenario as its YAML file holds it. In `system`, `user` and the oracle, `{{nonce}}` is replaced by a made-up word of the
 * trial and `{{number:LOW-HIGH}}` by a whole number of the trial; equal placeholders get equal values within a trial.
 */
const scenarioFields = z.strictObject({
  id: idSchema,
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

export const scenarioSchema = scenarioFields.superRefine((scenario, context) => {
  const problem = (path: readonly string[], message: string) =>
    context.addIssue({ code: "custom", path: [...path], message });

  const names = scenario.tools.map((tool) => tool.function.name);
  if (scenario.wanted !== null && !names.includes(scenario.wanted)) {
    problem(
      ["wanted"],
      `names a tool that "tools" does not declare: ${scenario.wanted} (declared: ${names.join(", ")})`,
    );
  }
  if ((scenario.class === "irrelevant") !== (scenario.wanted === null)) {
    problem(["wanted"], "must be null where the class is irrelevant, and only there");
  }
  if (scenario.class === "irrelevant" && scenario.oracle.kind !== "none") {
    problem(["oracle"], "must be of kind none where the class is irrelevant: nothing is asked for");
  }
  for (const field of ["system", "user"] as const) {
    for (const text of placeholderProblems(scenario[field])) problem([field], text);
  }
  const asked = placeholders(scenario.system + scenario.user);
  if (scenario.class === "memorizable" && asked.length > 0) {
    problem(["user"], `asks for ${asked[0]}, so its answer cannot be memorizable`);
  }
  for (const [key, value] of Object.entries(scenario.oracle)) {
    for (const text of placeholderProblems(String(value))) problem(["oracle", key], text);
    const missing = placeholders(String(value)).find((placeholder) => !asked.includes(placeholder));
    if (missing !== undefined) problem(["oracle", key], `uses ${missing}, which the question does not contain`);
  }
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
  id: idSchema,
  contract: z.enum(contracts),
  /** Native arms: the tool_choice sent. Marker arms send no tools and therefore no choice. */
  choice: z.enum(["auto", "required", "named", "none"]).optional(),
});
export type Arm = z.infer<typeof armSchema>;

/** A suite as its YAML file holds it: which scenarios meet which arms, streamed or not. */
export const suiteSchema = z
  .strictObject({
    id: idSchema,
    arms: z.array(armSchema).min(1),
    stream: z.array(z.boolean()).min(1),
    /** Scenarios by id, or all of the classes named. */
    scenarios: z.union([
      z.strictObject({ ids: z.array(z.string()).min(1) }),
      z.strictObject({ classes: z.array(z.enum(scenarioClasses)).min(1) }),
    ]),
    /** Scenarios by id that stand in where none of `scenarios` is in a language asked for. */
    fallback: z.array(z.string()).default([]),
    /** Further scenarios that meet the arms named only. Each joins where the suite's own scenarios of its language do. */
    also: z.array(z.strictObject({ scenario: z.string(), arms: z.array(z.string()).min(1) })).default([]),
  })
  .superRefine((suite, context) => {
    const problem = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    const ids = suite.arms.map((arm) => arm.id);
    suite.arms.forEach((arm, index) => {
      if (ids.indexOf(arm.id) !== index) problem(["arms", index, "id"], `names the arm ${arm.id} a second time`);
      if (arm.contract === "native" && arm.choice === undefined) {
        problem(["arms", index], "needs a choice, being native: auto, required, named or none");
      }
      if (arm.contract === "marker" && arm.choice !== undefined) {
        problem(["arms", index, "choice"], "cannot stand in a marker arm, which sends no tools");
      }
    });
    suite.also.forEach((extra, index) => {
      const unknown = extra.arms.find((arm) => !ids.includes(arm));
      if (unknown !== undefined) {
        problem(["also", index, "arms"], `names an arm that the suite does not have: ${unknown} (${ids.join(", ")})`);
      }
    });
  });
export type Suite = z.infer<typeof suiteSchema>;

/** How a reply is to be judged, resolved for one sample and stored with its capture. */
export const judges = ["call", "no_call", "any_call"] as const;

/**
 * Everything about a sample that judging needs, so that an old run is judged without today's scenario files.
 * `tools`: the tools that the request declared (none in the marker arms). `wanted` null with judge `any_call`: any declared
 * tool will do. `oracle`: ways to write the right value, any one of which a right answer contains; none that the question
 * itself contains. `judge` follows the scenario, not the arm: a call of a scenario that wants one is judged `call` under
 * tool_choice none as well.
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
  /** How a conversation of several replies goes on and what it must show; absent where the sample is one reply. */
  readonly probe?: Probe | undefined;
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
