import { createRequire } from "node:module";
import type * as StringWidth from "string-width";

/** A grapheme may carry endless combining marks; more than these would only disturb the lines around it. */
const longestGrapheme = 16;
/** Characters that may not begin a line in Japanese typesetting. */
const neverFirst = /^[、。，．・：；？！）」』】〕〉》｝ー々ゝゞ,.:;?!)\]}]/u;
/** Characters that may not end a line. */
const neverLast = /[（「『【〔〈《｛([{]$/u;

/** Nothing but characters of one column each. */
const plain = /^[\x20-\x7e]*$/;

// A hundredth of a second goes by until Unicode's tables are there: what is plain is not held against them.
const require = createRequire(import.meta.url);
let stringWidth: typeof StringWidth.default | undefined;
let segmenter: Intl.Segmenter | undefined;

/** Columns a text takes in a terminal; East Asian wide characters take two. */
export function columns(text: string): number {
  if (plain.test(text)) return text.length;
  stringWidth ??= (require("string-width") as typeof StringWidth).default;
  return stringWidth(text);
}

/** What a reader takes for characters, whatever they are made of. */
function* graphemes(text: string): Iterable<string> {
  if (plain.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Text filled with spaces to `width` columns; a longer one is left as it is. */
export function pad(text: string, width: number, side: "left" | "right" = "right"): string {
  const fill = " ".repeat(Math.max(0, width - columns(text)));
  return side === "right" ? text + fill : fill + text;
}

/** Text cut to at most `width` columns, with "..." where something was cut. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width * 2 && columns(text) <= width) return text;
  let taken = "";
  let used = 0;
  // No text needs more than this many characters to fill the line, however long it is.
  for (const segment of graphemes(text.slice(0, width * longestGrapheme))) {
    const piece = segment.slice(0, longestGrapheme);
    const next = columns(piece);
    if (used + next > width - 3) return `${taken}...`;
    taken += piece;
    used += next;
  }
  return text.length > width * longestGrapheme ? `${taken}...` : taken;
}

/** Text broken into lines of at most `width` columns: at spaces, and between wide characters by Japanese line rules. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const unit of breakable(text)) {
    if (line !== "" && columns(line + unit.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = unit.trimStart();
    } else {
      line += unit;
    }
    while (columns(line.trimEnd()) > width) {
      const head = headOf(line, width);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line.trim() !== "") lines.push(line.trimEnd());
  return lines;
}

/** The pieces of a text that must not be broken: words with the space after them, wide characters with their punctuation. */
function breakable(text: string): string[] {
  const units: string[] = [];
  for (const segment of graphemes(text)) {
    const previous = units.at(-1);
    const joins =
      previous !== undefined && (neverFirst.test(segment) || neverLast.test(previous) || narrowPair(previous, segment));
    if (joins) units[units.length - 1] = previous + segment;
    else units.push(segment);
  }
  return units;
}

function narrowPair(previous: string, segment: string): boolean {
  if (segment === " ") return true;
  return !previous.endsWith(" ") && columns(segment) < 2 && columns(Array.from(previous).at(-1) ?? "") < 2;
}

function headOf(text: string, width: number): string {
  let head = "";
  for (const segment of graphemes(text)) {
    if (head !== "" && columns(head + segment) > width) return head;
    head += segment;
  }
  return head;
}
