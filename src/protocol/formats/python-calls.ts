import type { CallReader, Glance, Meter, ReaderStep, ScannedCall, ToolCall } from "./format.ts";
import { takeJson } from "./json-reading.ts";
import { readJsonCalls } from "./json-section.ts";
import { takeClosers } from "./named-json.ts";
import { pythonLiteral, readKeywordArguments } from "./python-literal.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { comes, endOfQuoted, peek, type Reading, type Steps, takeBlanks, takeOne } from "./reading.ts";

/** How a format wraps calls that are written as Python: `f(a="x", b=1)`. */
export interface PythonCalls {
  /** Marker in front; empty for none. */
  readonly opener: string;
  /** Markers behind, each optional. */
  readonly closers: readonly string[];
  /** Whether the calls stand in a list. */
  readonly list: "always" | "never" | "either";
  /** True where JSON in place of the code is known of the family too. */
  readonly json?: boolean;
  /** True where only the place marks the call, or others share the marker, so that what is no call is text. */
  readonly weak: boolean;
  /** Makes the tool's name of the written one. */
  readonly readName?: (written: string) => string | null;
}

const nameAndParenthesis = /([\p{L}_][\p{L}\p{N}_.-]{0,63})\s{0,4}\(/uy;
const begunName = /(?:[\p{L}_][\p{L}\p{N}_.-]{0,63}\s{0,4})?$/uy;
/** What the arguments may begin with: their end, a keyword, or a literal. */
const firstArgument =
  /\s{0,32}(?:\)|[\p{L}_][\p{L}\p{N}_]{0,63}\s{0,4}=(?!=)|["'[{+\-\d]|True\b|False\b|None\b|[rRuU]["'])/uy;
const begunArgument = /\s{0,32}(?:[\p{L}_][\p{L}\p{N}_]{0,63}\s{0,4}=?)?$/uy;

function standsAt(pattern: RegExp, buffer: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(buffer);
}

/** Looks at `NAME(` and the beginning of the first argument, so that prose, links and code are ruled out within a few characters. */
export function glanceAtCall(buffer: string, at: number, meter: Meter): Glance {
  meter.steps += 8;
  const head = standsAt(nameAndParenthesis, buffer, at);
  if (head === null) return standsAt(begunName, buffer, at) === null ? "out" : "more";
  const inside = at + head[0].length;
  if (standsAt(firstArgument, buffer, inside) !== null) return "in";
  return standsAt(begunArgument, buffer, inside) === null ? "out" : "more";
}

/** The same behind the bracket of a list. */
export function glanceAtList(buffer: string, at: number, meter: Meter): Glance {
  let inside = at + 1;
  while (inside < at + 8 && /\s/.test(buffer[inside] ?? "")) inside++;
  return glanceAtCall(buffer, inside, meter);
}

/** A call as Python writes it, every argument by keyword. */
export function pythonCall(call: ToolCall, name: string = call.name): string {
  const keywords = Object.entries(call.arguments).map(([key, value]) => `${key}=${pythonLiteral(value)}`);
  return `${name}(${keywords.join(", ")})`;
}

export function createPythonReader(meter: Meter, format: PythonCalls): CallReader {
  return createReader(meter, (reading) => readBlock(reading, format));
}

function* readBlock(reading: Reading, format: PythonCalls): Steps<ReaderStep> {
  if ((yield* takeOne(reading, [format.opener])) === null) return noStep;
  yield* takeBlanks(reading);
  const first = yield* peek(reading);
  if (first === "") return format.weak ? noStep : cutStep(reading, []);
  const bracket = reading.at;
  const listed = format.list !== "never" && first === "[";
  if (listed) {
    reading.at++;
    yield* takeBlanks(reading);
  } else if (format.list === "always") return noStep;
  if (format.json === true && (yield* peek(reading)) === "{") {
    reading.at = bracket;
    return yield* readJsonInstead(reading, format);
  }
  return yield* readCalls(reading, format, listed);
}

function* readJsonInstead(reading: Reading, format: PythonCalls): Steps<ReaderStep> {
  const read = yield* takeJson(reading);
  const calls = read.kind === "value" ? readJsonCalls(read.value) : null;
  if (calls === null) {
    const text = reading.buffer.slice(read.start, read.end);
    return brokenStep([], {
      end: read.end,
      reason: read.kind === "value" ? "malformed" : read.reason,
      argumentsText: text,
    });
  }
  yield* takeClosers(
    reading,
    format.closers.map((closer) => [closer]),
  );
  return callStep(reading, calls);
}

function* readCalls(reading: Reading, format: PythonCalls, listed: boolean): Steps<ReaderStep> {
  const calls: ScannedCall[] = [];
  for (;;) {
    const glance = yield* waitForGlance(reading);
    if (glance === "out") {
      if (calls.length === 0) return format.weak ? noStep : cutOrNo(reading);
      // A list that goes on with anything else is code, unless markers say that it is a call.
      if (format.weak) return { kind: "text", end: reading.at };
      return brokenStep(calls, { end: reading.at, reason: "malformed" });
    }
    const written = (standsAt(nameAndParenthesis, reading.buffer, reading.at)?.[1] ?? "").trim();
    const name = format.readName === undefined ? written : format.readName(written);
    if (name === null) return noStep;
    reading.at = reading.buffer.indexOf("(", reading.at);
    const open = reading.at;
    const state = yield* takeParenthesised(reading);
    const argumentsText = reading.buffer.slice(open, reading.at);
    if (state !== "closed") return brokenStep(calls, { end: reading.at, reason: state, name, argumentsText });
    const read = readKeywordArguments(argumentsText);
    if (read.kind === "code" && format.weak && calls.length === 0) return { kind: "text", end: reading.at };
    if (read.kind !== "keywords") {
      // Arguments without keywords: which parameter each one means is not said.
      if (listed) yield* takeClosers(reading, [["]"]]);
      return brokenStep(calls, { end: reading.at, reason: "malformed", name, argumentsText });
    }
    calls.push({ name, arguments: read.values, argumentsText, untyped: false });
    const end = reading.at;
    yield* takeBlanks(reading);
    if (listed) {
      if ((yield* takeOne(reading, ["]"])) !== null) break;
      if (reading.ended && reading.at === reading.buffer.length) return cutStep(reading, calls);
    }
    const separated = (yield* takeOne(reading, [",", ";"])) !== null;
    yield* takeBlanks(reading);
    if (!listed && !separated && format.weak) {
      reading.at = end;
      break;
    }
    if (!listed && (yield* waitForGlance(reading)) !== "in") {
      reading.at = end;
      break;
    }
  }
  yield* takeClosers(
    reading,
    format.closers.map((closer) => [closer]),
  );
  return callStep(reading, calls);
}

function* waitForGlance(reading: Reading): Steps<"in" | "out"> {
  for (;;) {
    const glance = glanceAtCall(reading.buffer, reading.at, reading.meter);
    if (glance !== "more") return glance;
    if (reading.ended) return "out";
    yield;
  }
}

/** A marker with the beginning of a name behind it at the text's end is a call that was cut. */
function cutOrNo(reading: Reading): ReaderStep {
  return reading.ended && /^[\w.-]{0,64}$/.test(reading.buffer.slice(reading.at)) ? cutStep(reading, []) : noStep;
}

/** Goes to behind the closing parenthesis; where that does not come, to where the text ends, or to where it cannot be code any more. */
function* takeParenthesised(reading: Reading): Steps<"closed" | "cut" | "malformed"> {
  const closers: string[] = [];
  const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
  for (let at = reading.at; ; at++) {
    if (at >= reading.buffer.length && !(yield* comes(reading, at))) {
      reading.at = reading.buffer.length;
      return "cut";
    }
    reading.meter.steps++;
    const character = reading.buffer[at] ?? "";
    if (character === '"' || character === "'") {
      while (at + 3 > reading.buffer.length && !reading.ended) yield;
      const triple = character.repeat(3);
      const quote = reading.buffer.startsWith(triple, at) ? triple : character;
      const behind = yield* endOfQuoted(reading, at + quote.length, quote);
      at = (behind ?? reading.buffer.length + 1) - 1;
    } else if (Object.hasOwn(pairs, character)) closers.push(pairs[character] ?? "");
    else if (character === ")" || character === "]" || character === "}" || character === "<") {
      const matches = closers.pop() === character;
      reading.at = matches ? at + 1 : at;
      if (!matches) return "malformed";
      if (closers.length === 0) return "closed";
    }
  }
}
