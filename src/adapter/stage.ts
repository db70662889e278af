import type { ChatRequest } from "../protocol/chat.ts";
import type { AdapterEvent } from "./events.ts";
import type { Turn } from "./turn.ts";

/** What a request hook decides: the request goes on (the same object where nothing changed), or the turn is answered here. */
export type RequestStep =
  | { readonly kind: "continue"; readonly request: ChatRequest }
  /** The model is not asked. The events end with `end`. */
  | { readonly kind: "answer"; readonly events: readonly AdapterEvent[] };

/**
 * Takes each event of one reply in order and gives what becomes of it: itself, others, none (held back), in an array where
 * it is known at once, or as an async iterable where the stage has to wait (a page, a second reply). `end` or `failed`
 * comes last and once; whatever is held back must come out then, and the terminal event must be passed on. Never throws on what a
 * model wrote.
 */
export type EventTransform = (event: AdapterEvent) => readonly AdapterEvent[] | AsyncIterable<AdapterEvent>;

/** What a response hook may use beside the events. */
export interface ReplyContext {
  /** The request as it left this stage's own request hook. */
  readonly request: ChatRequest;
  /**
   * Asks the upstream once more within this turn. The request goes through the request hooks behind this stage's and the reply
   * comes back through the response hooks before it, so the events are like those that this stage gets. The turn's limit of
   * upstream requests holds; beyond it the iterable gives one `failed`.
   */
  askAgain(request: ChatRequest): AsyncIterable<AdapterEvent>;
}

/** What a stage does in one turn. Both hooks may be called several times in a turn where a stage asks the upstream again. */
export interface StageHooks {
  onRequest?(request: ChatRequest): RequestStep | Promise<RequestStep>;
  /** Opens a transform for one reply; null where this reply needs none. */
  onResponse?(context: ReplyContext): EventTransform | null;
}

/**
 * One concern of the adapter, in one file, switchable by its name.
 *
 * How to write one: export a constant of this type and put it into the two orders of `stages/index.ts`. `open` is called once
 * a turn and returns the hooks, with the turn's state in its closure; return null where the turn is none of the stage's business.
 * A request hook returns the same object when it changes nothing, and otherwise a new request that shares all it can: requests
 * are data and never changed in place. It may end the turn with an `answer` (`textAnswer`, `callAnswer`), which only stages
 * with `seesOwnAnswers` get to see. A response hook holds back as little as it can: text leaves at once unless it may be part
 * of something. Whoever decides, changes or withholds anything writes a trace entry; who leaves out the client's text also
 * calls `turn.drop`. Who works longer than some milliseconds does it in steps, with `turn.pause` between them. Data for later
 * stages goes through a slot, so that a disabled stage is an absent value and nothing else. No stage reads a clock, draws a
 * random number or reaches a network but through the turn and its context. Nothing here ever runs a command.
 */
export interface Stage {
  readonly name: string;
  /** One line for people: what it does. */
  readonly summary: string;
  /** True where its response hook must also see answers given without the model. */
  readonly seesOwnAnswers?: boolean;
  open(turn: Turn): StageHooks | null;
}

/** The step of a request hook that changes nothing, or has made this request. */
export function proceed(request: ChatRequest): RequestStep {
  return { kind: "continue", request };
}
