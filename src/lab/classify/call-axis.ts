import { scanMarkers } from "../../protocol/formats/marker.ts";
import { splitReasoning } from "../../protocol/formats/reasoning.ts";
import { callKey } from "../../protocol/hand-on.ts";
import type { ChatReply } from "../../protocol/reply.ts";
import { readUserRequest, type UserRequest } from "../../protocol/user-request.ts";
import type { WrittenContext } from "../../protocol/written-calls.ts";
import type { CallAxis, JudgedCall, Span } from "./classification.ts";
import type { ReplyInput } from "./reply-input.ts";
import { commonValidity, type JudgedServedCall, judgeServed } from "./served-calls.ts";
import { findTextCalls, type TextAttempt, type TextCalls } from "./text-calls.ts";

/** Why a begun call may have been cut; null where the model ended its text by itself. */
export type CutCause = "budget" | "stream" | null;

/** One place where the model's words were looked for, with the calls found there. `offset` leads back to the whole field. */
export interface Reading {
  readonly field: "content" | "reasoning" | "raw";
  readonly exchange: number;
  /** The part of the field that is speech, not thought. */
  readonly text: string;
  readonly offset: number;
  readonly calls: TextCalls;
  /** Calls at the very end of the thinking part; they count only if nothing follows it. */
  readonly thought: { readonly text: string; readonly offset: number; readonly calls: TextCalls };
}

/** Everything read from one reply before anything is judged. */
export interface Readings {
  /** What the latest user turn asks for. */
  readonly userRequest: UserRequest;
  readonly content: Reading;
  readonly reasoning: Reading;
  readonly raw: Reading | null;
  readonly served: readonly JudgedServedCall[];
  readonly cut: CutCause;
}

const nothing: TextCalls = { attempts: [], quoted: [], stretches: [] };

function readField(field: Reading["field"], text: string, exchange: number, context: WrittenContext | null): Reading {
  const split = splitReasoning(text);
  const speech = text.slice(split.from);
  return {
    field,
    exchange,
    text: speech,
    offset: split.from,
    calls: speech === "" || context === null ? nothing : findTextCalls(speech, context),
    thought: {
      text: split.inside,
      offset: split.insideStart,
      calls: split.inside === "" || context === null ? nothing : findTextCalls(split.inside, context),
    },
  };
}

/** Why the text may end inside a call: the budget was spent, or the stream stopped before its end was said. */
export function cutCause(input: ReplyInput, reply: ChatReply): CutCause {
  if (input.end.kind === "stopped") return null;
  if (
    input.end.kind === "failed" ||
    (input.reply.end === "no_done" && reply.error === null && reply.finishReason === null)
  )
    return "stream";
  if (reply.finishReason === "length") return "budget";
  const spent = reply.usage?.completionTokens ?? null;
  return spent !== null && input.request.maxTokens !== null && spent >= input.request.maxTokens ? "budget" : null;
}

/** Text of the latest user turn. */
export function latestUserText(input: ReplyInput): string {
  return input.request.sources.findLast((source) => source.role === "user")?.text ?? "";
}

/** Reads every place in which a call can stand. */
export function readReplyTexts(input: ReplyInput, reply: ChatReply): Readings {
  const cut = cutCause(input, reply);
  const stopped = cut === null;
  const { tools } = input.expectation;
  const userRequest = readUserRequest(latestUserText(input));
  // Where nothing was offered, neither a tool nor the marker, no text can be an attempt at it.
  const offered = tools.length > 0 || input.expectation.markerRule !== null;
  const context: WrittenContext | null = offered ? { tools, request: userRequest, stopped } : null;
  const raw = input.raw === null ? null : readField("raw", input.raw.text, input.raw.exchange, context);
  const served = judgeServed(reply.calls, tools, !stopped);
  return {
    userRequest,
    content: readField("content", reply.content, input.exchange, context),
    reasoning: readField("reasoning", reply.reasoning, input.exchange, context),
    raw,
    served: stopped && showsWholeCalls(input, raw) ? served.map((one) => ({ ...one, cut: false })) : served,
    cut,
  };
}

