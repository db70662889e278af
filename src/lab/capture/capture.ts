import type { EvidenceGrade, ServerKind } from "../../protocol/servers/server.ts";
import type { StageCost, TraceEntry } from "../../protocol/trace.ts";
import type { Expectation, SampleFactors } from "../scenario/scenario.ts";
import type { ExchangeEnd } from "../transport/exchange.ts";

/** Version of every stored file; a reader refuses a newer one with one clear line. */
export const schemaVersion = 1;

/** Whose exchange it is: the measured one, one behind an adapter, or one that only gathers evidence. */
export type Hop = "subject" | "upstream" | "side";

/** Why an exchange was made. */
export type Purpose =
  | "sample"
  | "detokenize"
  | "verbose_replay"
  | "logprobs_replay"
  | "none_twin"
  | "raw_generate"
  /** The prompt that the server makes of a conversation whose end went wrong. */
  | "render"
  | "probe";

/** A stored exchange: secrets removed, the request body kept once in requests.jsonl under its hash. */
export interface Exchange {
  readonly hop: Hop;
  readonly purpose: Purpose;
  readonly turn: number;
  /** 1, or 2 for the one recorded retry. */
  readonly attempt: number;
  /** Index of the exchange whose reply this one explains. */
  readonly parent?: number | undefined;
  readonly evidenceGrade?: EvidenceGrade | undefined;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the request body, or null without one. */
  readonly request: string | null;
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly startedAt: string;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body: text where the bytes are valid UTF-8, base64 where not. */
  readonly body: { readonly utf8: string } | { readonly base64: string };
  readonly chunks: readonly (readonly [number, number])[];
  readonly timing: { readonly headMs: number | null; readonly firstByteMs: number | null; readonly endMs: number };
  readonly end: ExchangeEnd;
}

/** What the request of a sample asked, beside its body: judged without reading the body again. */
export interface CaptureRequestFacts {
  readonly choice: "auto" | "required" | "none" | "named";
  readonly namedTool: string | null;
  readonly maxTokens: number | null;
  /**
   * Texts of the conversation that a value may come from without being invented (system, user, tool messages), with the calls
   * that an assistant message of the history made.
   */
  readonly sources: readonly {
    readonly role: string;
    readonly text: string;
    readonly calls?: readonly { readonly name: string; readonly text: string }[];
  }[];
}

/** One sample: what was asked, everything that came back, and what judging needs to know. Immutable. */
export interface Capture extends SampleFactors {
  readonly schemaVersion: typeof schemaVersion;
  readonly id: string;
  readonly target: string;
  readonly kind: ServerKind;
  readonly route: string;
  readonly trial: number;
  readonly seed: number;
  readonly expectation: Expectation;
  readonly request: CaptureRequestFacts;
  readonly exchanges: readonly Exchange[];
  readonly adapterTrace?: readonly TraceEntry[] | undefined;
  /** What each stage of the adapter cost in this sample; absent where it travelled without one. */
  readonly adapterCosts?: readonly StageCost[] | undefined;
  readonly startedAt: string;
}
