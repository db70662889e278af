import type { ServerFix } from "../../protocol/servers/server.ts";
import type { Owner } from "../classify/classification.ts";

/** What a diagnosis says, as a closed set; report/ turns each into a sentence in the reader's language. */
export type DiagnosisCode =
  /** Whole calls of one format came back as text or not at all, and a parser is (or must be) at work that does not read it. */
  | "parser_mismatch"
  /** The same, and nothing on this server parses calls. */
  | "parser_missing"
  /** Calls of a foreign format beside served ones: the model drifts. */
  | "format_drift"
  | "tools_refused"
  | "tools_not_in_prompt"
  | "system_prompt_dropped"
  | "server_fails_on_output"
  | "fabricated_provenance"
  | "value_ahead"
  | "prose_command"
  | "declines_known_answers"
  /** Plain replies without any attempt where a call was wanted. */
  | "no_attempt"
  | "invalid_arguments"
  | "undeclared_tool"
  | "budget_too_small"
  | "context_cut"
  | "choice_ignored"
  | "quoted_call_served"
  | "required_hides_fault"
  | "stream_differs"
  | "network"
  // What conversations show; the suite is in the details.
  | "call_not_made"
  | "wrong_tool_chosen"
  | "lost_among_tools"
  | "called_against_word"
  | "called_without_need"
  | "followup_refused"
  | "result_not_in_prompt"
  | "result_ignored"
  | "result_invented"
  | "step_not_carried"
  | "call_loop"
  | "call_ids_broken"
  | "final_answer_missing"
  | "final_answer_unfounded"
  | "prose_under_required"
  | "required_refused"
  | "history_refused"
  | "history_poisons"
  | "system_prompt_ignored"
  | "context_refused_early"
  | "context_recall"
  | "relay_wrong"
  | "warning_relayed"
  | "language_left"
  | "language_changes_calls"
  | "persona_lost"
  | "thinking_in_text"
  // What a server says of itself, beside what it does.
  | "template_ignored"
  | "capability_false"
  | "capability_unclaimed"
  /** The server's answer was right, and what the adapter made of it was not. */
  | "adapter_lost_call"
  /** The adapter handed on a call that the model had not attempted. */
  | "adapter_made_call"
  /** The adapter answered with an error of its own. */
  | "adapter_failed"
  /** The direct route is right more often on the same questions. */
  | "adapter_worse"
  | "no_fault";

/** One fault of one target with its owner, its evidence and, where one exists on that server, the remedy. */
export interface Diagnosis {
  readonly target: string;
  readonly route: string;
  readonly code: DiagnosisCode;
  readonly owner: Owner;
  readonly fix: ServerFix | null;
  /** Ids of the samples that show it. */
  readonly samples: readonly string[];
  /** How many samples could have shown it. */
  readonly of: number;
  /** `shown`: read from the server or its bytes; `inferred`: concluded from what it did. */
  readonly certainty: "shown" | "inferred";
  /** Values for the sentence: format, parser, counts, quoted words. */
  readonly details: Readonly<Record<string, string | number>>;
}
