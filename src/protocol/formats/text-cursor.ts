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

/** True where `buffer` at `from` holds the beginning of `literal` and may still become all of it. */
export function mayBecome(literal: string, buffer: string, from: number): boolean {
  const length = buffer.length - from;
  return length < literal.length && literal.startsWith(buffer.slice(from));
}
