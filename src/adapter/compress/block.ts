import type { Fact } from "./facts.ts";
import { untimed, whole } from "./facts.ts";
import { type Segment, type SegmentShape, splitSegments } from "./segments.ts";
import { utf8Length } from "./text-size.ts";

/** A piece of a block that is kept or left out as one. */
export interface Unit extends Segment {
  readonly bytes: number;
  /** Facts that must stand here whatever happens to the rest; merged, in order. */
  readonly facts: readonly Segment[];
  /** Says the same as a unit before it and one behind it. */
  readonly repeated: boolean;
}

/** How much is taken out of a block: nothing, what repeats, all without facts, all but the facts. */
export type Depth = "whole" | "repeats" | "facts_and_their_lines" | "facts";

/** Text between two kept pieces that was left out. */
export type Gap = Segment;

/** A text laid out to be shortened. */
export interface Layout {
  readonly text: string;
  readonly bytes: number;
  readonly units: readonly Unit[];
  /** Where its line breaks stand. */
  readonly lineBreaks: readonly number[];
}

export interface Rendering {
  readonly text: string;
  readonly bytes: number;
  readonly gaps: readonly Gap[];
}

/**
 * Splits a text into units. `kept` says of each fact whether it must stand in this text. `wanted` are further places, in order, that
 * matter: of a very long text the middle falls into units only around facts and these, and what lies between is one.
 */
export function layOut(
  text: string,
  shape: SegmentShape,
  facts: readonly Fact[],
  kept: (fact: Fact) => boolean,
  wanted: readonly Segment[] = [],
): Layout {
  const unbroken = merged(facts);
  const segments = splitSegments(text, shape, unbroken, looseStretches(text, unbroken, wanted));
  const needed = merged(facts.filter(kept));
  const says = segments.map((segment) => (isInEnds(text, segment) ? untimed(text, segment) : null));
  const last = new Map<string, number>();
  for (const [at, line] of says.entries()) if (line !== null) last.set(line, at);
  const first = new Set<string>();
  const units: Unit[] = [];
  let next = 0;
  for (const [at, { start, end }] of segments.entries()) {
    const from = next;
    while ((needed[next]?.start ?? end) < end) next += 1;
    const line = says[at] ?? null;
    const repeated = line !== null && first.has(line) && last.get(line) !== at;
    if (line !== null) first.add(line);
    const inside = next === from ? nothing : needed.slice(from, next);
    units.push({ start, end, bytes: utf8Length(text, start, end), facts: inside, repeated });
  }
  return { text, bytes: utf8Length(text), units, lineBreaks: lineBreaksOf(text) };
}

const nothing: readonly Segment[] = [];
/** A text up to this length is looked at whole; of a longer one, the ends are. */
export const longestWhole = 1024 * 1024;
const endLength = 128 * 1024;
/** What stays around a place that matters, where its line is longer. */
const surroundings = 160;

/** Whether a segment belongs to what is looked at whole: all but the middle of a very long text. */
function isInEnds(text: string, { start, end }: Segment): boolean {
  return text.length <= longestWhole || end <= endLength || start >= text.length - endLength;
}

function looseStretches(text: string, facts: readonly Segment[], wanted: readonly Segment[]): readonly Segment[] {
  if (text.length <= longestWhole) return [];
  const stretches: Segment[] = [];
  const last = text.length - endLength;
  let from = lineEndBehind(text, endLength);
  const places = [...facts, ...wanted].toSorted((one, two) => one.start - two.start);
  for (const place of [...places, { start: last, end: last }]) {
    if (place.end < from) continue;
    const to = Math.min(lineStartBefore(text, place.start), last);
    if (to - from > surroundings) stretches.push({ start: from, end: to });
    if (place.start >= last) break;
    from = Math.max(from, lineEndBehind(text, place.end));
  }
  return stretches;
}

function lineStartBefore(text: string, at: number): number {
  const least = Math.max(0, at - surroundings);
  return whole(text, least + text.slice(least, at).lastIndexOf("\n") + 1);
}

function lineEndBehind(text: string, at: number): number {
  const near = text.slice(at, at + surroundings).indexOf("\n");
  return whole(text, near === -1 ? Math.min(text.length, at + surroundings) : at + near + 1);
}

function lineBreaksOf(text: string): readonly number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push(at);
  return breaks;
}

/** How many of the sorted numbers are less than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Spans in order, with those that touch or overlap joined. */
function merged(spans: readonly Segment[]): readonly Segment[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans) {
    const before = joined.at(-1);
    if (before !== undefined && start <= before.end) before.end = Math.max(before.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Writes a text with what its depth takes out replaced by marks; `restored` units stay whole. */
export function renderUnits(layout: Layout, depth: Depth, restored: ReadonlySet<Unit>): Rendering {
  const { text, units, bytes } = layout;
  const kept: Segment[] = [];
  for (const unit of units) for (const span of keptSpans(unit, depth, restored)) kept.push(span);
  const gaps = closeGaps(layout, gapsBetween(text, kept));
  if (gaps.length === 0) return { text, bytes, gaps };
  let written = "";
  let at = 0;
  for (const gap of gaps) {
    written += text.slice(at, gap.start) + mark(layout, gap);
    at = gap.end;
  }
  written += text.slice(at);
  return { text: written, bytes: utf8Length(written), gaps };
}

function keptSpans(unit: Unit, depth: Depth, restored: ReadonlySet<Unit>): readonly Segment[] {
  if (restored.has(unit)) return [unit];
  switch (depth) {
    case "whole":
      return [unit];
    case "repeats":
      return unit.repeated && unit.facts.length === 0 ? [] : [unit];
    case "facts_and_their_lines":
      return unit.facts.length === 0 ? [] : [unit];
    case "facts":
      return unit.facts;
    default:
      return depth satisfies never;
  }
}

function gapsBetween(text: string, kept: readonly Segment[]): readonly Gap[] {
  const gaps: Gap[] = [];
  let at = 0;
  for (const { start, end } of kept) {
    if (start > at) gaps.push({ start: at, end: start });
    at = end;
  }
  if (at < text.length) gaps.push({ start: at, end: text.length });
  return gaps;
}

/** A gap whose mark would be as long as what it stands for is none. */
function closeGaps(layout: Layout, gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(
    (gap) =>
      gap.end - gap.start > longestMark || utf8Length(mark(layout, gap)) < utf8Length(layout.text, gap.start, gap.end),
  );
}

/** What stands in the place of a gap. It keeps the end of the line, so that what follows still begins one. */
function mark({ text, lineBreaks }: Layout, gap: Gap): string {
  const endsLine = text[gap.end - 1] === "\n";
  const breaks = countBelow(lineBreaks, gap.end) - countBelow(lineBreaks, gap.start);
  const lines = breaks + (endsLine ? 0 : 1);
  const startsLine = gap.start === 0 || text[gap.start - 1] === "\n";
  if (startsLine && (endsLine || gap.end === text.length) && (lines > 1 || gap.start === 0))
    return `[… ${lines} ${lines === 1 ? "line" : "lines"} left out …]${endsLine ? "\n" : ""}`;
  return endsLine ? " …\n" : " … ";
}

/** Most bytes that one mark more can cost. */
export const longestMark = utf8Length("[… 1000000 lines left out …]\n");
