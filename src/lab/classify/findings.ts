import { sameCall } from "../../protocol/hand-on.ts";
import type { ChatReply } from "../../protocol/reply.ts";
import type { Readings } from "./call-axis.ts";
import {
  asksForAction,
  findClaims,
  findInventedObservation,
  findProseCommand,
  findResultValues,
  findSuccessClaim,
} from "./claims.ts";
import type { CallAxis, Finding, Owner, Span } from "./classification.ts";
import type { ReplyInput } from "./reply-input.ts";
import { findTextCalls } from "./text-calls.ts";

/** True for axis values that mean: the model wrote a call or kept the marker contract. */
function madeAttempt(axis: CallAxis): boolean {
  return axis.kind !== "none" && axis.kind !== "refused";
}

function callTexts(axis: CallAxis): string[] {
  switch (axis.kind) {
    case "structured":
    case "leaked":
    case "swallowed":
    case "reasoning_only":
      return axis.calls.map((call) => JSON.stringify(call.arguments));
    default:
      return [];
  }
}

/** Content without the stretches that are calls or markers, blanked so that offsets stay. */
function speechOf(readings: Readings, axis: CallAxis): string {
  let text = readings.content.text;
  const stretches = readings.content.calls.pieces.flatMap((piece) =>
    piece.kind === "text" ? [] : [[piece.start, piece.end] as const],
  );
  if (axis.kind === "marker")
    stretches.push([axis.span.start - readings.content.offset, axis.span.end - readings.content.offset]);
  for (const [start, end] of stretches) text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
  return text;
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
  const sources = request.sources.map((source) => source.text);
  const userText = request.sources.findLast((source) => source.role === "user")?.text ?? "";
  const toolAnswered = request.sources.some((source) => source.role === "tool");
  const speech = speechOf(readings, axis);
  const attempt = madeAttempt(axis);
  const toolNames = expectation.tools.map((tool) => tool.function.name);

  // Values and claims. After a tool message a value has a source and a claim may be honest.
  if (!toolAnswered) {
    const values = findResultValues(
      speech,
      [...sources, ...callTexts(axis), markerText(input, readings, axis)],
      expectation.oracle,
    );
    const observation = attempt ? findInventedObservation(speech) : null;
    const success = attempt ? findSuccessClaim(speech) : null;
    if (attempt && axis.kind !== "server_error") {
      if (values.length > 0)
        add("value_ahead", "model", values.map((value) => value.text).join(", "), values.map(contentSpan));
      else if (observation !== null) add("value_ahead", "model", observation.text, [contentSpan(observation)]);
      else if (success !== null) add("value_ahead", "model", success.text, [contentSpan(success)]);
    } else if (axis.kind === "none" && values.length > 0) {
      add("direct_answer", null, values.map((value) => value.text).join(", "), values.map(contentSpan));
    }
    const claims = findClaims(speech);
    const [claim] = claims;
    if (claim !== undefined) add("provenance_claim", "model", claim.text, claims.map(contentSpan));
  }
  if (
    axis.kind === "none" &&
    reply.content.trim() !== "" &&
    asksForAction(userText) &&
    expectation.judge !== "no_call"
  ) {
    const command = findProseCommand(readings.content.text, toolNames);
    if (command !== null) add("prose_command", "model", command.text, [contentSpan(command)]);
  }

  // What the server did with the call.
  const served = readings.served;
  if (axis.kind === "structured" && readings.content.calls.attempts.some((one) => one.name !== null)) {
    const beside = readings.content.calls.attempts;
    add("leaked_beside", "server_parser", `${beside.length} more in the text`, beside.map(contentSpan));
  }
  if (axis.kind === "structured" && served.some((one) => one.cut))
    add("truncated_beside", readings.cut === "budget" ? "budget" : null, "a further call is cut");
  for (const [index, one] of served.entries()) {
    if (served.slice(0, index).some((earlier) => earlier.call.arguments !== null && sameCall(earlier.call, one.call)))
      add("duplicate_call", "model", one.call.name);
  }
  if (served.length > 0 && quotedInRaw(input, readings, userText))
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
  const grammar =
    input.server.grammarChoices.includes(request.choice) ||
    (input.server.grammarAfterTrigger && request.choice === "auto");
  if (axis.kind === "structured" && grammar)
    add("grammar_steered", null, "a grammar wrote or may have rewritten this call");
  if (readings.cut === "stream" && input.end.kind === "complete")
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
function quotedInRaw(input: ReplyInput, readings: Readings, userText: string): boolean {
  if (input.raw === null || input.raw.habit || input.raw.grade === "second_generation") return false;
  const calls = readings.raw?.calls ?? findTextCalls(input.raw.text, input.expectation.tools, userText);
  return calls.quoted.length > 0 && calls.attempts.length === 0;
}

/** What was asked by tool_choice and not done. A server that ignores the word is at its limit, not the model. */
function choiceViolation(input: ReplyInput, readings: Readings, axis: CallAxis): { owner: Owner; text: string } | null {
  const { choice, namedTool } = input.request;
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
