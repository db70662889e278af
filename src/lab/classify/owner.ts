import type { Readings } from "./call-axis.ts";
import type { CallAxis, Finding, Owner } from "./classification.ts";
import type { ReplyInput } from "./reply-input.ts";

/**
 * Who answers for what became of the call, from this one reply. `none` where nothing went wrong. The diagnosis of a whole
 * target may know more: a single leaked call beside many served ones is the model drifting, not the parser.
 */
export function ownerOf(input: ReplyInput, readings: Readings, axis: CallAxis, findings: readonly Finding[]): Owner {
  const { judge } = input.expectation;
  const ownerOfFinding = findings.find((finding) => finding.owner !== null)?.owner ?? null;
  switch (axis.kind) {
    case "structured":
      if (findings.some((finding) => finding.kind === "quoted_call")) return "server_parser";
      if (rawCallIsBetter(readings, axis)) return "server_parser";
      if (axis.validity === "invalid_args" || axis.validity === "hallucinated_tool") return "model";
      return ownerOfFinding ?? "none";
    case "marker":
      return axis.grade === "present" ? "model" : (ownerOfFinding ?? "none");
    case "leaked":
      if (input.request.choice === "none") return "model";
      return lostCallOwner(input, axis.validity);
    case "swallowed":
    case "reasoning_only":
      return lostCallOwner(input, axis.validity);
    case "truncated":
      if (rawHoldsWholeCall(readings)) return "server_parser";
      return axis.cause === "budget" ? "budget" : axis.cause === "stream" ? "network" : "model";
    case "server_error":
      return axis.modelCall === "broken" ? "model" : "server_parser";
    case "refused":
      return axis.about === "model_capability" || axis.about === "template" ? "template" : "server_option";
    case "none":
      if (input.request.choice === "none" || judge === "no_call") return "none";
      if (
        input.expectation.contract === "native" &&
        (input.toolsInPrompt === "missing" || input.toolsInPrompt === "damaged")
      )
        return "template";
      return ownerOfFinding ?? "model";
    default:
      return axis satisfies never;
  }
}

/** A call that was written well and did not arrive as one; a call wrong in itself would not have helped anybody. */
function lostCallOwner(input: ReplyInput, validity: string): Owner {
  if (validity === "invalid_args" || validity === "hallucinated_tool") return "model";
  return input.toolParser === "none" ? "server_option" : "server_parser";
}

function rawHoldsWholeCall(readings: Readings): boolean {
  return readings.raw?.calls.attempts.some((attempt) => attempt.state === "whole") ?? false;
}

/** The served arguments are broken although the model's own words hold a fitting call. */
function rawCallIsBetter(readings: Readings, axis: Extract<CallAxis, { kind: "structured" }>): boolean {
  if (axis.validity === "valid" || readings.raw === null) return false;
  return readings.raw.calls.attempts.some(
    (attempt) => attempt.state === "whole" && attempt.calls.some((call) => call.validity === "valid"),
  );
}
