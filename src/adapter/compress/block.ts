import type { Fact } from "./facts.ts";
import { untimed } from "./facts.ts";
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

export interface Rendering {
  readonly text: string;
  readonly bytes: number;
  readonly gaps: readonly Gap[];
}

/** Splits a text into units. `kept` says of each fact whether it must stand in this text. */
export function splitUnits(
  text: string,
  shape: SegmentShape,
  facts: readonly Fact[],
  kept: (fact: Fact) => boolean,
): readonly Unit[] {
  const segments = splitSegments(text, shape, merged(facts));
  const needed = merged(facts.filter(kept));
  const says = segments.map((segment) => untimed(text, segment));
  const last = new Map(says.map((line, at) => [line, at]));
  const first = new Set<string>();
  let next = 0;
  return segments.map((segment, at): Unit => {
    const inside: Segment[] = [];
    for (let fact = needed[next]; fact !== undefined && fact.start < segment.end; fact = needed[next]) {
      inside.push(fact);
      next += 1;
    }
    const line = says[at] ?? "";
    const repeated = first.has(line) && last.get(line) !== at;
    first.add(line);
    return { ...segment, bytes: utf8Length(text, segment.start, segment.end), facts: inside, repeated };
  });
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
export function renderUnits(
  text: string,
  units: readonly Unit[],
  depth: Depth,
  restored: ReadonlySet<Unit>,
): Rendering {
  const gaps = closeGaps(
    text,
    gapsBetween(
      text,
      units.flatMap((unit) => keptSpans(unit, depth, restored)),
    ),
  );
  if (gaps.length === 0) return { text, bytes: utf8Length(text), gaps };
  let written = "";
  let at = 0;
  for (const gap of gaps) {
    written += text.slice(at, gap.start) + mark(text, gap);
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
function closeGaps(text: string, gaps: readonly Gap[]): readonly Gap[] {
  return gaps.filter(
    (gap) => gap.end - gap.start > longestMark || utf8Length(mark(text, gap)) < utf8Length(text, gap.start, gap.end),
  );
}

/** What stands in the place of a gap. It keeps the end of the line, so that what follows still begins one. */
function mark(text: string, gap: Gap): string {
  const left = text.slice(gap.start, gap.end);
  const lines = left.split("\n").length - (left.endsWith("\n") ? 1 : 0);
  const startsLine = gap.start === 0 || text[gap.start - 1] === "\n";
  if (startsLine && (left.endsWith("\n") || gap.end === text.length) && (lines > 1 || gap.start === 0))
    return `[… ${lines} ${lines === 1 ? "line" : "lines"} left out …]${left.endsWith("\n") ? "\n" : ""}`;
  return left.endsWith("\n") ? " …\n" : " … ";
}

/** Most bytes that one mark more can cost. */
export const longestMark = utf8Length("[… 1000000 lines left out …]\n");
