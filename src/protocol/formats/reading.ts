import type { Meter } from "./format.ts";
import { mayBecome, skipBlanks } from "./text-cursor.ts";

/** The text of one candidate as far as it has come, and the place reached in it. Offsets count from the candidate's start. */
export interface Reading {
  buffer: string;
  ended: boolean;
  at: number;
  readonly meter: Meter;
}

/** A part of a reader: yields whenever it needs more text than has come. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Skips white space; stands at the end of the buffer only where the text has ended. */
export function* takeBlanks(reading: Reading): Steps<void> {
  for (;;) {
    reading.at = skipBlanks(reading.buffer, reading.at, reading.meter);
    if (reading.at < reading.buffer.length || reading.ended) return;
    yield;
  }
}

/** Takes the first of the literals that stands here and returns it, or null. Of two with one beginning the longer comes first; an empty one stands everywhere. */
export function* takeOne(reading: Reading, literals: readonly string[]): Steps<string | null> {
  for (;;) {
    reading.meter.steps++;
    let open = false;
    for (const literal of literals) {
      if (reading.buffer.startsWith(literal, reading.at)) {
        // One named before it, of which it is the beginning, may yet come.
        if (open && !reading.ended) break;
        reading.at += literal.length;
        reading.meter.steps += literal.length;
        return literal;
      }
      open ||= mayBecome(literal, reading.buffer, reading.at);
    }
    if (!open || reading.ended) return null;
    yield;
  }
}

/** True where the text has ended inside what may have become one of the literals. */
export function endsInside(reading: Reading, literals: readonly string[]): boolean {
  return reading.ended && literals.some((literal) => mayBecome(literal, reading.buffer, reading.at));
}

/** Waits for the character at `at`; false where the text ends before it. Asked only at the buffer's end: it costs more than a look. */
export function* comes(reading: Reading, at: number): Steps<boolean> {
  while (at >= reading.buffer.length) {
    if (reading.ended) return false;
    yield;
  }
  return true;
}

/** The next character, or "" where the text has ended. */
export function* peek(reading: Reading): Steps<string> {
  while (reading.at >= reading.buffer.length && !reading.ended) yield;
  return reading.buffer[reading.at] ?? "";
}

/** Longest name of a tool or parameter that is waited for. */
export const longestName = 128;

/** Takes text up to one of the characters, which stays: null where none comes within `reach`, or the text ends before. */
export function* takeUpTo(reading: Reading, stops: string, reach = longestName): Steps<string | null> {
  const from = reading.at;
  for (let at = from; ; at++) {
    if (at >= reading.buffer.length && !(yield* comes(reading, at))) return null;
    if (at - from > reach) return null;
    reading.meter.steps++;
    if (stops.includes(reading.buffer[at] ?? "")) {
      reading.at = at;
      return reading.buffer.slice(from, at);
    }
  }
}

/** Position of the first of the tags from here on, and which it is; null where the text ends before. They share their first character. */
export function* findTag(reading: Reading, tags: readonly string[]): Steps<{ at: number; tag: string } | null> {
  const first = tags[0]?.[0] ?? "";
  let from = reading.at;
  for (;;) {
    const at = reading.buffer.indexOf(first, from);
    if (at === -1) {
      reading.meter.steps += reading.buffer.length - from;
      from = reading.buffer.length;
      if (reading.ended) return null;
      yield;
      continue;
    }
    reading.meter.steps += at - from + 1;
    from = at;
    const tag = tags.find((candidate) => reading.buffer.startsWith(candidate, at));
    if (tag !== undefined) return { at, tag };
    if (!reading.ended && tags.some((candidate) => mayBecome(candidate, reading.buffer, at))) {
      yield;
      continue;
    }
    from = at + 1;
  }
}

/** Offset behind the quoted string that goes on at `from` and ends with `quote`; null where the text ends inside it. */
export function* endOfQuoted(reading: Reading, from: number, quote: string): Steps<number | null> {
  for (let at = from; ; at++) {
    const last = at + quote.length - 1;
    if (last >= reading.buffer.length && !(yield* comes(reading, last))) return null;
    reading.meter.steps++;
    if (reading.buffer[at] === "\\") at++;
    else if (reading.buffer.startsWith(quote, at)) return at + quote.length;
  }
}
