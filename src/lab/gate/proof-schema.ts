import { z } from "zod";
import type { MeasurementProof } from "./run-side.ts";

const count = z.number().int().nonnegative();
const values = z.record(z.string(), z.unknown());

/** A proof as a baseline keeps it: lenient about further keys, strict about what a gate reads. */
export const proofSchema = z.looseObject({
  run: z.string(),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  firstSentAt: z.string().nullable(),
  lastSentAt: z.string().nullable(),
  planned: count,
  measured: count,
  requests: z
    // The first baselines did not count what was asked again.
    .looseObject({ sent: count, askedAgain: count.default(0), answered: count, lost: count })
    .nullable(),
  cached: z.looseObject({ count, evidence: z.string().nullable() }),
  repeatedAnswers: count,
  seed: z.string(),
  labVersion: z.string(),
  targets: z.array(
    z.looseObject({ name: z.string(), model: z.string(), server: z.string(), identity: values, incidental: values }),
  ),
  questions: z.record(z.string(), z.string()),
}) as unknown as z.ZodType<MeasurementProof>;
