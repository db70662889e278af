import type { RunRecord } from "../capture/run-record.ts";
import type { Summary } from "../stats/summary.ts";

/** That a run was measured, and when: what a gate shows beside its verdict. */
export interface MeasurementProof {
  readonly run: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Times of the first and the last measured request; null where none was sent. */
  readonly firstSentAt: string | null;
  readonly lastSentAt: string | null;
  readonly planned: number;
  readonly measured: number;
  /**
   * Requests of samples: sent = answered + lost; `askedAgain` of those sent repeat one that got no answer. Null where the run's
   * journal is not at hand.
   */
  readonly requests: {
    readonly sent: number;
    readonly askedAgain: number;
    readonly answered: number;
    readonly lost: number;
  } | null;
  /** Answers that say of themselves that they came from a cache, with the header that says so. */
  readonly cached: { readonly count: number; readonly evidence: string | null };
  /** Completion ids that came more than once: the same answer handed out again. */
  readonly repeatedAnswers: number;
  readonly seed: string;
  readonly labVersion: string;
  readonly targets: readonly {
    readonly name: string;
    readonly model: string;
    readonly server: string;
    readonly identity: Readonly<Record<string, unknown>>;
    readonly incidental: Readonly<Record<string, unknown>>;
  }[];
  /** Digest of what was asked, by scenario, contract and shape; nonces left out. */
  readonly questions: Readonly<Record<string, string>>;
}

/** One run as comparing and gating read it. */
export interface RunSide {
  readonly record: RunRecord;
  readonly summary: Summary;
  readonly proof: MeasurementProof | null;
}
