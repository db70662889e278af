import type { JsonValue } from "../json.ts";
import type { CallReader, Glance, Meter, ReaderStep, ScannedCall } from "./format.ts";
import { argumentsInDamagedJson, nameInDamagedJson } from "./json-call.ts";
import { takeJson } from "./json-reading.ts";
import { brokenStep, callStep, createReader, noStep } from "./reader-steps.ts";
import { type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";

const fence = "```";

/** Calls as JSON in a code fence, with something in front of it or nothing. */
export interface FencedJson {
  /** In front of the fence; empty for nothing. */
  readonly before: string;
  /** Rules out JSON of another meaning by its first key. */
  readonly glance: (buffer: string, at: number, meter: Meter) => Glance;
  readonly readCalls: (value: JsonValue) => readonly ScannedCall[] | null;
}

/** Reads a fence marked `json`, or with nothing, that holds calls and nothing else. The fence is part of the call. */
export function createFencedReader(meter: Meter, format: FencedJson): CallReader {
  return createReader(meter, (reading) => readFence(reading, format));
}

function* readFence(reading: Reading, format: FencedJson): Steps<ReaderStep> {
  if ((yield* takeOne(reading, [format.before])) === null) return noStep;
  if (format.before !== "") yield* takeBlanks(reading);
  if ((yield* takeOne(reading, [fence])) === null) return noStep;
  const mark = yield* takeUpTo(reading, "\n", 16);
  if (mark === null || !/^(?:json[c5]?|tool_calls?|)\s*$/i.test(mark)) return noStep;
  yield* takeBlanks(reading);
  for (;;) {
    const glance = format.glance(reading.buffer, reading.at, reading.meter);
    if (glance === "out" || (glance === "more" && reading.ended)) return noStep;
    if (glance === "in") break;
    yield;
  }
  if (!"{[".includes(reading.buffer[reading.at] ?? "-")) return noStep;
  const calls: ScannedCall[] = [];
  for (let more = true; more; ) {
    const read = yield* takeJson(reading);
    const found = read.kind === "value" ? format.readCalls(read.value) : null;
    if (found === null) {
      const text = reading.buffer.slice(read.start, read.end);
      const name = nameInDamagedJson(text);
      if (read.kind === "value" || name === null) return { kind: "text", end: read.end };
      yield* takeFenceEnd(reading);
      const end = read.reason === "cut" ? read.end : reading.at;
      return brokenStep(calls, { end, reason: read.reason, name, argumentsText: argumentsInDamagedJson(text) });
    }
    calls.push(...found);
    more = yield* takeFenceEnd(reading);
  }
  return callStep(reading, calls);
}

/** Takes the fence's end; true where another object of the same fence stands here instead. */
function* takeFenceEnd(reading: Reading): Steps<boolean> {
  const end = reading.at;
  yield* takeBlanks(reading);
  if ((yield* takeOne(reading, [fence])) !== null) return false;
  if (reading.buffer.startsWith("{", reading.at)) return true;
  reading.at = end;
  return false;
}
