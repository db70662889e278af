import { z } from "zod";
import { contracts, scenarioClasses, shapes, spokenLanguages } from "../scenario/scenario.ts";
import type { Summary } from "./summary.ts";

const count = z.number().int().nonnegative();
const counts = z.record(z.string(), count);
const rate = z.looseObject({ count, of: count, rate: z.number().nullable(), low: z.number(), high: z.number() });

const cellSchema = z
  .looseObject({
    target: z.string(),
    route: z.string(),
    suite: z.string(),
    scenario: z.string(),
    arm: z.string(),
    contract: z.enum(contracts),
    class: z.enum(scenarioClasses),
    shape: z.enum(shapes),
    language: z.enum(spokenLanguages),
    stream: z.boolean(),
    planned: count,
    measured: count,
    attempted: count,
    delivered: count,
    undecidable: count,
    counts,
    findings: counts.optional(),
    faults: counts.optional(),
    facts: z.record(z.string(), z.number()).optional(),
    rated: z.boolean(),
    notTestable: z.string().nullable(),
    deliveredRate: rate,
    attemptedRate: rate,
    medianMs: z.number().nullable(),
  })
  .refine(
    ({ planned, measured, delivered, attempted }) => measured <= planned && Math.max(delivered, attempted) <= measured,
    {
      message: "counts more than was planned or measured",
    },
  );

/** summary.json as another program or an editor may have left it: lenient about further keys, strict about the counts. */
export const summarySchema = z.looseObject({
  schemaVersion: z.literal(1),
  run: z.string(),
  planned: count,
  measured: count,
  cells: z.array(cellSchema),
  diagnoses: z.array(
    z.looseObject({
      target: z.string(),
      owner: z.string(),
      fix: z.looseObject({ option: z.string() }).nullable(),
      samples: z.array(z.string()),
    }),
  ),
  exclusions: z.array(z.looseObject({ id: z.string(), reason: z.string(), detail: z.string() })),
}) as unknown as z.ZodType<Summary>;
