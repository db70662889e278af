import { type JsonObject, type JsonValue, spacedJson } from "../json.ts";
import type { CallReader, Meter, ReaderStep } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { takeClosers } from "./named-json.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, findTag, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";
import { goesOn, trimValue } from "./xml-value.ts";

const begin = "BEGIN_ARG:";
const end = "END_ARG";
/** The closing word counts only on a line of its own, for a value may hold it. */
const endLine = "\nEND_ARG";

/** How a format opens and closes calls whose arguments stand in `BEGIN_ARG: NAME … END_ARG` blocks. */
export interface ArgumentBlocks {
  readonly opener: string;
  /** What stands behind the tool's name. */
  readonly nameEnd: string;
  /** Marker behind the last block; empty for none. */
  readonly closer: string;
}

export function createArgumentBlockReader(meter: Meter, format: ArgumentBlocks): CallReader {
  return createReader(meter, (reading) => readBlocks(reading, format));
}

function* readBlocks(reading: Reading, format: ArgumentBlocks): Steps<ReaderStep> {
  if ((yield* takeOne(reading, [format.opener])) === null)
    return endsInside(reading, [format.opener]) && reading.at > 0 ? cutStep(reading, []) : noStep;
  const written = yield* takeUpTo(reading, `\n<{${format.nameEnd === ":" ? ":" : ""}`);
  const name = written?.trim() ?? "";
  if (!toolNamePattern.test(name) || (yield* takeOne(reading, [format.nameEnd])) === null) return noStep;
  yield* takeBlanks(reading);
  const bodyStart = reading.at;
  const entries: [string, string][] = [];
  let unnamed = false;
  const broken = (at: number, reason: "cut" | "malformed"): ReaderStep =>
    brokenStep([], { end: at, reason, name, argumentsText: reading.buffer.slice(bodyStart, at) });

  while ((yield* takeOne(reading, [begin])) !== null) {
    const key = yield* takeUpTo(reading, "\n", 256);
    if (key === null)
      return broken(reading.ended ? reading.buffer.length : reading.at, reading.ended ? "cut" : "malformed");
    const value = yield* takeBlockValue(reading, format);
    if (value === null) return broken(reading.buffer.length, "cut");
    unnamed ||= key.trim() === "";
    entries.push([key.trim(), value]);
    const behind = reading.at;
    yield* takeBlanks(reading);
    if (!reading.buffer.startsWith("B", reading.at)) reading.at = behind;
  }
  if (reading.ended && reading.at < reading.buffer.length && endsInside(reading, [begin]))
    return broken(reading.buffer.length, "cut");
  if (entries.length === 0 && (format.closer === "" || !(yield* closes(reading, format.closer)))) return noStep;
  const bodyEnd = reading.at;
  if (format.closer !== "") yield* takeClosers(reading, [[format.closer]]);
  const argumentsText = reading.buffer.slice(bodyStart, bodyEnd);
  // A value without a name does not say which parameter it is.
  if (unnamed) return brokenStep([], { end: reading.at, reason: "malformed", name, argumentsText });
  // Without the closer another block may have been on its way.
  if (format.closer !== "" && reading.at === bodyEnd && reading.ended)
    return brokenStep([], { end: reading.buffer.length, reason: "cut", name, argumentsText });
  const values = Object.fromEntries(entries);
  return callStep(reading, [{ name, arguments: values, argumentsText: spacedJson(values), untyped: true }]);
}

function* closes(reading: Reading, closer: string): Steps<boolean> {
  return (yield* goesOn(reading, reading.at, [closer])) && reading.at < reading.buffer.length;
}

/** Takes a value up to `END_ARG` on a line of its own, behind which another block, the closer, or the end follows. */
function* takeBlockValue(reading: Reading, format: ArgumentBlocks): Steps<string | null> {
  const start = reading.at;
  for (;;) {
    const found = yield* findTag(reading, [endLine]);
    if (found === null) return null;
    const behind = found.at + endLine.length;
    reading.at = behind;
    if (format.closer === "" || (yield* goesOn(reading, behind, [begin, format.closer]))) {
      reading.at = behind;
      return trimValue(reading.buffer.slice(start, found.at));
    }
    reading.at = found.at + 1;
  }
}

/** Arguments as blocks, each on lines of its own. */
export function renderBlocks(values: JsonObject): string {
  const text = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));
  return Object.entries(values)
    .map(([key, value]) => `${begin} ${key}\n${text(value)}\n${end}\n`)
    .join("");
}
