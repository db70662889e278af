import type { JsonValue } from "../../protocol/json.ts";
import type { Capture } from "../capture/capture.ts";
import type { Classification, Finding, JudgedCall, ReplyJudgement, Span } from "../classify/classification.ts";
import { type AssembledText, assembleExchange } from "./assembled.ts";
import { type SampleRow, sampleRow } from "./sample-row.ts";

/** Why a stretch of text is marked: it is the call that the axis names, or it shows a finding. */
export type MarkKind = "call" | Finding["kind"];

/** A marked stretch of one text, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly kind: MarkKind;
}

/** One assembled text of a reply with the evidence in it. */
export interface TextView extends AssembledText {
  readonly marks: readonly Mark[];
}

/** One reply: what came back, as the lab reads it. */
export interface ReplyView {
  readonly exchange: number;
  readonly judgement: ReplyJudgement;
  readonly texts: readonly TextView[];
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[];
  readonly judgedCalls: readonly JudgedCall[];
  readonly finishReasons: readonly string[];
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly problems: readonly string[];
}

/** One sample with everything a reader can ask about it. */
export interface SampleView {
  readonly row: SampleRow;
  readonly request: Capture["request"];
  readonly tools: readonly string[];
  readonly replies: readonly ReplyView[];
  readonly exchanges: readonly ExchangeView[];
  readonly adapterTrace: JsonValue | null;
}

/** One exchange on the wire in a line. */
export interface ExchangeView {
  readonly hop: string;
  readonly purpose: string;
  readonly method: string;
  readonly path: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly endMs: number;
  /** Null where it ended as it should. */
  readonly failure: string | null;
}

/** Puts a capture and its judgement together for reading. */
export function sampleView(capture: Capture, judged: Classification | undefined): SampleView {
  return {
    row: sampleRow(capture, judged),
    request: capture.request,
    tools: capture.expectation.tools.map((tool) => tool.function.name),
    replies: (judged?.replies ?? []).map((reply) => replyView(capture, reply)),
    exchanges: capture.exchanges.map((exchange) => ({
      hop: exchange.hop,
      purpose: exchange.purpose,
      method: exchange.method,
      path: exchange.path,
      attempt: exchange.attempt,
      status: exchange.status,
      endMs: exchange.timing.endMs,
      failure: exchange.end.kind === "failed" ? `${exchange.end.phase}: ${exchange.end.cause}` : null,
    })),
    adapterTrace:
      capture.adapterTrace === undefined ? null : (JSON.parse(JSON.stringify(capture.adapterTrace)) as JsonValue),
  };
}

function replyView(capture: Capture, judgement: ReplyJudgement): ReplyView {
  const assembled = assembleExchange(capture, judgement.exchange);
  const spans = evidence(judgement);
  return {
    exchange: judgement.exchange,
    judgement,
    texts: assembled.texts.map((text) => ({
      field: text.field,
      choice: text.choice,
      text: text.text,
      source: text.source,
      marks: marksOf(text, spans),
    })),
    calls: assembled.calls,
    judgedCalls: judgement.measured && "calls" in judgement.axis ? judgement.axis.calls : [],
    finishReasons: assembled.finishReasons,
    promptTokens: assembled.promptTokens,
    completionTokens: assembled.completionTokens,
    problems: assembled.problems,
  };
}

function evidence(judgement: ReplyJudgement): { readonly kind: MarkKind; readonly span: Span }[] {
  if (!judgement.measured) return [];
  const { axis, findings } = judgement;
  return [
    ...("span" in axis ? [{ kind: "call" as const, span: axis.span }] : []),
    ...findings.flatMap(({ kind, spans }) => spans.map((span) => ({ kind, span }))),
  ];
}

/** The marks of one text: within its bounds, in order, the first of two that overlap kept whole. */
function marksOf(text: AssembledText, spans: readonly { readonly kind: MarkKind; readonly span: Span }[]): Mark[] {
  const wanted = spans
    .filter(({ span }) => span.field === text.field && span.choice === text.choice)
    .map(({ kind, span }) => ({
      kind,
      start: Math.max(0, span.start),
      end: Math.min(text.text.length, span.end),
    }))
    .filter((mark) => mark.start < mark.end)
    .sort((one, other) => one.start - other.start || other.end - one.end);
  const marks: Mark[] = [];
  for (const mark of wanted) {
    const start = Math.max(mark.start, marks.at(-1)?.end ?? 0);
    if (start < mark.end) marks.push({ ...mark, start });
  }
  return marks;
}
