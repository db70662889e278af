import { z } from "zod";
import { messageSchema, toolSchema } from "../../protocol/chat.ts";
import type { JsonValue } from "../../protocol/json.ts";
import { serverKinds } from "../../protocol/servers/server.ts";
import type { LoadedScenarios } from "../scenario/load.ts";
import { probeSuiteSchema } from "../scenario/probe-suite.ts";
import type { RequestOverrides } from "../scenario/request.ts";
import type { UserRequest } from "../scenario/request-file.ts";
import {
  agentShapeSchema,
  languages,
  scenarioSchema,
  shapes,
  spokenLanguages,
  suiteSchema,
} from "../scenario/scenario.ts";
import { schemaVersion } from "./capture.ts";

/** A target as it was named, without secrets: a header's value stands here only where it is none. */
export interface StoredTarget {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly kind: (typeof serverKinds)[number] | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Limits of one exchange, in milliseconds. */
export interface StoredTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/**
 * plan.json: everything that the plan of a run was made from. With it a stopped run is completed although the scenario files
 * have changed since; what the planning of this version makes of it is compared with the digest in run.json.
 */
export interface StoredPlan {
  readonly schemaVersion: typeof schemaVersion;
  readonly targets: readonly StoredTarget[];
  readonly suites: readonly string[];
  readonly scenarios: LoadedScenarios;
  readonly onlyScenarios: readonly string[] | null;
  readonly request: UserRequest | null;
  readonly trials: number;
  readonly shapes: readonly (typeof shapes)[number][];
  readonly languages: readonly (typeof spokenLanguages)[number][];
  readonly seed: string;
  readonly concurrency: number;
  readonly overrides: RequestOverrides;
  readonly raw: "auto" | "off";
  readonly timeouts: StoredTimeouts;
  /** Settings of the adapter that samples also travelled through, and the stages that were left out in turn. */
  readonly adapter?:
    | { readonly config: Readonly<Record<string, JsonValue>>; readonly ablate: readonly string[] }
    | undefined;
}

const userRequestSchema = z.looseObject({
  id: z.string(),
  language: z.enum(languages),
  messages: z.array(messageSchema),
  tools: z.array(toolSchema),
  maxTokens: z.number(),
  temperature: z.number().nullable(),
  extra: z.record(z.string(), z.unknown()),
});

export const storedPlanSchema = z.looseObject({
  schemaVersion: z.literal(schemaVersion),
  targets: z.array(
    z.looseObject({
      name: z.string(),
      model: z.string(),
      baseUrl: z.string(),
      kind: z.enum(serverKinds).nullable(),
      headers: z.record(z.string(), z.string()),
    }),
  ),
  suites: z.array(z.string()),
  scenarios: z.looseObject({
    scenarios: z.array(scenarioSchema),
    suites: z.array(suiteSchema),
    agentShapes: z.array(agentShapeSchema),
    probes: z.array(probeSuiteSchema).default([]),
  }),
  onlyScenarios: z.array(z.string()).nullable(),
  request: userRequestSchema.nullable(),
  trials: z.number().int(),
  shapes: z.array(z.enum(shapes)),
  languages: z.array(z.enum(spokenLanguages)),
  seed: z.string(),
  concurrency: z.number().int(),
  overrides: z.looseObject({
    temperature: z.number().optional(),
    maxTokens: z.number().optional(),
    thinking: z.enum(["on", "off"]).optional(),
    body: z.record(z.string(), z.unknown()),
  }),
  raw: z.enum(["auto", "off"]),
  timeouts: z.looseObject({
    connectMs: z.number(),
    firstByteMs: z.number(),
    idleMs: z.number(),
    totalMs: z.number(),
  }),
  adapter: z.looseObject({ config: z.record(z.string(), z.json()), ablate: z.array(z.string()) }).optional(),
}) as unknown as z.ZodType<StoredPlan>;
