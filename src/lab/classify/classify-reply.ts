import { readErrorBody } from "../../protocol/error-body.ts";
import { callKey, handOnWritten } from "../../protocol/hand-on.ts";
import { asOneMessage } from "../../protocol/one-message.ts";
import { type ChatReply, emptyReply } from "../../protocol/reply.ts";
import { classifyServerError } from "../../protocol/servers/server-error.ts";
import { readUserRequest } from "../../protocol/user-request.ts";
import { callAxis, type Readings, readReplyTexts } from "./call-axis.ts";
import type { CallAxis, Finding, Headline, JudgedCall, NotMeasured, ReplyJudgement } from "./classification.ts";
import { findFindings } from "./findings.ts";
import { headlineOf } from "./headline.ts";
import { ownerOf } from "./owner.ts";
import type { ReplyInput } from "./reply-input.ts";
import { residualOf } from "./residual.ts";
import { findTextCalls, type TextCalls } from "./text-calls.ts";

/** A server may say anything at any length; what came is kept with the capture. */
const longestDetail = 500;

const unmeasured = (input: ReplyInput, reason: NotMeasured, detail: string): ReplyJudgement => ({
  measured: false,
  exchange: input.exchange,
  reason,
  detail: detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail)}…`,
  headline: reason === "bad_request" || reason === "context_invalid" ? "config_error" : "transport_error",
  owner: reason === "context_invalid" ? "server_option" : "network",
});

/** An error of the server, from an HTTP status or inside a 200: what it says about the model's call, or that nothing was measured. */
function judgeError(
  input: ReplyInput,
  reply: ChatReply,
  message: string,
  status: number | null,
  inStream: boolean,
): ReplyJudgement {
  const meaning = classifyServerError(input.server, { status: status ?? 0, message, inStream });
  const said = inStream || status === null || message.startsWith("HTTP ") ? message : `HTTP ${status}: ${message}`;
  switch (meaning.kind) {
    case "refused":
      return judged(input, reply, { kind: "refused", status: status ?? 0, message, about: meaning.about });
    case "server_error":
      return judgeServerError(input, reply, status, message);
    case "context":
      return unmeasured(input, "context_invalid", said);
    case "wrong_key":
      return unmeasured(input, "wrong_key", said);
    case "model_missing":
      return unmeasured(input, "model_missing", said);
    case "unavailable":
      return unmeasured(input, "server_unavailable", said);
    case "bad_request":
      return unmeasured(input, "bad_request", said);
    case "other":
      // Some servers say nothing but what the model wrote.
      return callsInError(input, message).attempts.some((attempt) => !attempt.bare)
        ? judgeServerError(input, reply, status, message)
        : unmeasured(input, "transport", said);
    default:
      return meaning satisfies never;
  }
}

function judgeServerError(input: ReplyInput, reply: ChatReply, status: number | null, message: string): ReplyJudgement {
  const readings = readReplyTexts(input, reply);
  return judged(
    input,
    reply,
    { kind: "server_error", status, message, ...modelCallOf(input, readings, message) },
    readings,
  );
}

/** Calls that an error message quotes; Ollama puts what it could not read behind `raw=`. */
function callsInError(input: ReplyInput, message: string): TextCalls {
  const context = { tools: input.expectation.tools, request: readUserRequest(""), stopped: true };
  const quoted = /\braw='([\s\S]*)', err=/.exec(message)?.[1];
  if (quoted === undefined) return findTextCalls(message, context);
  const found = findTextCalls(quoted, context);
  if (found.attempts.length > 0 || !/[\]}]\s*$/.test(quoted)) return found;
  // A bracket too many behind the object is what broke it.
  const object = findTextCalls(quoted.slice(0, quoted.lastIndexOf("}") + 1), context);
  return { ...object, attempts: object.attempts.map((attempt) => ({ ...attempt, state: "broken" })) };
}

/** What the model itself had written when the server failed, as far as a raw text, the message or the text before the error shows. */
function modelCallOf(
  input: ReplyInput,
  readings: Readings,
  message: string,
): Pick<CallAxis & { kind: "server_error" }, "modelCall" | "format"> {
  const places = [
    ...(readings.raw === null ? [] : [readings.raw.calls.attempts]),
    callsInError(input, message).attempts,
    readings.content.calls.attempts,
  ];
  const [attempt, ...more] = places.find((found) => found.length > 0) ?? [];
  if (attempt === undefined) return { modelCall: readings.raw === null ? "unknown" : "none", format: null };
  const whole = [attempt, ...more].some(
    (one) => one.state === "whole" && one.calls.some((call) => call.validity !== "invalid_args"),
  );
  return { modelCall: whole ? "whole" : "broken", format: attempt.format };
}

function judged(
  input: ReplyInput,
  reply: ChatReply,
  axis: CallAxis,
  readings = readReplyTexts(input, reply),
): ReplyJudgement {
  const findings = findFindings(input, readings, reply, axis);
  const headline: Headline = headlineOf(axis, findings);
  return {
    measured: true,
    exchange: input.exchange,
    axis,
    findings,
    headline,
    owner: ownerOf(input, readings, axis, findings),
    ...handedOn(input, readings, axis, findings),
  };
}

/** What a careful adapter would hand on: served calls that fit, else calls read from the text that the user would have seen. */
function handedOn(
  input: ReplyInput,
  readings: Readings,
  axis: CallAxis,
  findings: readonly Finding[],
): Pick<ReplyJudgement & { measured: true }, "handedOn" | "residual"> {
  const { text, offset, calls } = readings.content;
  const fromText = handOnWritten(text, calls.stretches, input.request);
  const remaining = residualOf(readings, axis, findings, fromText);
  const residual = offset === 0 && remaining === text.trim() ? null : remaining;
  if (input.request.choice === "none") return { handedOn: [], residual };
  const found = axis.kind === "structured" ? axis.calls : fromText.calls.length > 0 ? fromText.calls : lostCalls(axis);
  const usable = found.filter(
    (call) => !("validity" in call) || call.validity === "valid" || call.validity === "repairable",
  );
  const distinct = new Map(usable.map((call) => [callKey(call), call]));
  return {
    handedOn: [...distinct.values()].flatMap(({ name, arguments: given, repairs = [] }) => {
      const names = repairs.map((repair) => (typeof repair === "string" ? repair : repair.name));
      const shown = names.length === 0 ? {} : { repairs: [...new Set(names)] };
      return given === null ? [] : [{ name, arguments: given, ...shown }];
    }),
    residual,
  };
}

/** Calls that stand nowhere in the text which the user sees. */
function lostCalls(axis: CallAxis): readonly JudgedCall[] {
  return axis.kind === "swallowed" || axis.kind === "reasoning_only" ? axis.calls : [];
}

/** Judges one reply. Pure: the same input gives the same judgement, whenever and wherever it is asked. */
export function classifyReply(input: ReplyInput): ReplyJudgement {
  const reply = asOneMessage(input.reply.replies);
  if (input.status === null)
    return unmeasured(input, "transport", input.end.kind === "failed" ? input.end.cause : "no response");
  if (input.status >= 400) {
    const error = readErrorBody(input.body);
    return judgeError(input, emptyReply, error?.message ?? `HTTP ${input.status}`, input.status, false);
  }
  if (reply === undefined || input.reply.end === "unreadable") {
    const error = readErrorBody(input.body);
    if (error !== null) return judgeError(input, emptyReply, error.message, input.status, false);
    if (input.end.kind === "failed") return unmeasured(input, "transport", input.end.cause);
    return unmeasured(input, "unreadable", input.reply.problems[0] ?? "the body is no chat reply");
  }
  if (reply.error !== null) return judgeError(input, reply, reply.error.message, input.status, true);

  const readings = readReplyTexts(input, reply);
  const axis = callAxis(input, readings, reply);
  const silence = endedInSilence(input, reply, axis, readings);
  if (silence !== null) return judged(input, reply, silence, readings);
  const missing = axis.kind === "none" ? missingPart(input, readings) : null;
  return missing ?? judged(input, reply, axis, readings);
}

/** A reply of which a part is missing, and that shows no call, says nothing about the model: the call might stand there. */
function missingPart(input: ReplyInput, readings: Readings): ReplyJudgement | null {
  if (input.end.kind === "failed") return unmeasured(input, "transport", input.end.cause);
  if (readings.cut === "stream") {
    const cut = input.reply.lossy ? input.reply.problems.at(-1) : undefined;
    return unmeasured(input, "transport", cut ?? "the stream ended without finish_reason and [DONE]");
  }
  return input.reply.lossy ? unmeasured(input, "unreadable", input.reply.problems[0] ?? "a part is missing") : null;
}

/**
 * A stream that stops without finish_reason and without its closing event, on a connection that was closed in order, is how
 * some servers fail on the model's output when text had already gone out (Ollama /v1).
 */
function endedInSilence(input: ReplyInput, reply: ChatReply, axis: CallAxis, readings: Readings): CallAxis | null {
  const hidden = axis.kind === "none" || axis.kind === "swallowed" || axis.kind === "reasoning_only";
  if (!hidden || !input.request.stream || input.end.kind !== "complete") return null;
  if (
    input.reply.end !== "no_done" ||
    reply.finishReason !== null ||
    input.server.silentStreamFailure?.test(input.body) !== true
  )
    return null;
  const message = "the stream ended without finish_reason and [DONE]";
  return { kind: "server_error", status: input.status, message, ...modelCallOf(input, readings, message) };
}
