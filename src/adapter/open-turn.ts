import type { ChatRequest, Tool } from "../protocol/chat.ts";
import type { TraceEntry } from "../protocol/trace.ts";
import type { AdapterConfig } from "./config.ts";
import type { DroppedText } from "./trace.ts";
import type { ClientHints, DeclaredTool, FrontName, PinnedFetch, Turn, UpstreamFacts } from "./turn.ts";

/** What a front has read of one request, besides the request itself. */
export interface TurnStart {
  readonly front: FrontName;
  readonly client: ClientHints;
  readonly original: ChatRequest;
  readonly tools: readonly DeclaredTool[];
  readonly dropped: readonly DroppedText[];
  readonly entries: readonly TraceEntry[];
}

/** What the adapter lends every turn. */
export interface TurnWorld {
  readonly config: AdapterConfig;
  now(): number;
  random(): number;
  readonly web: PinnedFetch | null;
  /** Runs something later; gives what cancels it. */
  after(ms: number, action: () => void): () => void;
  upstreamFacts(): Promise<UpstreamFacts>;
}

/** A turn, with what only the runner may see of it. */
export interface OpenTurn {
  readonly turn: Turn;
  readonly entries: readonly TraceEntry[];
  readonly dropped: readonly DroppedText[];
}

/** Opens a turn for a request. */
export function openTurn(start: TurnStart, world: TurnWorld, signal: AbortSignal): OpenTurn {
  const entries: TraceEntry[] = [...start.entries];
  const dropped: DroppedText[] = [...start.dropped];
  const left = new Map<string, unknown>();
  const added: Tool[] = [];
  let callable: readonly Tool[] | null = null;
  const usedIds = new Set(
    start.original.messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.id),
  );
  const turn: Turn = {
    id: randomId(world.random, "trace_"),
    front: start.front,
    client: start.client,
    config: world.config,
    original: start.original,
    tools: start.tools,
    now: world.now,
    random: world.random,
    web: world.web,
    signal,
    async pause() {
      await new Promise<void>((resolve) => void world.after(0, resolve));
      if (signal.aborted) throw signal.reason;
    },
    upstreamFacts: world.upstreamFacts,
    addTool(tool) {
      if (added.some((known) => known.function.name === tool.function.name)) return;
      added.push(tool);
      callable = null;
    },
    callable() {
      callable ??= [...start.tools.map((declared) => declared.tool), ...added];
      return callable;
    },
    newCallId(mark) {
      for (;;) {
        const id = `${randomId(world.random, "call_")}${mark === undefined ? "" : `_${mark}`}`;
        if (usedIds.has(id)) continue;
        usedIds.add(id);
        return id;
      }
    },
    takeCallId(id) {
      if (id === null || id === "" || usedIds.has(id)) return turn.newCallId();
      usedIds.add(id);
      return id;
    },
    put: (key, value) => void left.set(key.name, value),
    get: <T>(key: { readonly name: string }) => left.get(key.name) as T | undefined,
    trace: (entry) => void entries.push(entry),
    drop: (stage, reason, text) => void dropped.push({ stage, reason, text }),
  };
  return { turn, entries, dropped };
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A random id of 16 characters behind a prefix. */
export function randomId(random: () => number, prefix: string): string {
  let id = prefix;
  for (let index = 0; index < 16; index++) id += alphabet[Math.floor(random() * alphabet.length)] ?? "0";
  return id;
}