/** The model's own words hold nothing but whole calls: what a served call lacks was then lost by the server, not cut. */
function showsWholeCalls(input: ReplyInput, raw: Reading | null): boolean {
  if (raw === null || input.raw === null || input.raw.habit || input.raw.grade === "second_generation") return false;
  return raw.calls.attempts.length > 0 && raw.calls.attempts.every((attempt) => attempt.state === "whole");
}

function spanOf(reading: Reading, choice: number, start: number, end: number, offset = reading.offset): Span {
  return { exchange: reading.exchange, choice, field: reading.field, start: start + offset, end: end + offset };
}

function lastIn(text: string, attempts: readonly TextAttempt[]): TextAttempt | undefined {
  const last = attempts.at(-1);
  return last !== undefined && text.slice(last.end).trim() === "" ? last : undefined;
}

/** All judged calls of whole or damaged attempts, the same call once. */
function callsOf(attempts: readonly TextAttempt[]): readonly JudgedCall[] {
  const distinct = new Map<string, JudgedCall>();
  for (const call of attempts.flatMap((attempt) => attempt.calls)) {
    const key = callKey(call);
    if (!distinct.has(key)) distinct.set(key, call);
  }
  return [...distinct.values()];
}

/** What the text of a field shows of calls: first whole or damaged ones, and one that the text's end cuts. */
interface Shown {
  readonly written: TextAttempt | undefined;
  readonly calls: readonly JudgedCall[];
  readonly cut: TextAttempt | undefined;
}

function shown(calls: TextCalls, cut: CutCause): Shown {
  // A text that ended by itself and lacks no more than a bracket was not cut.
  const isCut = (attempt: TextAttempt): boolean =>
    attempt.state === "cut" && (cut !== null || attempt.calls.length === 0);
  const written = calls.attempts.filter((attempt) => !isCut(attempt));
  return { written: written[0], calls: callsOf(written), cut: calls.attempts.find(isCut) };
}

/** The marker of the contract: as asked when it is one, well formed, and the last thing said. */
export function markerAxis(input: ReplyInput, readings: Readings, reply: ChatReply): CallAxis | null {
  const rule = input.expectation.markerRule;
  if (rule === null) return null;
  const { text } = readings.content;
  const markers = scanMarkers(text).filter((marker) => marker.name === rule.name);
  const first = markers[0];
  if (first === undefined) return null;
  const alone = markers.length === 1 && first.closed && first.task !== "";
  const last = text.slice(first.end).replace(/[\s。．.!！?？✨]|\p{Extended_Pictographic}/gu, "") === "";
  const grade = alone && last ? "as_asked" : "present";
  return { kind: "marker", grade, span: spanOf(readings.content, reply.choice, first.start, first.end) };
}

/**
 * What became of the call, from the readings alone. A whole served call decides; else the first that holds of truncated,
 * leaked, swallowed and reasoning-only; else the marker contract; else none.
 */
export function callAxis(input: ReplyInput, readings: Readings, reply: ChatReply): CallAxis {
  const whole = readings.served.filter((served) => !served.cut);
  const unfinished = whole.length > 0 ? cutInRaw(input, readings, reply) : null;
  if (unfinished !== null) return unfinished;
  if (whole.length > 0) {
    const calls = whole.map((served) => served.call);
    return { kind: "structured", validity: commonValidity(calls), calls };
  }
  const marker = markerAxis(input, readings, reply);
  if (marker !== null) return marker;

  const half = readings.served.find((served) => served.cut);
  if (half !== undefined) {
    const span: Span = {
      exchange: input.exchange,
      choice: reply.choice,
      field: "arguments",
      start: 0,
      end: half.argumentsText.length,
    };
    return { kind: "truncated", format: null, where: "arguments", cause: readings.cut ?? "model", span };
  }
  return (
    spokenAxis(readings, readings.content, reply) ??
    reasoningAxis(readings, reply, visibleThoughts(readings)) ??
    swallowedAxis(input, readings, reply) ??
    reasoningAxis(readings, reply, hiddenThoughts(readings)) ?? { kind: "none" }
  );
}

