import type { CaseComparison, LineComparison } from "./compare.ts";
import type { MeasurementProof } from "./run-side.ts";
import type { SwapCard } from "./swap-card.ts";
import type { Treatment } from "./treatment.ts";

/** What a gate can say: closed, each with its exit code. */
export const exitCodeOf = { pass: 0, regression: 1, invalid: 3, inconclusive: 4 } as const;
export type VerdictKind = keyof typeof exitCodeOf;

/** Exit code of a verdict; a doubtful one may be let through with a warning. */
export function gateExitCode({ kind, onInconclusive }: Pick<GateVerdict, "kind" | "onInconclusive">): number {
  return kind === "inconclusive" && onInconclusive === "warn" ? exitCodeOf.pass : exitCodeOf[kind];
}

/** A gate's word and one sentence a person can act on. */
export interface Verdict {
  readonly schemaVersion: 1;
  readonly kind: VerdictKind;
  readonly sentence: string;
}

/** Where a check looked: one line of a run, or less of it where a key is absent. */
export interface CheckPlace {
  readonly target: string;
  readonly route?: string | undefined;
  readonly suite?: string | undefined;
  readonly scenario?: string | undefined;
  readonly arm?: string | undefined;
  readonly shape?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** What a check is about; the words for each are in `words/`. */
export type CheckCode =
  // Is there anything to judge?
  | "vacuous"
  | "not_measured"
  | "target_unmet"
  | "unfinished"
  | "requests_lost"
  | "cached"
  | "context_cut"
  | "wrong_key"
  // Is it comparable?
  | "same_run"
  | "stale_run"
  | "baseline_invalid"
  | "baseline_too_old"
  | "nothing_shared"
  | "cells_missing"
  | "required_missing"
  | "identity"
  | "request_changed"
  | "question_changed"
  // Is it worse?
  | "few_trials"
  | "drop"
  | "case_drop"
  | "floor"
  | "safety_bound"
  | "safety_rise";

/** One thing that was checked. `facts` are the numbers and names that its sentence is made of. */
export interface Check {
  readonly code: CheckCode;
  readonly kind: VerdictKind;
  readonly place: CheckPlace | null;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/** Something worth knowing that decides nothing. */
export interface GateNote {
  readonly code:
    | "incidental"
    | "lab_version"
    | "baseline_age"
    | "older_than_baseline"
    | "same_seed"
    | "extra_cells"
    | "treatment"
    | "raw";
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Two runs side by side, as reports show them: plain data. */
export interface ComparisonView {
  readonly before: { readonly name: string; readonly run: string };
  readonly after: { readonly name: string; readonly run: string };
  readonly treatment: readonly Treatment[];
  /** Why the runs may not be compared; empty where they may. */
  readonly problems: readonly Check[];
  readonly notes: readonly GateNote[];
  readonly lines: readonly LineComparison[];
  /** Cases whose delivery changed, the least likely first. */
  readonly cases: readonly CaseComparison[];
  /** How many cases were compared. */
  readonly casesCompared: number;
  /** One for each pair of targets where a model or server was swapped. */
  readonly cards: readonly SwapCard[];
}

/** verdict.json: the word, everything that was checked, and the proof that something was measured. */
export interface GateVerdict extends Verdict {
  readonly run: string;
  readonly baseline: {
    readonly name: string;
    readonly run: string;
    readonly createdAt: string;
    readonly ageDays: number;
  } | null;
  readonly treatment: readonly Treatment[];
  /** Where the policy came from; null for the default one. */
  readonly policy: string | null;
  /** Gravest first; the first one is what the sentence says. */
  readonly checks: readonly Check[];
  readonly notes: readonly GateNote[];
  readonly onInconclusive: "fail" | "warn";
  readonly comparison: ComparisonView | null;
  readonly proof: { readonly run: MeasurementProof | null; readonly baseline: MeasurementProof | null };
}
