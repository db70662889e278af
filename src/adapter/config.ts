import { z } from "zod";

/** `agent`: commands the router does not take are left to the model and the client's approval. `read-only`: they are refused. */
export const profiles = ["agent", "read-only"] as const;

const bytes = z.number().int().min(0);

/**
 * The schema of the adapter's configuration, with the stages that exist. One section a stage that has options; each key has a default, so
 * that `{}` is a whole configuration.
 */
export function configSchemaWith(stageNames: readonly [string, ...string[]]) {
  return z.strictObject({
    profile: z.enum(profiles).default("agent"),
    /** Stages that are left out. */
    disable: z.array(z.enum(stageNames)).default([]),
    /** Model name sent upstream instead of the client's. */
    model: z.string().min(1).optional(),
    limits: z
      .strictObject({
        bodyBytes: bytes.default(32 * 1024 * 1024),
        /** Upstream requests in one turn: the first, and those of the web loop and the finish fallback. */
        upstreamRequests: z.number().int().min(1).max(50).default(8),
        /** Silence after which a keep-alive is sent, in seconds; 0 switches them off. */
        keepAliveSeconds: z.number().min(0).max(3600).default(15),
      })
      .prefault({}),
    prompt: z
      .strictObject({
        /** `auto`, `native`, or the name of a text format. */
        format: z.string().min(1).default("auto"),
      })
      .prefault({}),
    prune: z
      .strictObject({
        /** Most tools that the model is shown. */
        maxTools: z.number().int().min(1).default(16),
        /** Tools that are always shown, by chat name. */
        keep: z.array(z.string().min(1)).default([]),
      })
      .prefault({}),
    compress: z
      .strictObject({
        /** Size of the messages, in UTF-8 bytes, up to which nothing is touched. */
        budgetBytes: bytes.default(96 * 1024),
      })
      .prefault({}),
    web: z
      .strictObject({
        enabled: z.boolean().default(false),
        /** Base URL of a SearXNG instance with the JSON API; without it there is no search. */
        searxng: z.string().min(1).nullable().default(null),
        maxBytes: bytes.default(2 * 1024 * 1024),
        timeoutSeconds: z.number().min(0.1).max(120).default(10),
        maxRedirects: z.number().int().min(0).max(10).default(3),
        /** Text of one page that the model gets, in characters. */
        maxTextLength: z.number().int().min(200).default(12_000),
        /** Web calls in one turn. */
        maxCalls: z.number().int().min(1).max(20).default(5),
      })
      .prefault({}),
    guard: z
      .strictObject({
        /** Identical calls in a row, with identical results, after which the next one is withheld. */
        maxRepeats: z.number().int().min(2).default(3),
      })
      .prefault({}),
    finish: z
      .strictObject({
        /** Off: the model ends a turn by its own will. On: every request carries `required` and a `final_answer` tool. */
        enabled: z.boolean().default(false),
      })
      .prefault({}),
  });
}

export type AdapterConfig = z.output<ReturnType<typeof configSchemaWith>>;
