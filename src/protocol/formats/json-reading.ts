import { isJsonObject, type JsonValue, parseJson } from "../json.ts";
import type { ScannedCall } from "./format.ts";
import { createJsonExtent } from "./json-extent.ts";
import { findTag, type Reading, type Steps } from "./reading.ts";

/** A JSON value read to its end, or why it could not be: the text ended in it, or it is no JSON. Offsets count from the candidate's start. */
export type JsonRead =
  | { readonly kind: "value"; readonly value: JsonValue; readonly start: number; readonly end: number }
  | { readonly kind: "damaged"; readonly reason: "cut" | "malformed"; readonly start: number; readonly end: number };

/** Takes the JSON object or list whose opening bracket stands here. */
export function* takeJson(reading: Reading): Steps<JsonRead> {
  const start = reading.at;
  const extent = createJsonExtent(start, reading.meter);
  for (;;) {
    const step = extent.read(reading.buffer);
    if (step.kind === "more") {
      if (reading.ended) return { kind: "damaged", reason: "cut", start, end: reading.buffer.length };
      yield;
      continue;
    }
    const end = step.kind === "closed" ? step.end : step.at;
    reading.at = end;
    const value = step.kind === "closed" ? parseJson(reading.buffer.slice(start, end)) : undefined;
    return value === undefined
      ? { kind: "damaged", reason: "malformed", start, end }
      : { kind: "value", value, start, end };
  }
}

/** Text that a format marks as JSON, decoded; the text itself where it is none. */
export function jsonOrText(text: string): JsonValue {
  const value = parseJson(text.trim());
  return value === undefined ? text : value;
}

/** A call whose name stood apart from its arguments, or what is left of it. */
export type NamedRead =
  | { readonly kind: "call"; readonly call: ScannedCall }
  | {
      readonly kind: "damaged";
      readonly reason: "cut" | "malformed";
      readonly end: number;
      readonly name: string;
      readonly argumentsText: string;
    };

/** Takes the JSON object here as the arguments of `name`. */
export function* takeArguments(reading: Reading, name: string): Steps<NamedRead> {
  const read = yield* takeJson(reading);
  const argumentsText = reading.buffer.slice(read.start, read.end);
  if (read.kind === "value" && isJsonObject(read.value))
    return { kind: "call", call: { name, arguments: read.value, argumentsText, untyped: false } };
  const reason = read.kind === "damaged" ? read.reason : "malformed";
  return { kind: "damaged", reason, end: read.end, name, argumentsText };
}

/**
 * Goes on to where a damaged block is over: behind one of its closers, or in front of an opener, so that a later call of the
 * same kind is not lost with it. The tags share their first character; without any, it is over at once. Gives the block's end.
 */
export function* leaveDamage(
  reading: Reading,
  from: number,
  closers: readonly string[],
  openers: readonly string[],
): Steps<number> {
  reading.at = from;
  if (closers.length + openers.length === 0) return from;
  const found = yield* findTag(reading, [...closers, ...openers]);
  if (found === null) return reading.buffer.length;
  return closers.includes(found.tag) ? found.at + found.tag.length : found.at;
}
