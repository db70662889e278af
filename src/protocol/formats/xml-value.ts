import { findTag, type Reading, type Steps, takeBlanks, takeOne } from "./reading.ts";
import type { XmlTags } from "./xml-tags.ts";

/** One line break at each end belongs to the layout, not to the value. */
export function trimValue(text: string): string {
  const from = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const rest = text.slice(from);
  return rest.endsWith("\r\n") ? rest.slice(0, -2) : rest.endsWith("\n") ? rest.slice(0, -1) : rest;
}

/** True where the grammar goes on behind a possible end of a value, or the text has ended there. Leaves the reading as it was. */
export function* goesOn(reading: Reading, from: number, words: readonly string[]): Steps<boolean> {
  reading.at = from;
  yield* takeBlanks(reading);
  const on = reading.at === reading.buffer.length || (yield* takeOne(reading, words)) !== null;
  reading.at = from;
  return on;
}

/**
 * Takes a value up to its closing tag; where that is missing, up to the next parameter on a line of its own, or to the end of
 * the call (`closesCall`). Null where the text ends inside it.
 */
export function* takeValue(
  reading: Reading,
  tags: XmlTags,
  outer: boolean,
): Steps<{ text: string; closesCall: boolean } | null> {
  const start = reading.at;
  const value = (end: number): string => trimValue(reading.buffer.slice(start, end));
  const behindParameter = [tags.parameter, tags.callCloser, ...tags.outerClosers];
  const behindCall = [...tags.outerClosers, ...(tags.around ?? []), tags.call];
  for (;;) {
    const found = yield* findTag(reading, [tags.parameterCloser, tags.callCloser, tags.parameter]);
    if (found === null) return null;
    const behind = found.at + found.tag.length;
    if (found.tag === tags.parameter) {
      if (reading.buffer[found.at - 1] === "\n") {
        reading.at = found.at;
        return { text: value(found.at), closesCall: false };
      }
    } else if (yield* goesOn(reading, behind, found.tag === tags.callCloser ? behindCall : behindParameter)) {
      reading.at = behind;
      return { text: value(found.at), closesCall: found.tag === tags.callCloser };
    } else if (found.tag === tags.callCloser && !outer && tags.outerClosers.length === 0) {
      // A call with no block around it is followed by anything at all.
      reading.at = behind;
      return { text: value(found.at), closesCall: true };
    }
    reading.at = found.at + 1;
  }
}
