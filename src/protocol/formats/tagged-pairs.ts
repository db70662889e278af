import { spacedJson } from "../json.ts";
import type { ReaderStep, ScannedCall } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { takeArguments } from "./json-reading.ts";
import { brokenStep, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, findTag, peek, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import { goesOn, trimValue } from "./xml-value.ts";

/** Tags of a call whose body is a name, then keys and values in tags of their own. */
export interface PairTags {
  readonly keyOpener: string;
  readonly keyCloser: string;
  readonly valueOpener: string;
  readonly valueCloser: string;
  readonly callCloser: string;
  /** Between the name and the pairs; null where nothing stands there. */
  readonly separator: string | null;
}

/** The tags with the suffix that some tokenizers put into each of them. */
export function pairTags(suffix: string, separator: string | null): PairTags {
  return {
    keyOpener: `<arg_key${suffix}>`,
    keyCloser: `</arg_key${suffix}>`,
    valueOpener: `<arg_value${suffix}>`,
    valueCloser: `</arg_value${suffix}>`,
    callCloser: `</tool_call${suffix}>`,
    separator: separator === null ? null : `<${separator}${suffix}>`,
  };
}

/** A call that was read, or the step that ends the candidate. */
export type PairsRead = { readonly kind: "pairs"; readonly call: ScannedCall } | ReaderStep;

/**
 * Takes `NAME` and its pairs of key and value, or, as drift, its arguments as a JSON object, up to the closing tag, which is taken.
 * `accepts` is asked as soon as it is seen whether a line break follows the name: two formats differ in nothing else.
 */
export function* takePairs(
  reading: Reading,
  tags: PairTags,
  accepts: (lineAfterName: boolean) => boolean,
): Steps<PairsRead> {
  const name = yield* takeUpTo(reading, "<\n{ ");
  if (name === null) {
    const begun = reading.ended && /^[\w.-]{1,64}$/.test(reading.buffer.slice(reading.at));
    return begun ? cutStep(reading, []) : noStep;
  }
  if (!toolNamePattern.test(name)) return noStep;
  if (tags.separator !== null && (yield* takeOne(reading, [tags.separator])) === null)
    return endsInside(reading, [tags.separator]) ? cutStep(reading, [], name) : noStep;
  if (!accepts((yield* peek(reading)) === "\n")) return noStep;
  yield* takeBlanks(reading);
  if ((yield* peek(reading)) !== "{") return yield* takeTagged(reading, tags, name);

  const read = yield* takeArguments(reading, name);
  if (read.kind === "damaged") return brokenStep([], read);
  const end = reading.at;
  yield* takeBlanks(reading);
  if ((yield* takeOne(reading, [tags.callCloser])) === null) reading.at = end;
  return { kind: "pairs", call: read.call };
}

function* takeTagged(reading: Reading, tags: PairTags, name: string): Steps<PairsRead> {
  const bodyStart = reading.at;
  const entries: [string, string][] = [];
  /** What to say where none of the expected tags stands. */
  const amiss = (expected: readonly string[]): ReaderStep => {
    const cut = endsInside(reading, expected);
    if (entries.length === 0 && reading.at === bodyStart && !cut) return noStep;
    const end = cut ? reading.buffer.length : reading.at;
    const argumentsText = reading.buffer.slice(bodyStart, end);
    return brokenStep([], { end, reason: cut ? "cut" : "malformed", name, argumentsText });
  };
  for (;;) {
    const expected = [tags.keyOpener, tags.callCloser];
    const tag = yield* takeOne(reading, expected);
    if (tag === null) return amiss(expected);
    if (tag === tags.callCloser) break;
    const key = yield* takeUpTo(reading, "<");
    if (key === null && reading.ended) reading.at = reading.buffer.length;
    if (key === null || (yield* takeOne(reading, [tags.keyCloser])) === null) return amiss([tags.keyCloser]);
    yield* takeBlanks(reading);
    if ((yield* takeOne(reading, [tags.valueOpener])) === null) return amiss([tags.valueOpener]);
    const value = yield* takeValue(reading, tags);
    if (value === null) return amiss([tags.valueCloser]);
    entries.push([key.trim(), value]);
    yield* takeBlanks(reading);
  }
  const values = Object.fromEntries(entries);
  return { kind: "pairs", call: { name, arguments: values, argumentsText: spacedJson(values), untyped: true } };
}

/** Takes a value: its closing tag counts only if a key or the call's end follows. Null, at the text's end, where it does not come. */
function* takeValue(reading: Reading, tags: PairTags): Steps<string | null> {
  const start = reading.at;
  for (;;) {
    const found = yield* findTag(reading, [tags.valueCloser]);
    if (found === null) {
      reading.at = reading.buffer.length;
      return null;
    }
    const behind = found.at + found.tag.length;
    if (yield* goesOn(reading, behind, [tags.keyOpener, tags.callCloser])) {
      reading.at = behind;
      return trimValue(reading.buffer.slice(start, found.at));
    }
    reading.at = found.at + 1;
  }
}
