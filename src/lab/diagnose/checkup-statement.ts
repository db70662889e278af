import type { Owner } from "../classify/classification.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** What a check-up speaks of, in the order in which it does. */
export const topics = [
  "server",
  "tools",
  "system",
  "auto",
  "streamed",
  "parser",
  "required",
  "results",
  "thinking",
  "context",
  "parity",
  "negative_intent",
  "history",
  "relay",
  "language",
] as const;
export type Topic = (typeof topics)[number];

/** `caution`: as it should be, and still worth knowing; `unknown`: not shown, which is neither good nor bad. */
export type StatementState = "good" | "fault" | "caution" | "unknown";

/** What a statement says, as a closed set; report/ has the words. */
export type StatementCode =
  | "server_is"
  | "server_untried"
  | "tools_whole"
  | "tools_damaged"
  | "tools_missing"
  | "tools_cost"
  | "tools_unknown"
  | "system_kept"
  | "system_dropped"
  | "system_unknown"
  | "calls_delivered"
  | "calls_lost"
  | "calls_refused"
  | "calls_failed"
  | "calls_not_made"
  | "calls_not_seen"
  | "calls_mixed"
  | "calls_unmeasured"
  | "parser_named"
  | "parser_inferred"
  | "parser_active"
  | "parser_none"
  | "parser_unknown"
  | "required_enforced"
  | "required_free"
  | "required_not_enforced"
  | "required_not_testable"
  | "required_unknown"
  | "results_used"
  | "results_lost"
  | "results_refused"
  | "results_unused"
  | "results_unknown"
  | "thinking_none"
  | "thinking_apart"
  | "thinking_in_text"
  | "answer_hidden"
  | "thinking_unknown"
  | "context_is"
  | "context_cuts"
  | "context_exceeded"
  | "context_unknown"
  | "parity_alike"
  | "parity_differs"
  | "parity_unknown"
  | "intent_kept"
  | "intent_broken"
  | "called_unasked"
  | "intent_unknown"
  | "history_taken"
  | "history_refused"
  | "history_poisons"
  | "history_unknown"
  | "relay_clean"
  | "relay_noisy"
  | "relay_unknown"
  | "language_kept"
  | "language_left"
  | "language_unknown";

/** A stored exchange that shows something: a line of a file of the run folder, from 1. */
export interface StatementEvidence {
  readonly file: "probes.jsonl" | "captures.jsonl";
  readonly line: number;
}

export interface Statement {
  readonly topic: Topic;
  readonly state: StatementState;
  readonly code: StatementCode;
  /** Whose doing it is, where the statement shows that by itself; null where nothing is wrong, or the diagnoses say it. */
  readonly owner: Owner | null;
  /** What helps against it, literally; null where the check-up's one sentence says what to change, or nothing helps. */
  readonly remedy: string | null;
  readonly details: Readonly<Record<string, string | number>>;
  /** `inferred`: concluded from what the server did. */
  readonly certainty: "shown" | "inferred";
  readonly evidence: readonly StatementEvidence[];
}

/** What to change, if anything; `option` where the server has an option that does it. */
export type Cure =
  | { readonly kind: "nothing" }
  | { readonly kind: "measure"; readonly why: string }
  | { readonly kind: "diagnosis"; readonly diagnosis: Diagnosis }
  | { readonly kind: "fault"; readonly topic: Topic; readonly code: StatementCode; readonly owner: Owner };

/** A whole check-up. `healthy` needs every call under `auto` delivered, whole and streamed, and no fault seen. */
export interface Checkup {
  readonly verdict: "healthy" | "fault" | "unmeasured";
  readonly statements: readonly Statement[];
  readonly cure: Cure;
}
