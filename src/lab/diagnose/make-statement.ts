import type { Owner } from "../classify/classification.ts";
import type { CheckedSample } from "./checked-sample.ts";
import type { Statement, StatementCode, StatementEvidence, StatementState, Topic } from "./checkup-statement.ts";

/** Statements that name their owner by themselves; a lost call has a diagnosis for that. */
const owners: Partial<Readonly<Record<StatementCode, Owner>>> = {
  tools_damaged: "template",
  tools_missing: "template",
  system_dropped: "template",
  calls_not_made: "model",
  required_not_enforced: "server_limit",
  results_lost: "template",
  results_refused: "template",
  results_unused: "model",
  thinking_in_text: "server_option",
  answer_hidden: "server_option",
  context_cuts: "server_option",
  context_exceeded: "server_option",
  parity_differs: "server_parser",
  intent_broken: "model",
  called_unasked: "model",
  history_refused: "server_limit",
  history_poisons: "model",
  relay_noisy: "model",
  language_left: "model",
};

/** One statement of a check-up, with the owner that goes with its code. */
export function makeStatement(
  topic: Topic,
  state: StatementState,
  code: StatementCode,
  more: Partial<Pick<Statement, "details" | "certainty" | "evidence" | "remedy">> = {},
): Statement {
  const { details = {}, certainty = "shown", evidence = [], remedy = null } = more;
  return { topic, state, code, owner: owners[code] ?? null, remedy, details, certainty, evidence };
}

/** The lines of captures.jsonl of these samples. */
export function captureLines(samples: readonly CheckedSample[]): readonly StatementEvidence[] {
  return samples.map(({ line }) => ({ file: "captures.jsonl", line }));
}
