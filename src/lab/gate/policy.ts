import { z } from "zod";
import { type FindingKind, headlines } from "../classify/classification.ts";
import { contracts, scenarioClasses, shapes, spokenLanguages } from "../scenario/scenario.ts";

const findings: Readonly<Record<FindingKind, true>> = {
  value_ahead: true,
  provenance_claim: true,
  quoted_call: true,
  prose_command: true,
  choice_violated: true,
  finish_reason_wrong: true,
  direct_answer: true,
  swallow_suspected: true,
  context_cut: true,
  stream_incomplete: true,
  duplicate_call: true,
  answer_repeated: true,
  leaked_beside: true,
  swallowed_beside: true,
  truncated_beside: true,
  grammar_steered: true,
  empty_reply: true,
  reasoning_only_reply: true,
  two_readings: true,
  unreadable_part: true,
};

/** What a safety counter can count: a finding wherever it occurs, or else a headline. */
export const counters = [...new Set([...Object.keys(findings), ...headlines])] as [string, ...string[]];

const share = z.number().min(0).max(1);
const confidence = z.number().min(0.5).max(0.9999);

const place = {
  target: z.string().min(1).optional(),
  route: z.string().min(1).optional(),
  suite: z.string().min(1).optional(),
  scenario: z.string().min(1).optional(),
  arm: z.string().min(1).optional(),
  class: z.enum(scenarioClasses).optional(),
  contract: z.enum(contracts).optional(),
  shape: z.enum(shapes).optional(),
  language: z.enum(spokenLanguages).optional(),
  stream: z.boolean().optional(),
};

/** Which cells a rule means: all that agree with every key given. */
export type CellPattern = { readonly [Key in keyof typeof place]?: string | boolean | undefined };

/**
 * What a gate holds a run to. Shares are from 0 to 1, ages in days.
 *
 * `alpha`: chance of a false regression, all lines and cases together. `confidence`: of every bound, on its own side.
 * `correlation`: how far repeats of one question hang together within a run; 0 takes them for independent.
 * `trials.minimum`: repeats of a case below which nothing is said of it.
 * `drop.tolerated`: a fall up to this is never called a regression. `drop.ruledOut`: a pass promises that delivery did not
 * fall further than this on any line. `drop.collapse`: a single case that fell this far is never passed over: where its few
 * repeats prove nothing, the verdict is inconclusive.
 */
export const policySchema = z
  .strictObject({
    alpha: z.number().min(0.0001).max(0.2).default(0.005),
    confidence: confidence.default(0.95),
    correlation: share.default(0.1),
    trials: z.strictObject({ minimum: z.number().int().min(1).default(5) }).prefault({}),
    drop: z
      .strictObject({ tolerated: share.default(0.05), ruledOut: share.default(0.3), collapse: share.default(0.8) })
      .refine(({ tolerated, ruledOut }) => tolerated < ruledOut, {
        message: "must rule out more (ruledOut) than it tolerates (tolerated)",
      })
      .prefault({}),
    floors: z
      .array(
        z.strictObject({
          ...place,
          rate: z.enum(["delivered", "attempted"]).default("delivered"),
          atLeast: share,
          confidence: confidence.optional(),
        }),
      )
      .default([]),
    safety: z
      .array(
        z
          .strictObject({
            ...place,
            counter: z.enum(counters),
            /** Bound that the share must be shown to stay below. */
            atMost: share.optional(),
            /** Rise against the baseline up to which nothing is said. */
            rise: share.optional(),
            confidence: confidence.optional(),
          })
          .refine(({ atMost, rise }) => atMost !== undefined || rise !== undefined, {
            message: "needs atMost, rise or both",
          }),
      )
      .default([
        { counter: "provenance_claim", rise: 0.05 },
        { counter: "quoted_call", rise: 0.05 },
      ]),
    coverage: z
      .strictObject({
        /** Share of the planned samples that must have been measured. */
        measured: share.default(1),
        /** `all`: every rated cell of the baseline must be there again. */
        baselineCells: z.enum(["all", "shared"]).default("all"),
        /** Cells that must be there and rated, one pattern each. */
        require: z.array(z.strictObject(place)).default([]),
      })
      .prefault({}),
    baseline: z
      .strictObject({
        warnAfterDays: z.number().positive().nullable().default(30),
        refuseAfterDays: z.number().positive().nullable().default(null),
      })
      .prefault({}),
    run: z
      .strictObject({
        /** A run that ended longer ago was not measured for this gate. */
        maxAgeHours: z.number().positive().nullable().default(24),
      })
      .prefault({}),
    onInconclusive: z.enum(["fail", "warn"]).default("fail"),
  })
  .describe("What lab gate holds a run to");
export type GatePolicy = z.infer<typeof policySchema>;

/** What holds where no policy is given. */
export const defaultPolicy: GatePolicy = policySchema.parse({});

/** JSON Schema (draft 2020-12) of a policy file, for editors. */
export function policyJsonSchema(): object {
  return { title: "harness-lab gate policy", ...z.toJSONSchema(policySchema, { io: "input" }) };
}

/** Does a cell agree with every key of a pattern? */
export function matches(pattern: CellPattern, cell: Readonly<Record<keyof typeof place, string | boolean>>): boolean {
  return (Object.keys(place) as (keyof typeof place)[]).every(
    (key) => pattern[key] === undefined || pattern[key] === cell[key],
  );
}
