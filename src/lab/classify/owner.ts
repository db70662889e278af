import { wireFaults } from "../../protocol/reply.ts";
import type { Readings } from "./call-axis.ts";
import type { CallAxis, CallProblem, Finding, JudgedCall, Owner } from "./classification.ts";
import type { ReplyInput } from "./reply-input.ts";
import { bestValidity } from "./served-calls.ts";

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
      if (axis.validity === "repairable") return axis.calls.some(isServersDoing) ? "server_parser" : "model";
      return ownerOfFinding ?? "none";
    case "marker":
      return axis.grade === "present" ? "model" : (ownerOfFinding ?? "none");
    case "leaked":
      if (input.request.choice === "none") return "model";
      return lostCallOwner(input, axis.calls);
    case "swallowed":
    case "reasoning_only":
      return lostCallOwner(input, axis.calls);
    case "truncated":
      // Another generation shows what the model tends to write, not that this call was whole.
      if (input.raw?.grade !== "second_generation" && rawHoldsWholeCall(readings)) return "server_parser";
      return axis.cause === "budget" ? "budget" : axis.cause === "stream" ? "network" : "model";
    case "server_error":
      return axis.modelCall === "broken" ? "model" : "server_parser";
    case "refused":
      return refusalOwner(axis.about);
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

function refusalOwner(about: (CallAxis & { kind: "refused" })["about"]): Owner {
  switch (about) {
    case "model_capability":
    case "template":
      return "template";
    case "parser_option":
    case "tokenizer":
      return "server_option";
    case "version":
      return "server_limit";
    default:
      return about satisfies never;
  }
}

/** What a server does to calls on the way from the model's words to the API. */
const serverFaults: ReadonlySet<CallProblem> = new Set<CallProblem>([...wireFaults, "name_residue", "merged_calls"]);

function isServersDoing(call: JudgedCall): boolean {
  return call.problems.some((problem) => serverFaults.has(problem));
}

/** A call that was written well and did not arrive as one; a call wrong in itself would not have helped anybody. */
function lostCallOwner(input: ReplyInput, calls: readonly JudgedCall[]): Owner {
  const validity = bestValidity(calls);
  if (validity === "invalid_args" || validity === "hallucinated_tool") return "model";
  return input.toolParser === "none" ? "server_option" : "server_parser";
}

function rawHoldsWholeCall(readings: Readings): boolean {
  return readings.raw?.calls.attempts.some((attempt) => attempt.state === "whole") ?? false;
}

/** The served arguments are broken although the model's own words hold a fitting call. */
function rawCallIsBetter(readings: Readings, axis: Extract<CallAxis, { kind: "structured" }>): boolean {
  if (axis.validity === "valid" || readings.raw === null) return false;
  // A call that the model itself wrote twice is served as it was written.
  if (axis.calls.every((call) => call.problems.every((problem) => problem === "repeated"))) return false;
  return readings.raw.calls.attempts.some(
    (attempt) => attempt.state === "whole" && attempt.calls.some((call) => call.validity === "valid"),
  );
}
