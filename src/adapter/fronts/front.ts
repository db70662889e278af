import type { ChatRequest } from "../../protocol/chat.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { TraceEntry } from "../../protocol/trace.ts";
import type { AdapterEvent, Failure } from "../events.ts";
import type { DroppedText } from "../trace.ts";
import type { DeclaredTool, FrontName, Turn } from "../turn.ts";

/** A request in chat shape, with what it held beside. */
export interface FrontRequest {
  readonly kind: "request";
  readonly original: ChatRequest;
  readonly tools: readonly DeclaredTool[];
  readonly dropped: readonly DroppedText[];
  readonly entries: readonly TraceEntry[];
}

export type FrontReading = FrontRequest | { readonly kind: "bad"; readonly failure: Failure };

/** Writes one reply in the front's own shape. */
export interface ReplyWriter {
  /** What a stream begins with. */
  start(): string;
  write(event: AdapterEvent): string;
  /** Something that resets the client's idle timer and means nothing. */
  keepAlive(): string;
  /** The whole reply as one object, for clients that did not ask for a stream; after the last event. */
  body(): JsonObject;
}

/** One API that clients speak. */
export interface Front {
  readonly name: FrontName;
  read(body: JsonObject): FrontReading;
  openWriter(turn: Turn, body: JsonObject): ReplyWriter;
}
