import type { CallAxis, Finding, Headline } from "./classification.ts";

/**
 * The one word for people. Precedence: the call axis names most replies; a call that could be read in two ways outranks all
 * that is whole; a value stated ahead outranks how the call
 * arrived; a call under `none`, or of another than the named tool, outranks the call; a missing call under required or
 * named comes after all forms of calls; then claims, commands, empty replies and plain answers.
 */
export function headlineOf(axis: CallAxis, findings: readonly Finding[]): Headline {
  const has = (kind: Finding["kind"]): boolean => findings.some((finding) => finding.kind === kind);
  if (axis.kind === "refused") return "config_error";
  if (axis.kind === "server_error") return "server_parse_error";
  if (axis.kind === "truncated" || has("truncated_beside")) return "truncated_call";
  if (has("two_readings")) return "undecidable";
  const visible = axis.kind === "structured" || axis.kind === "leaked";
  if (has("value_ahead") && axis.kind !== "none") return "value_ahead";
  if (has("choice_violated") && visible) return "tool_choice_ignored";
  switch (axis.kind) {
    case "structured":
      return "structured_call";
    case "marker":
      return "marker_call";
    case "leaked":
      return "leaked_call";
    case "swallowed":
      return "swallowed_call";
    case "reasoning_only":
      return "reasoning_only_call";
    case "none":
      break;
    default:
      axis satisfies never;
  }
  if (has("choice_violated")) return "tool_choice_ignored";
  if (has("provenance_claim")) return "fabricated_provenance";
  if (has("prose_command")) return "prose_command";
  if (has("empty_reply")) return "empty_reply";
  if (has("reasoning_only_reply")) return "reasoning_only_reply";
  if (has("direct_answer")) return "direct_answer";
  return "non_call";
}
