import type { TransportPhase } from "../../protocol/handler.ts";

/** How an exchange ended on the wire. */
export type ExchangeEnd =
  | { readonly kind: "complete" }
  /** The lab had seen enough and stopped reading: what came by then is the answer, and that its end is missing is no fault. */
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly phase: TransportPhase; readonly cause: string };

/**
 * One request and all that came back, whatever it was: sending never rejects. Body bytes are as received; `chunks` says when
 * how many of them came, in milliseconds since `startedAt`. `status` is null when no response head arrived.
 */
export interface RawExchange {
  readonly method: string;
  readonly path: string;
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly chunks: readonly (readonly [number, number])[];
  /** Milliseconds from sending to the response head, to the first body byte and to the end; null where it never came. */
  readonly timing: {
    readonly headMs: number | null;
    readonly firstByteMs: number | null;
    readonly endMs: number;
  };
  readonly end: ExchangeEnd;
}
