import type { StageCost, TraceEntry } from "../protocol/trace.ts";
import type { ClientName, FrontName } from "./turn.ts";

/** Text of the client that did not reach the upstream. */
export interface DroppedText {
  readonly stage: string;
  readonly reason: string;
  readonly text: string;
}

/** Everything the adapter decided in one turn; given to `onTrace` once, when the turn is over. */
export interface TurnTrace {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly ms: number;
  readonly front: FrontName;
  readonly client: ClientName;
  readonly model: string;
  readonly streamed: boolean;
  /** `answered`: without the model; `completed`: with it; `failed`; `left`: the client went away. */
  readonly outcome: "answered" | "completed" | "failed" | "left";
  readonly entries: readonly TraceEntry[];
  readonly dropped: readonly DroppedText[];
  readonly costs: readonly StageCost[];
  readonly upstreamRequests: number;
}