/** A served call that looks whole although the model's own words stop inside it: the server closed what was open. */
function cutInRaw(input: ReplyInput, readings: Readings, reply: ChatReply): CallAxis | null {
  const { raw } = readings;
  if (raw === null || input.raw === null || input.raw.habit || input.raw.grade === "second_generation") return null;
  const { attempts } = raw.calls;
  const [first] = attempts;
  if (first === undefined || attempts.some((attempt) => attempt.state !== "cut" || attempt.calls.length > 0))
    return null;
  const span = spanOf(raw, reply.choice, first.start, first.end);
  return { kind: "truncated", format: first.format, where: "raw", cause: readings.cut ?? "model", span };
}

/** Calls in what the user would see. */
function spokenAxis(readings: Readings, reading: Reading, reply: ChatReply): CallAxis | null {
  const seen = shown(reading.calls, readings.cut);
  if (seen.cut !== undefined && (readings.cut !== null || (seen.written === undefined && seen.cut.name !== null))) {
    const span = spanOf(reading, reply.choice, seen.cut.start, seen.cut.end);
    return { kind: "truncated", format: seen.cut.format, where: "content", cause: readings.cut ?? "model", span };
  }
  if (seen.written === undefined) return null;
  return {
    kind: "leaked",
    format: seen.written.format,
    where: "content",
    bare: seen.written.bare,
    validity: commonValidity(seen.calls),
    calls: seen.calls,
    span: spanOf(reading, reply.choice, seen.written.start, seen.written.end),
  };
}

/** A call that only the raw channel shows. A twin of another generation proves nothing of this one. */
function swallowedAxis(input: ReplyInput, readings: Readings, reply: ChatReply): CallAxis | null {
  const { raw } = readings;
  if (raw === null || input.raw === null || input.raw.grade === "second_generation") return null;
  // A prompt that opens the thinking leaves no tag in the raw text: what the reply shows as reasoning is not lost.
  const written = raw.text.trim();
  if (written !== "" && readings.reasoning.text.includes(written)) return null;
  const seen = shown(raw.calls, readings.cut);
  if (seen.cut !== undefined && (readings.cut !== null || (seen.written === undefined && seen.cut.name !== null))) {
    const span = spanOf(raw, reply.choice, seen.cut.start, seen.cut.end);
    return { kind: "truncated", format: seen.cut.format, where: "raw", cause: readings.cut ?? "model", span };
  }
  if (seen.written === undefined) return null;
  return {
    kind: "swallowed",
    format: seen.written.format,
    grade: input.raw.grade,
    validity: commonValidity(seen.calls),
    calls: seen.calls,
    span: spanOf(raw, reply.choice, seen.written.start, seen.written.end),
  };
}

interface Thought {
  readonly reading: Reading;
  readonly text: string;
  readonly calls: TextCalls;
  readonly offset: number;
}

/** Thinking that the reply shows, in a field of its own or wrapped in the content. */
function visibleThoughts({ reasoning, content }: Readings): readonly Thought[] {
  const { text, calls, offset } = reasoning;
  return [
    { reading: reasoning, text, calls, offset },
    { reading: content, ...content.thought },
    { reading: reasoning, ...reasoning.thought },
  ];
}

/** Thinking that only the raw channel shows. */
function hiddenThoughts({ raw }: Readings): readonly Thought[] {
  return raw === null || raw.text.trim() !== "" ? [] : [{ reading: raw, ...raw.thought }];
}

/** A complete call that ends the thinking, with nothing said after it. */
function reasoningAxis(readings: Readings, reply: ChatReply, thoughts: readonly Thought[]): CallAxis | null {
  if (readings.content.text.trim() !== "") return null;
  for (const { reading, text, calls, offset } of thoughts) {
    const last = lastIn(text, calls.attempts);
    if (last === undefined) continue;
    const span = spanOf(reading, reply.choice, last.start, last.end, offset);
    if (last.state === "cut") {
      if (readings.cut === null && last.name === null) continue;
      return { kind: "truncated", format: last.format, where: reading.field, cause: readings.cut ?? "model", span };
    }
    const written = callsOf([last]);
    return { kind: "reasoning_only", format: last.format, validity: commonValidity(written), calls: written, span };
  }
  return null;
}
