import type { ServerFix, ServerKind } from "../../../protocol/servers/server.ts";
import type { Owner } from "../../classify/classification.ts";
import type { DiagnosisCode } from "../../diagnose/diagnosis.ts";

/** How many of a diagnosis's samples show what, by transport mode. */
export interface SeenByMode {
  readonly whole: number;
  readonly streamed: number;
}

/** What the sentence of a diagnosis is made of. `count` samples of `of` show it. */
export interface DiagnosisFacts {
  readonly code: DiagnosisCode;
  readonly owner: Owner;
  readonly count: number;
  readonly of: number;
  readonly server: ServerKind;
  readonly fix: ServerFix | null;
  readonly certainty: "shown" | "inferred";
  readonly leaked: SeenByMode;
  readonly swallowed: SeenByMode;
  readonly details: Readonly<Record<string, string | number>>;
}

/** Diagnoses that only conversations come to. */
const probeCodes = [
  "call_not_made",
  "wrong_tool_chosen",
  "lost_among_tools",
  "called_against_word",
  "called_without_need",
  "followup_refused",
  "result_not_in_prompt",
  "result_ignored",
  "result_invented",
  "step_not_carried",
  "call_loop",
  "call_ids_broken",
  "final_answer_missing",
  "final_answer_unfounded",
  "prose_under_required",
  "required_refused",
  "history_refused",
  "history_poisons",
  "system_prompt_ignored",
  "context_refused_early",
  "context_recall",
  "relay_wrong",
  "warning_relayed",
  "language_left",
  "language_changes_calls",
  "persona_lost",
  "thinking_in_text",
  "template_ignored",
  "capability_false",
  "capability_unclaimed",
] as const satisfies readonly DiagnosisCode[];
export type ProbeDiagnosisCode = (typeof probeCodes)[number];

export function isProbeCode(code: DiagnosisCode): code is ProbeDiagnosisCode {
  return probeCodes.some((each) => each === code);
}

/** A detail as text, or null where the diagnosis does not carry it. */
export function detail(facts: DiagnosisFacts, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = facts.details[key];
    if (value !== undefined && value !== "" && value !== "unknown") return String(value);
  }
  return null;
}

/** A list of names as the report calls them; one that it has no word for stays as it is. */
export function named(list: string | null, words: Readonly<Record<string, string>>): string | null {
  return list === null
    ? null
    : list
        .split(", ")
        .map((name) => words[name] ?? name)
        .join(", ");
}

/** The sentences of one diagnosis. `fix` holds the fix's option word for word; null where nothing mends it or nothing is inferred. */
export interface DiagnosisParts {
  readonly happened: string;
  readonly fix: string | null;
  readonly caveat: string | null;
}
