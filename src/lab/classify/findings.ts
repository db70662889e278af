import type { ChatReply } from "../../protocol/reply.ts";
import { latestUserText, type Readings } from "./call-axis.ts";
import type { CallAxis, Finding, Owner, Span } from "./classification.ts";
import { findDoneReport } from "./done-reports.ts";
import { findFabrications, sourceTexts } from "./fabrications.ts";
import { readLedger } from "./ledger.ts";
import { findProseCommand } from "./prose-command.ts";
import type { ReplyInput } from "./reply-input.ts";
import { findResultValues } from "./result-values.ts";
import type { TextFinding } from "./sentences.ts";
import { argumentTexts } from "./served-calls.ts";
import { findFinalAnswer, findInventedObservation } from "./shown-runs.ts";

/** True for axis values that mean: the model wrote a call or kept the marker contract. */
function madeAttempt(axis: CallAxis): boolean {
  return axis.kind !== "none" && axis.kind !== "refused";
}

function callTexts(axis: CallAxis): readonly string[] {
  return "calls" in axis ? argumentTexts(axis.calls) : [];
}

/** What stands beside a call as if the call had been answered: a value, an observation, a report that it was done. */
function inventedAhead(
  input: ReplyInput,
  readings: Readings,
  axis: CallAxis,
  speech: string,
  sources: readonly string[],
): readonly TextFinding[] {
  const known = [...sources, ...callTexts(axis), markerText(input, readings, axis)];
  const observation = findInventedObservation(speech) ?? findFinalAnswer(speech);
  if (observation !== null) return [observation];
  const values = findResultValues(speech, known, input.expectation.oracle);
  if (values.length > 0) return values;
  const done = findDoneReport(speech, latestUserText(input));
  return done === null ? [] : [done];
}

/** Words in place of a call: only where a tool could have been called, and something was to be done rather than shown. */
function mayBeProseCommand(input: ReplyInput, readings: Readings): boolean {
  const { expectation } = input;
  const { forCode, forDocument, aboutCalls, composing, rewording } = readings.userRequest;
  if (expectation.judge === "no_call" || (expectation.tools.length === 0 && expectation.markerRule === null))
    return false;
  return !(forCode || forDocument || aboutCalls || composing || rewording) && readings.content.text.trim() !== "";
}

/** Content without the stretches that are calls or markers, blanked so that offsets stay. */
function speechOf(readings: Readings, axis: CallAxis): string {
  const { text, offset, calls } = readings.content;
  const stretches = calls.stretches.map(({ start, end }) => [start, end] as const);
  if (axis.kind === "marker") stretches.push([axis.span.start - offset, axis.span.end - offset]);
  if (stretches.length === 0) return text;
  let speech = "";
  let from = 0;
  for (const [start, end] of stretches) {
    speech += text.slice(from, start) + " ".repeat(Math.max(0, end - Math.max(start, from)));
    from = Math.max(from, end);
  }
  return speech + text.slice(from);
}

