import type { Meter } from "./format.ts";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const lessThan = 0x3c;

/** Where a JSON object or array ends: `more` input is needed, it closed at `end`, or its brackets do not match at `at`. */
export type Extent =
  | { readonly kind: "more" }
  | { readonly kind: "closed"; readonly end: number }
  | { readonly kind: "mismatch"; readonly at: number };

/**
 * Follows one JSON value from its opening bracket to the bracket that closes it, over any number of reads of a growing
 * buffer, looking at each character once. It checks nesting and strings only; whether the text is JSON is for JSON.parse. A
 * `<` outside a string is where a tag begins: JSON has no use for it, so the value is over, unclosed.
 */
export function createJsonExtent(start: number, meter: Meter): { read(buffer: string): Extent } {
  const closers: number[] = [];
  let cursor = start;
  let inString = false;
  let escaped = false;
  return {
    read(buffer) {
      const from = cursor;
      for (; cursor < buffer.length; cursor++) {
        const code = buffer.charCodeAt(cursor);
        if (inString) {
          if (escaped) escaped = false;
          else if (code === backslash) escaped = true;
          else if (code === quote) inString = false;
          continue;
        }
        if (code === quote) inString = true;
        else if (code === lessThan) {
          meter.steps += cursor - from;
          return { kind: "mismatch", at: cursor };
        } else if (code === openBrace) closers.push(closeBrace);
        else if (code === openBracket) closers.push(closeBracket);
        else if (code === closeBrace || code === closeBracket) {
          if (closers.pop() !== code) {
            meter.steps += cursor - from;
            return { kind: "mismatch", at: cursor };
          }
          if (closers.length === 0) {
            cursor++;
            meter.steps += cursor - from;
            return { kind: "closed", end: cursor };
          }
        }
      }
      meter.steps += cursor - from;
      return { kind: "more" };
    },
  };
}
