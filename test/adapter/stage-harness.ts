import { configSchemaWith } from "../../src/adapter/config.ts";
import type { AdapterEvent } from "../../src/adapter/events.ts";
import { type OpenTurn, openTurn } from "../../src/adapter/open-turn.ts";
import { openPipeline } from "../../src/adapter/pipeline.ts";
import type { Stage } from "../../src/adapter/stage.ts";
import type { DroppedText } from "../../src/adapter/trace.ts";
import type { ClientHints, FrontName, PinnedFetch, UpstreamFacts } from "../../src/adapter/turn.ts";
import type { ChatRequest } from "../../src/protocol/chat.ts";
import type { TraceEntry } from "../../src/protocol/trace.ts";

/** A client that says nothing of itself. */
export const unknownClient: ClientHints = { name: "unknown", version: null, turnMetadata: null, headers: {} };

export interface StageRun {
  /** Requests that reached the upstream, in order. */
  readonly asked: readonly ChatRequest[];
  /** Events that left the stages. */
  readonly events: readonly AdapterEvent[];
  readonly entries: readonly TraceEntry[];
  readonly dropped: readonly DroppedText[];
  readonly outcome: string;
}

export interface StageRunOptions {
  readonly stages: readonly Stage[];
  /** Order of the response hooks; the same as `stages` where absent. */
  readonly responseOrder?: readonly Stage[];
  readonly request: ChatRequest;
  /** One list of events for each time the upstream is asked; the last is given again. */
  readonly replies?: readonly (readonly AdapterEvent[])[];
  readonly client?: ClientHints;
  readonly front?: FrontName;
  readonly config?: Record<string, unknown>;
  readonly web?: PinnedFetch;
  readonly facts?: UpstreamFacts;
}

/** A turn as the adapter opens it, with seeded ids and a standing clock. Function tools of the request are its declared tools. */
export function openTestTurn(options: Partial<StageRunOptions>): OpenTurn {
  let seed = 1;
  const names = (options.stages ?? []).map((stage) => stage.name);
  const request = options.request ?? { model: "m", messages: [] };
  return openTurn(
    {
      front: options.front ?? "chat",
      client: options.client ?? unknownClient,
      original: request,
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.function.name,
        kind: "function" as const,
        namespace: null,
        clientName: tool.function.name,
        tool,
      })),
      dropped: [],
      entries: [],
    },
    {
      config: configSchemaWith(["none", ...names]).parse(options.config ?? {}),
      now: () => 1_796_034_218_000,
      random: () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed / 2_147_483_647;
      },
      web: options.web ?? null,
      after(_ms, action) {
        const immediate = setImmediate(action);
        return () => clearImmediate(immediate);
      },
      upstreamFacts: async () =>
        options.facts ?? { reached: true, kind: "openai", version: null, toolsInPrompt: "unknown" },
    },
    new AbortController().signal,
  );
}

/** Runs stages alone, around an upstream of scripted events. */
export async function runStages(options: StageRunOptions): Promise<StageRun> {
  const { turn, entries, dropped } = openTestTurn(options);
  const asked: ChatRequest[] = [];
  const events: AdapterEvent[] = [];
  const replies = options.replies ?? [[{ kind: "end" as const, finishReason: "stop" as const, usage: null }]];
  const pipeline = openPipeline({ request: options.stages, response: options.responseOrder ?? options.stages }, turn);
  const outcome = await pipeline.run(
    async function* (request) {
      asked.push(request);
      yield replies[Math.min(asked.length, replies.length) - 1] ?? [];
    },
    (event) => void events.push(event),
  );
  return { asked, events, entries, dropped, outcome };
}
