import type { Meter } from "./format.ts";

/** Position of the next character that is no white space, or the buffer's length. */
export function skipBlanks(buffer: string, from: number, meter: Meter): number {
  let cursor = from;
  while (cursor < buffer.length) {
    const code = buffer.charCodeAt(cursor);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
    cursor++;
  }
  meter.steps += cursor - from;
  return cursor;
}

/** Finds a literal in a growing buffer without looking at any character twice, but for an overlap of its own length. */
export function createTagSearch(tag: string, start: number, meter: Meter): { find(buffer: string): number } {
  let from = start;
  return {
    find(buffer) {
      const at = buffer.indexOf(tag, from);
      const next = at === -1 ? Math.max(from, buffer.length - tag.length + 1) : at + tag.length;
      meter.steps += Math.max(0, next - from);
      from = next;
      return at;
    },
  };
}

/** True where `buffer` at `from` holds the beginning of `literal` and may still become all of it. */
export function mayBecome(literal: string, buffer: string, from: number): boolean {
  const length = buffer.length - from;
  return length < literal.length && literal.startsWith(buffer.slice(from));
}
