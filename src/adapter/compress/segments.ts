/** A piece of a text, in UTF-16 units. The segments of a text join to it without a gap. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** How a text falls into pieces: output of programs by lines, prose by sentences. */
export type SegmentShape = "lines" | "sentences";

/** Lines beyond this length are cut where a value, a clause or a word ends. */
const longestSegment = 320;

/**
 * Splits a text. `unbroken` are spans in order that no cut may go through; a segment is longer than usual where one asks for it.
 * `loose` are stretches in order, none with such a span, that are one segment each.
 */
export function splitSegments(
  text: string,
  shape: SegmentShape,
  unbroken: readonly Segment[],
  loose: readonly Segment[] = [],
): readonly Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let nextSpan = 0;
  let nextLoose = 0;
  /** The first place at or behind `at` where a cut goes through no span. */
  const clear = (at: number): number => {
    let place = at;
    for (let span = unbroken[nextSpan]; span !== undefined && span.start < place; span = unbroken[nextSpan]) {
      if (span.end > place) place = span.end;
      nextSpan += 1;
    }
    return place;
  };
  const cut = (at: number): void => {
    const end = clear(at);
    if (end <= start) return;
    segments.push({ start, end });
    start = end;
  };
  while (start < text.length) {
    const stretch = loose[nextLoose];
    if (stretch !== undefined && stretch.start <= start) {
      nextLoose += 1;
      if (stretch.end > start) cut(stretch.end);
      continue;
    }
    const end = Math.min(unitEnd(text, start, shape), stretch?.start ?? text.length);
    while (end - start > longestSegment && start < end) cut(softEnd(text, start + longestSegment));
    if (start < end) cut(end);
  }
  return segments;
}

/** Where the line or sentence that begins at `start` ends; blank lines behind it belong to it. */
function unitEnd(text: string, start: number, shape: SegmentShape): number {
  const newline = text.indexOf("\n", start);
  const lineEnd = newline === -1 ? text.length : newline;
  if (shape === "sentences") {
    for (let at = start; at < lineEnd; at++) {
      const end = sentenceEnd(text, at, lineEnd);
      if (end !== null) return end;
    }
  }
  let end = lineEnd;
  while (end < text.length && (text.charCodeAt(end) === 10 || text.charCodeAt(end) === 13)) end += 1;
  return end;
}

function sentenceEnd(text: string, at: number, lineEnd: number): number | null {
  const letter = text[at];
  if (letter === "。" || letter === "！" || letter === "？") return at + 1;
  if (letter !== "." && letter !== "!" && letter !== "?") return null;
  if (at + 1 >= lineEnd || text[at + 1] !== " ") return null;
  return at + 2;
}

/** The best place for a cut within the last quarter before `limit`; never between the halves of a character. */
function softEnd(text: string, limit: number): number {
  const least = limit - longestSegment / 4;
  for (const ends of [/[;,}\]。、]/, /\s/]) {
    for (let at = limit; at > least; at--) if (ends.test(text[at - 1] ?? "")) return at;
  }
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit + 1 : limit;
}
