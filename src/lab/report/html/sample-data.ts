import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { SampleRow } from "../sample-row.ts";
import type { Mark, ReplyView, SampleView, TextView } from "../sample-view.ts";

const gzipped = promisify(gzip);
/** Beyond this level packing costs more time than it saves space. */
const packingLevel = 3;
/** UTF-16 units of one text that a page holds; the whole text stays in the run's captures. */
const longestText = 262_144;
const leftOutMark = "\u2026";

/** One text as a page's script gets it. `same` names a field of the same reply with the same text, kept once. */
interface PageText {
  readonly field: string;
  readonly choice: number;
  readonly source: string | null;
  readonly text: string;
  readonly same?: string;
  /** Units that stand in the capture and not here. */
  readonly leftOut: number;
  readonly marks: readonly (readonly [start: number, end: number, kind: string])[];
}

/** Columns of the index that the list, the filters and the links need; one array a sample. */
export const indexColumns = [
  "id",
  "target",
  "suite",
  "scenario",
  "arm",
  "stream",
  "headline",
  "owner",
  "group",
  "totalMs",
  "route",
  "trial",
  "class",
  "contract",
  "shape",
  "language",
  "delivered",
  "attempted",
  "firstByteMs",
] as const;

/** How a sample looks in the list: delivered, lost on the way, the model's own, of an arm without rates, or not measured. */
export type SampleGroup = "delivered" | "lost" | "model" | "unrated" | "open";

/** The group of a sample, for the dot beside it. */
export function sampleGroup(row: SampleRow): SampleGroup {
  if (!row.measured) return "open";
  if (!row.rated) return "unrated";
  if (row.delivered === "yes") return "delivered";
  if (row.attempted === "yes") return "lost";
  return row.delivered === "undecidable" ? "open" : "model";
}

/** One line of the index. */
export function indexLine(row: SampleRow): readonly (string | number | boolean | null)[] {
  const values: Readonly<Record<(typeof indexColumns)[number], string | number | boolean | null>> = {
    id: row.id,
    target: row.target,
    suite: row.suite,
    scenario: row.scenario,
    arm: row.arm,
    stream: row.stream,
    headline: row.headline,
    owner: row.owner,
    group: sampleGroup(row),
    totalMs: rounded(row.totalMs),
    route: row.route,
    trial: row.trial,
    class: row.class,
    contract: row.contract,
    shape: row.shape,
    language: row.language,
    delivered: row.delivered,
    attempted: row.attempted,
    firstByteMs: rounded(row.firstByteMs),
  };
  return indexColumns.map((column) => values[column]);
}

/** Texts that many samples share (system prompts, histories), kept once; `refer` gives a text's place in `texts`. */
export interface SharedTexts {
  readonly texts: readonly string[];
  refer(text: string): number;
}

/** An empty table of shared texts. */
export function createSharedTexts(): SharedTexts {
  const places = new Map<string, number>();
  const texts: string[] = [];
  return {
    texts,
    refer(text) {
      const place = places.get(text) ?? texts.push(text) - 1;
      places.set(text, place);
      return place;
    },
  };
}

/** What the detail view of one sample shows. */
export function pageSample(sample: SampleView, shared: SharedTexts) {
  const { request } = sample;
  return {
    id: sample.row.id,
    choice: request.choice,
    namedTool: request.namedTool,
    maxTokens: request.maxTokens,
    tools: sample.tools,
    sources: request.sources.map(({ role, text }) => [role, shared.refer(text.slice(0, longestText))] as const),
    replies: sample.replies.map(pageReply),
    exchanges: sample.exchanges,
    trace: sample.adapterTrace,
  };
}

/** Several samples packed for a script element: gzip in base64, unpacked by the page when one of them is read. */
export async function packSamples(samples: readonly unknown[]): Promise<string> {
  const text = JSON.stringify(samples);
  // Three bytes a UTF-16 unit suffice: to count them first costs twice as much as to encode them.
  const room = Buffer.allocUnsafe(3 * text.length);
  return (await gzipped(room.subarray(0, room.write(text)), { level: packingLevel })).toString("base64");
}

function pageReply(reply: ReplyView) {
  const { judgement } = reply;
  const base = {
    exchange: reply.exchange,
    texts: pageTexts(reply.texts),
    calls: reply.calls.map((call) => ({ name: call.name, arguments: call.argumentsText.slice(0, longestText) })),
    judged: reply.judgedCalls.map(({ name, validity, problems }) => ({ name, validity, problems })),
    finish: reply.finishReasons,
    promptTokens: reply.promptTokens,
    completionTokens: reply.completionTokens,
    problems: reply.problems,
    headline: judgement.headline,
    owner: judgement.owner,
  };
  if (!judgement.measured) return { ...base, reason: judgement.reason, detail: judgement.detail };
  const { axis } = judgement;
  return {
    ...base,
    axis: axis.kind,
    format: "format" in axis ? axis.format : null,
    detail: "message" in axis ? axis.message : null,
    findings: judgement.findings.map(({ kind, owner, text }) => ({ kind, owner, text: text.slice(0, 500) })),
  };
}

function pageTexts(texts: readonly TextView[]): PageText[] {
  return texts.map((view, index) => {
    const twin = texts.slice(0, index).find((earlier) => earlier.text === view.text && earlier.text !== "");
    const fitted = fitText(view.text, view.marks, longestText);
    const base = { field: view.field, choice: view.choice, source: view.source, leftOut: fitted.leftOut };
    const marks = fitted.marks.map(({ start, end, kind }) => [start, end, kind] as const);
    return twin === undefined ? { ...base, text: fitted.text, marks } : { ...base, text: "", same: twin.field, marks };
  });
}

/** A text cut to `limit` units that still holds its first mark: its head, and a window around the mark where it lies beyond. */
export function fitText(
  text: string,
  marks: readonly Mark[],
  limit: number,
): { readonly text: string; readonly marks: readonly Mark[]; readonly leftOut: number } {
  if (text.length <= limit) return { text, marks, leftOut: 0 };
  const [first] = marks;
  if (first === undefined || first.end <= limit)
    return { text: text.slice(0, limit), marks: within(marks, 0, limit, 0), leftOut: text.length - limit };
  const head = limit >> 1;
  const from = Math.max(head, Math.min(first.start - (limit >> 3), text.length - head));
  const window = text.slice(from, from + head);
  const joint = `\n${leftOutMark}\n`;
  return {
    text: text.slice(0, head) + joint + window,
    marks: within(marks, from, from + head, head + joint.length - from),
    leftOut: text.length - head - window.length,
  };
}

function within(marks: readonly Mark[], from: number, to: number, shift: number): Mark[] {
  return marks
    .filter((mark) => mark.start >= from && mark.start < to)
    .map((mark) => ({ ...mark, start: mark.start + shift, end: Math.min(mark.end, to) + shift }));
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