/** Everything seen beside what became of the call. */
export function findFindings(
  input: ReplyInput,
  readings: Readings,
  reply: ChatReply,
  axis: CallAxis,
): readonly Finding[] {
  const findings: Finding[] = [];
  const contentSpan = (found: { readonly start: number; readonly end: number }): Span => ({
    exchange: input.exchange,
    choice: reply.choice,
    field: "content",
    start: found.start + readings.content.offset,
    end: found.end + readings.content.offset,
  });
  const add = (kind: Finding["kind"], owner: Owner | null, text: string, spans: readonly Span[] = []): void => {
    findings.push({ kind, owner, text, spans });
  };
  const { request, expectation } = input;
  const sources = sourceTexts(input);
  const ledger = readLedger(request.sources, expectation.tools);
  const speech = speechOf(readings, axis);
  const attempt = madeAttempt(axis);
  const toolNames = expectation.tools.map((tool) => tool.function.name);

  // Values and claims. A tool message behind the user's turn is what a value may come from.
  const answered = ledger.latest !== null;
  if (attempt && !answered && axis.kind !== "server_error") {
    const ahead = inventedAhead(input, readings, axis, speech, sources);
    if (ahead.length > 0)
      add("value_ahead", "model", ahead.map((found) => found.text).join(", "), ahead.map(contentSpan));
  }
  if (axis.kind === "none" && !answered) {
    const values = findResultValues(speech, sources, expectation.oracle);
    if (values.length > 0)
      add("direct_answer", null, values.map((value) => value.text).join(", "), values.map(contentSpan));
  }
  const fabricated = findFabrications({ input, readings, ledger, speech, attempt });
  const [claim] = fabricated;
  if (claim !== undefined) add("provenance_claim", "model", claim.text, fabricated.map(contentSpan));
  if (axis.kind === "none" && mayBeProseCommand(input, readings)) {
    const command = findProseCommand(readings.content.text, toolNames);
    if (command !== null) add("prose_command", "model", command.text, [contentSpan(command)]);
  }

  // What the server did with the call.
  const served = readings.served;
  if (axis.kind === "structured" && readings.content.calls.attempts.some((one) => one.name !== null)) {
    const beside = readings.content.calls.attempts;
    const fits = beside.some((one) =>
      one.calls.some(({ validity }) => validity === "valid" || validity === "repairable"),
    );
    add(
      "leaked_beside",
      fits ? "server_parser" : "model",
      `${beside.length} more in the text`,
      beside.map(contentSpan),
    );
  }
  if (axis.kind === "structured" && served.some((one) => one.cut))
    add("truncated_beside", readings.cut === "budget" ? "budget" : null, "a further call is cut");
  for (const { call } of served) if (call.problems.includes("repeated")) add("duplicate_call", "model", call.name);
  const readable =
    "calls" in axis && axis.calls.some((call) => call.validity === "valid" || call.validity === "repairable");
  if ("calls" in axis && !readable && axis.calls.some((call) => call.problems.includes("two_readings")))
    add("two_readings", null, "the text does not say which argument or tool is meant");
  // A call that a grammar forces behind the model's own text stands there as if quoted.
  const forced = input.server.grammarChoices.includes(request.choice);
  if (served.length > 0 && !forced && quotedInRaw(input, readings))
    add("quoted_call", "server_parser", "the text only quotes the call");

  const expected = input.server.callFinishReasons[request.choice];
  if (
    axis.kind === "structured" &&
    readings.cut === null &&
    reply.finishReason !== null &&
    !expected.includes(reply.finishReason)
  ) {
    add("finish_reason_wrong", "server_parser", `finish_reason ${reply.finishReason} beside a call`);
  }
  if (axis.kind !== "structured" && reply.calls.length === 0 && reply.finishReason === "tool_calls") {
    add("finish_reason_wrong", "server_parser", "finish_reason tool_calls without a call");
  }
  if (axis.kind === "structured" && (forced || (input.server.grammarAfterTrigger && request.choice !== "none")))
    add("grammar_steered", null, "a grammar wrote or may have rewritten this call");
  // Where the server failed, that it did not end its stream is part of the failure.
  if (readings.cut === "stream" && input.end.kind === "complete" && axis.kind !== "server_error")
    add("stream_incomplete", "network", "the stream ended without its closing event");
  if (input.reply.problems.length > 0) add("unreadable_part", null, input.reply.problems.join("; "));
  if (input.raw?.grade === "second_generation" && !attempt && readings.raw !== null) {
    const written = readings.raw.calls.attempts.find((one) => one.state === "whole");
    if (written !== undefined && reply.content.trim() === "") {
      add("swallow_suspected", null, `another generation wrote a ${written.format} call`, [
        {
          exchange: readings.raw.exchange,
          choice: 0,
          field: "raw",
          start: written.start + readings.raw.offset,
          end: written.end + readings.raw.offset,
        },
      ]);
    }
  }

  // Empty answers and the tool choice.
  if (axis.kind === "none" && readings.content.text.trim() === "" && reply.calls.length === 0) {
    const thought = reply.reasoning.trim() !== "" || readings.content.thought.text.trim() !== "";
    add(
      thought ? "reasoning_only_reply" : "empty_reply",
      readings.cut === "budget" ? "budget" : null,
      thought ? "only reasoning came" : "nothing came",
    );
  }
  const violation = choiceViolation(input, readings, axis);
  if (violation !== null) add("choice_violated", violation.owner, violation.text);
  return findings;
}

function markerText(input: ReplyInput, readings: Readings, axis: CallAxis): string {
  return axis.kind === "marker"
    ? readings.content.text.slice(axis.span.start - readings.content.offset, axis.span.end - readings.content.offset)
    : (input.expectation.nonce ?? "");
}

/** A served call whose words the raw text has only inside a quotation or example: the parser took it out of there. */
function quotedInRaw(input: ReplyInput, readings: Readings): boolean {
  if (readings.raw === null || input.raw === null || input.raw.habit || input.raw.grade === "second_generation")
    return false;
  const { quoted, attempts } = readings.raw.calls;
  return quoted.length > 0 && attempts.length === 0;
}

function somethingCame({ content, reasoning, raw }: Readings): boolean {
  return [content, reasoning, raw].some(
    (reading) => reading !== null && (reading.text.trim() !== "" || reading.thought.text.trim() !== ""),
  );
}

/** What was asked by tool_choice and not done. A server that ignores the word is at its limit, not the model. */
function choiceViolation(input: ReplyInput, readings: Readings, axis: CallAxis): { owner: Owner; text: string } | null {
  const { choice, namedTool } = input.request;
  // Without tools there is nothing to choose from.
  if (input.expectation.tools.length === 0) return null;
  // From a reply in which nothing came nobody can tell whether the choice was ignored or the call lost.
  if (readings.served.length === 0 && !somethingCame(readings)) return null;
  const limit: Owner =
    input.server.ignoredChoices.includes(choice) || input.server.requiredAllowsText ? "server_limit" : "server_parser";
  const called = readings.served.map((served) => served.call.name);
  switch (choice) {
    case "none":
      if (called.length > 0) return { owner: limit, text: `tool_choice none, yet ${called.join(", ")} was called` };
      return axis.kind === "leaked" ? { owner: "model", text: "tool_choice none, yet the reply is a call" } : null;
    case "named": {
      if (called.length > 0 && namedTool !== null && !called.includes(namedTool))
        return { owner: limit, text: `${namedTool} was asked for, ${called.join(", ")} was called` };
      return called.length === 0 && axis.kind === "none"
        ? { owner: limit, text: `${namedTool ?? "a named tool"} was asked for and nothing was called` }
        : null;
    }
    case "required":
      return called.length === 0 && axis.kind === "none"
        ? { owner: limit, text: "tool_choice required, yet nothing was called" }
        : null;
    case "auto":
      return null;
    default:
      choice satisfies never;
      return null;
  }
}
