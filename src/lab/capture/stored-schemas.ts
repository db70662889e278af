import { z } from "zod";
import { toolSchema } from "../../protocol/chat.ts";
import { transportPhases } from "../../protocol/handler.ts";
import { evidenceGrades, serverKinds } from "../../protocol/servers/server.ts";
import { judgements } from "../scenario/probe.ts";
import { contracts, judges, scenarioClasses, shapes, spokenLanguages } from "../scenario/scenario.ts";
import { type Capture, type Exchange, schemaVersion } from "./capture.ts";
import type { RunRecord, TargetRecord } from "./run-record.ts";

// Lenient about keys that a later version of the lab may add, strict about those that judging reads.
const version = z.literal(schemaVersion);
const headers = z.record(z.string(), z.string());
const milliseconds = z.number().nullable();

const endSchema = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("complete") }),
  z.looseObject({ kind: z.literal("stopped") }),
  z.looseObject({ kind: z.literal("failed"), phase: z.enum(transportPhases), cause: z.string() }),
]);

export const exchangeSchema = z.looseObject({
  hop: z.enum(["subject", "upstream", "side"]),
  purpose: z.enum([
    "sample",
    "detokenize",
    "verbose_replay",
    "logprobs_replay",
    "none_twin",
    "raw_generate",
    "render",
    "probe",
  ]),
  turn: z.number().int(),
  attempt: z.number().int(),
  parent: z.number().int().optional(),
  evidenceGrade: z.enum(evidenceGrades).optional(),
  method: z.string(),
  path: z.string(),
  request: z.string().nullable(),
  sentHeaders: headers,
  startedAt: z.string(),
  status: z.number().nullable(),
  headers,
  body: z.union([z.looseObject({ utf8: z.string() }), z.looseObject({ base64: z.base64() })]),
  chunks: z.array(z.tuple([z.number(), z.number()])),
  timing: z.looseObject({ headMs: milliseconds, firstByteMs: milliseconds, endMs: z.number() }),
  end: endSchema,
}) as unknown as z.ZodType<Exchange>;

const factors = {
  suite: z.string(),
  scenario: z.string(),
  shape: z.enum(shapes),
  language: z.enum(spokenLanguages),
  class: z.enum(scenarioClasses),
  contract: z.enum(contracts),
  arm: z.string(),
  stream: z.boolean(),
};
const choice = z.enum(["auto", "required", "none", "named"]);

export const captureSchema = z.looseObject({
  schemaVersion: version,
  id: z.string(),
  target: z.string(),
  kind: z.enum(serverKinds),
  route: z.string(),
  ...factors,
  trial: z.number().int(),
  seed: z.number(),
  expectation: z.looseObject({
    tools: z.array(toolSchema),
    contract: z.enum(contracts),
    wanted: z.string().nullable(),
    markerRule: z.looseObject({ name: z.string() }).nullable(),
    memorizable: z.boolean(),
    oracle: z.array(z.string()),
    nonce: z.string().nullable(),
    judge: z.enum(judges),
  }),
  request: z.looseObject({
    choice,
    namedTool: z.string().nullable(),
    maxTokens: z.number().nullable(),
    sources: z.array(z.looseObject({ role: z.string(), text: z.string() })),
  }),
  exchanges: z.array(exchangeSchema),
  adapterTrace: z.array(z.looseObject({ stage: z.string(), decision: z.string(), reason: z.string() })).optional(),
  adapterCosts: z.array(z.looseObject({ stage: z.string(), ms: z.number(), bytes: z.number().optional() })).optional(),
  startedAt: z.string(),
}) as unknown as z.ZodType<Capture>;

const channels = z.array(
  z.enum(["token_ids", "verbose", "verbose_replay", "logprobs_replay", "none_twin", "raw_generate"]),
);
const byMode = z.looseObject({ body: channels, stream: channels });
const parserState = z.looseObject({
  state: z.enum(["active", "none", "unknown"]),
  name: z.string().nullable(),
  source: z.enum(["flag", "builtin", "template", "metric", "error", "unknown"]),
});
const values = z.record(z.string(), z.json());

const targetSchema = z.looseObject({
  name: z.string(),
  model: z.string(),
  baseUrl: z.string(),
  facts: z.looseObject({
    kind: z.enum(serverKinds),
    version: z.string().nullable(),
    model: z.string(),
    toolParser: parserState,
    reasoningParser: parserState,
    contextLength: z.number().nullable(),
    toolsInPrompt: z.enum(["whole", "damaged", "missing", "unknown"]),
    systemInPrompt: z.enum(["kept", "dropped", "unknown"]),
  }),
  fingerprint: z.looseObject({ identity: values, incidental: values }),
  raw: z.looseObject({ inBand: byMode, side: byMode }),
  notTestable: z.array(z.looseObject({ arm: z.string(), reason: z.string() })),
  evidence: z.array(z.looseObject({ statement: z.string(), probe: z.number().nullable() })),
}) as unknown as z.ZodType<TargetRecord>;

const plannedCellSchema = z.looseObject({
  id: z.string(),
  target: z.string(),
  route: z.string(),
  ...factors,
  choice,
  judge: z.enum(judges),
  probe: z.enum(judgements).optional(),
  trials: z.number().int(),
});

export const runRecordSchema = z.looseObject({
  schemaVersion: version,
  run: z.string(),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  lab: z.looseObject({ version: z.string(), node: z.string() }),
  seed: z.string(),
  plan: z.looseObject({
    suites: z.array(z.string()),
    scenarios: z.array(z.string()),
    trials: z.number(),
    shapes: z.array(z.string()),
    languages: z.array(z.string()),
    concurrency: z.number(),
    raw: z.enum(["auto", "off"]),
    request: z.record(z.string(), z.unknown()),
    samples: z.number(),
    cells: z.array(plannedCellSchema),
    digest: z.string().optional(),
    choice: z.looseObject({ minContext: z.number().nullable() }).optional(),
  }),
  routes: z.array(z.looseObject({ id: z.string(), treatment: z.string(), settings: values.optional() })),
  targets: z.array(targetSchema),
  unmet: z.array(z.looseObject({ target: z.string(), line: z.string() })),
  stopped: z.array(z.looseObject({ target: z.string(), line: z.string(), excluded: z.array(z.string()) })).optional(),
}) as unknown as z.ZodType<RunRecord>;

/** One line of journal.jsonl: a request about to be sent. Sent = answered + lost. */
export interface Intent {
  /** Id of the sample. */
  readonly id: string;
  /** Index of the exchange within the sample. */
  readonly exchange: number;
  readonly turn: number;
  readonly attempt: number;
  /** ISO 8601. */
  readonly at: string;
}

export const intentSchema = z.looseObject({
  id: z.string(),
  exchange: z.number().int(),
  turn: z.number().int(),
  attempt: z.number().int(),
  at: z.string(),
}) as unknown as z.ZodType<Intent>;

export const requestSchema = z.looseObject({ hash: z.string(), body: z.string() });

/** What every line of classifications.jsonl holds at least; the judging stage owns the rest. */
export interface StoredJudgement {
  readonly schemaVersion: typeof schemaVersion;
  readonly id: string;
  readonly measured: boolean;
}

export const judgementSchema = z.looseObject({
  schemaVersion: version,
  id: z.string(),
  measured: z.boolean(),
}) as unknown as z.ZodType<StoredJudgement>;

/** What summary.json and verdict.json hold at least; the stages that write them own the rest. */
export interface StoredDocument {
  readonly schemaVersion: typeof schemaVersion;
}

export const documentSchema = z.looseObject({ schemaVersion: version }) as unknown as z.ZodType<StoredDocument>;
