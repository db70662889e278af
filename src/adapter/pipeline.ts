import type { ChatRequest } from "../protocol/chat.ts";
import type { StageCost } from "../protocol/trace.ts";
import { utf8Length } from "./compress/text-size.ts";
import type { AdapterEvent } from "./events.ts";
import type { EventTransform, ReplyContext, RequestStep, Stage, StageHooks } from "./stage.ts";
import type { Turn } from "./turn.ts";

/** Asks the upstream with a finished request and gives the events of its reply, in batches as they arrive. */
export type AskUpstream = (request: ChatRequest) => AsyncIterable<readonly AdapterEvent[]>;

/** Takes events that leave the adapter; a promise is room to wait for. */
export type Sink = (event: AdapterEvent) => void | Promise<void>;

/** The orders in which hooks run. */
export interface StageOrders {
  readonly request: readonly Stage[];
  readonly response: readonly Stage[];
}

/** Runs one turn through its stages. Resolves when the last event has been taken; says who answered. */
export interface Pipeline {
  run(ask: AskUpstream, sink: Sink): Promise<"answered" | "completed" | "failed">;
  costs(): readonly StageCost[];
}

interface Hooked {
  readonly stage: Stage;
  readonly hooks: StageHooks;
}

/** Opens the stages that this turn has, in the orders given; `weigh`: also count the bytes by which each changes the request. */
export function openPipeline(orders: StageOrders, turn: Turn, weigh = false): Pipeline {
  const opened = new Map<Stage, StageHooks | null>();
  // A loop, since this is done for every turn.
  const hooked = (order: readonly Stage[], hook: keyof StageHooks): readonly Hooked[] => {
    const found: Hooked[] = [];
    for (const stage of order) {
      let hooks = opened.get(stage);
      if (hooks === undefined) {
        hooks = turn.config.disable.includes(stage.name) ? null : stage.open(turn);
        opened.set(stage, hooks);
      }
      if (hooks?.[hook] !== undefined) found.push({ stage, hooks });
    }
    return found;
  };
  const onRequest = hooked(orders.request, "onRequest");
  const onResponse = hooked(orders.response, "onResponse");
  const spent = new Map<string, number>();
  const charge = (stage: Stage, since: number): void => {
    spent.set(stage.name, (spent.get(stage.name) ?? 0) + turn.now() - since);
  };

  const weighed = new Map<string, number>();
  /** Not charged as time of the stage: nobody but a measurement asks for it. */
  const weighStep = (stage: Stage, before: ChatRequest, after: ChatRequest): void => {
    if (!weigh || before === after) return;
    weighed.set(stage.name, (weighed.get(stage.name) ?? 0) + requestSize(after) - requestSize(before));
  };

  /** Runs the request hooks from `from` on; `left` takes the request as each stage let it go. */
  async function prepare(given: ChatRequest, from: number, left: Map<Stage, ChatRequest>): Promise<RequestStep> {
    let request = given;
    for (const { stage, hooks } of onRequest.slice(from)) {
      const since = turn.now();
      const pending = hooks.onRequest?.(request);
      const step = pending instanceof Promise ? await pending : pending;
      charge(stage, since);
      if (step === undefined) continue;
      if (step.kind === "answer") return step;
      weighStep(stage, request, step.request);
      request = step.request;
      left.set(stage, request);
    }
    return { kind: "continue", request };
  }

  /** The transforms of the first `count` response hooks, for one reply to `request`. */
  function openTransforms(
    count: number,
    request: ChatRequest,
    left: ReadonlyMap<Stage, ChatRequest>,
    ask: AskUpstream,
    ownAnswer: boolean,
  ): readonly EventTransform[] {
    const transforms: EventTransform[] = [];
    for (const [at, { stage, hooks }] of onResponse.slice(0, count).entries()) {
      if (ownAnswer && stage.seesOwnAnswers !== true) continue;
      const behind = onRequest.findIndex((other) => other.stage === stage);
      const context: ReplyContext = {
        request: left.get(stage) ?? request,
        askAgain: (again) => reask(again, behind === -1 ? onRequest.length : behind + 1, at, left, ask),
      };
      const transform = hooks.onResponse?.(context) ?? null;
      if (transform !== null) transforms.push(charged(stage, transform));
    }
    return transforms;
  }

  function charged(stage: Stage, transform: EventTransform): EventTransform {
    return (event) => {
      const since = turn.now();
      const events = transform(event);
      charge(stage, since);
      return events;
    };
  }

  async function* reask(
    given: ChatRequest,
    from: number,
    count: number,
    before: ReadonlyMap<Stage, ChatRequest>,
    ask: AskUpstream,
  ): AsyncGenerator<AdapterEvent> {
    const left = new Map(before);
    const step = await prepare(given, from, left);
    if (step.kind === "answer") {
      yield* step.events;
      return;
    }
    const out: AdapterEvent[] = [];
    const feed = createFeed(openTransforms(count, step.request, left, ask, false), (event) => void out.push(event));
    for await (const batch of ask(step.request)) {
      for (const event of batch) {
        await feed(event);
        yield* out.splice(0);
      }
    }
  }

  return {
    async run(ask, sink) {
      const left = new Map<Stage, ChatRequest>();
      const step = await prepare(turn.original, 0, left);
      let failed = false;
      const watched: Sink = (event) => {
        if (event.kind === "failed") failed = true;
        return sink(event);
      };
      if (step.kind === "answer") {
        const feed = createFeed(openTransforms(onResponse.length, turn.original, left, ask, true), watched);
        for (const event of step.events) await feed(event);
        return failed ? "failed" : "answered";
      }
      const feed = createFeed(openTransforms(onResponse.length, step.request, left, ask, false), watched);
      for await (const batch of ask(step.request)) {
        for (const event of batch) {
          const pending = feed(event);
          if (pending !== undefined) await pending;
        }
      }
      return failed ? "failed" : "completed";
    },
    costs: () =>
      [...spent].map(([stage, ms]) => (weigh ? { stage, ms, bytes: weighed.get(stage) ?? 0 } : { stage, ms })),
  };
}

function requestSize(request: ChatRequest): number {
  return utf8Length(JSON.stringify(request));
}

/** Puts transforms in a row. Nothing is awaited where nothing waits: most events pass without a promise. */
function createFeed(transforms: readonly EventTransform[], sink: Sink): Sink {
  function feed(event: AdapterEvent, at: number): void | Promise<void> {
    const transform = transforms[at];
    if (transform === undefined) return sink(event);
    const events = transform(event);
    if (!Array.isArray(events)) return drain(events as AsyncIterable<AdapterEvent>, at + 1);
    return each(events, 0, at + 1);
  }

  function each(events: readonly AdapterEvent[], from: number, at: number): void | Promise<void> {
    for (let index = from; index < events.length; index++) {
      const event = events[index];
      if (event === undefined) continue;
      const pending = feed(event, at);
      if (pending !== undefined) return pending.then(() => each(events, index + 1, at));
    }
  }

  async function drain(events: AsyncIterable<AdapterEvent>, at: number): Promise<void> {
    for await (const event of events) await feed(event, at);
  }

  return (event) => feed(event, 0);
}
