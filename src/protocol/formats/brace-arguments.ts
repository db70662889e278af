import type { JsonValue } from "../json.ts";
import type { CallReader, Meter, ReaderStep } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { takeClosers } from "./named-json.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import {
  comes,
  endOfQuoted,
  endsInside,
  findTag,
  peek,
  type Reading,
  type Steps,
  takeBlanks,
  takeOne,
  takeUpTo,
} from "./reading.ts";

/** How a format of the Gemma family marks calls that are written `call:NAME{key:value,…}` with bare keys. */
export interface BraceCalls {
  /** Marker in front of `call:`; empty where it was stripped. */
  readonly opener: string;
  readonly closer: string;
  /** Marker on both sides of a string; null where it was stripped and strings stand bare. */
  readonly quote: string | null;
}

/** Nesting beyond this is no tool call, and recursion must end. */
const deepest = 64;

export function createBraceReader(meter: Meter, format: BraceCalls): CallReader {
  return createReader(meter, (reading) => readCall(reading, format));
}

function* readCall(reading: Reading, format: BraceCalls): Steps<ReaderStep> {
  const marked = format.quote !== null;
  if ((yield* takeOne(reading, [format.opener])) === null) return noStep;
  if (marked) yield* takeBlanks(reading);
  if ((yield* takeOne(reading, ["call:"])) === null)
    return marked && endsInside(reading, ["call:"]) ? cutStep(reading, []) : noStep;
  const name = yield* takeUpTo(reading, "{\n <");
  if (name === null) return marked && reading.ended ? cutStep(reading, []) : noStep;
  if (!toolNamePattern.test(name) || name.endsWith(":")) return noStep;
  yield* takeBlanks(reading);
  const next = yield* peek(reading);
  if (next !== "{") return next === "" && marked ? cutStep(reading, [], name) : noStep;

  const open = reading.at;
  const state = yield* takeBraces(reading, format);
  if (state !== "closed") {
    const argumentsText = reading.buffer.slice(open, reading.at);
    if (state === "malformed" && marked) yield* takeClosers(reading, [[format.closer]]);
    return brokenStep([], { end: reading.at, reason: state, name, argumentsText });
  }
  const argumentsText = reading.buffer.slice(open, reading.at);
  const values = readBraces(argumentsText, format.quote);
  if (marked) yield* takeClosers(reading, [[format.closer]]);
  if (values === null) return brokenStep([], { end: reading.at, reason: "malformed", name, argumentsText });
  return callStep(reading, [{ name, arguments: values, argumentsText, untyped: !marked }]);
}

/** Goes to behind the closing brace. In marked strings nothing counts but their closing mark; the call's closer ends a damaged one. */
function* takeBraces(reading: Reading, format: BraceCalls): Steps<"closed" | "cut" | "malformed"> {
  const { quote, closer } = format;
  let depth = 0;
  for (let at = reading.at; ; at++) {
    if (at >= reading.buffer.length && !(yield* comes(reading, at))) {
      reading.at = reading.buffer.length;
      return "cut";
    }
    reading.meter.steps++;
    const character = reading.buffer[at];
    if (character === "<" && quote !== null) {
      reading.at = at;
      const mark = yield* takeOne(reading, [quote, closer]);
      if (mark === closer) {
        reading.at = at;
        return "malformed";
      }
      if (mark === quote) {
        const end = yield* findTag(reading, [quote, closer]);
        reading.at = end?.at ?? reading.buffer.length;
        if (end === null) return "cut";
        if (end.tag === closer) return "malformed";
        at = end.at + quote.length - 1;
      }
    } else if (character === '"') {
      const behind = yield* endOfQuoted(reading, at + 1, '"');
      at = (behind ?? reading.buffer.length + 1) - 1;
    } else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      reading.at = at + 1;
      if (depth === 0) return character === "}" ? "closed" : "malformed";
    }
  }
}

/** Reads `{key:value,…}`; null where it is no such thing. Bare words are read as JSON would read them, else as text. */
function readBraces(text: string, quote: string | null): Readonly<Record<string, JsonValue>> | null {
  let at = 0;
  const skip = (): void => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const readString = (): string | undefined => {
    if (quote !== null && text.startsWith(quote, at)) {
      const end = text.indexOf(quote, at + quote.length);
      if (end === -1) return undefined;
      const value = text.slice(at + quote.length, end);
      at = end + quote.length;
      return value;
    }
    const plain = /"(?:[^"\\]|\\[\s\S])*"/y;
    plain.lastIndex = at;
    const match = plain.exec(text);
    if (match === null) return undefined;
    at = plain.lastIndex;
    try {
      return JSON.parse(match[0]) as string;
    } catch {
      return match[0].slice(1, -1);
    }
  };
  const readWord = (nested: boolean): JsonValue => {
    const from = at;
    while (at < text.length && !"}]".includes(text[at] ?? "") && !(text[at] === "," && endsWord(nested))) at++;
    const word = text.slice(from, at).trim();
    return quote === null ? word : bareWord(word);
  };
  /** Where strings stand bare a comma may belong to one: it ends a value only if a key follows, or inside a list. */
  const endsWord = (nested: boolean): boolean =>
    quote !== null || nested || /^,\s*[\p{L}_][\p{L}\p{N}_-]*\s*:/u.test(text.slice(at, at + 80));
  const readValue = (depth: number, nested: boolean): JsonValue | undefined => {
    skip();
    if (depth > deepest) return undefined;
    if (text[at] === "{") return readObject(depth + 1);
    if (text[at] === "[") return readList(depth + 1);
    const string = readString();
    if (string !== undefined) return string;
    const word = readWord(nested);
    return word === "" && quote !== null ? undefined : word;
  };
  const readList = (depth: number): JsonValue | undefined => {
    const items: JsonValue[] = [];
    at++;
    for (;;) {
      skip();
      if (text[at] === "]") {
        at++;
        return items;
      }
      const value = readValue(depth, true);
      if (value === undefined || at >= text.length) return undefined;
      items.push(value);
      skip();
      if (text[at] === ",") at++;
      else if (text[at] !== "]") return undefined;
    }
  };
  const readObject = (depth: number): Readonly<Record<string, JsonValue>> | undefined => {
    const entries: [string, JsonValue][] = [];
    at++;
    for (;;) {
      skip();
      if (text[at] === "}") {
        at++;
        return Object.fromEntries(entries);
      }
      const quoted = readString();
      const key = quoted ?? /^[^:,{}[\]<]{1,128}/.exec(text.slice(at, at + 128))?.[0] ?? "";
      if (quoted === undefined) at += key.length;
      skip();
      if (key.trim() === "" || text[at] !== ":") return undefined;
      at++;
      const value = readValue(depth, false);
      if (value === undefined) return undefined;
      entries.push([key.trim(), value]);
      skip();
      if (text[at] === ",") at++;
      else if (text[at] !== "}") return undefined;
    }
  };
  const values = readObject(0);
  return values === undefined || at < text.length ? null : values;
}

function bareWord(word: string): JsonValue {
  if (word === "true") return true;
  if (word === "false") return false;
  if (word === "null") return null;
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word) ? Number(word) : word;
}

/** A value as these models write it: bare keys, strings between marks, anything else as JSON. */
export function renderBraces(value: JsonValue, quote: string): string {
  if (typeof value === "string") return `${quote}${value}${quote}`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => renderBraces(item, quote)).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${renderBraces(item, quote)}`)
    .join(",")}}`;
}
