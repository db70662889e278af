import type { JsonValue } from "../json.ts";

/** A place in Python code. */
interface LiteralReader {
  /** Offset reached. */
  at: number;
  readonly text: string;
}

/** Nesting beyond this is no tool call, and recursion must end. */
const deepest = 64;
const words: Readonly<Record<string, JsonValue>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\x07",
  "0": "\0",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};
const number = /[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?/y;
const word = /[A-Za-z_]\w*/y;
const stringStart = /([rRuU]?)("""|'''|"|')/y;
const unicodeEscape = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y;

function match(pattern: RegExp, reader: LiteralReader): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found !== null) reader.at = pattern.lastIndex;
  return found;
}

function skip(reader: LiteralReader): void {
  match(/(?:\s|#[^\n]*\n)*/y, reader);
}

/** The string whose quotes stand here, escapes decoded as Python does: an unknown one keeps its backslash. */
function readString(reader: LiteralReader): string | undefined {
  const start = match(stringStart, reader);
  if (start === null) return undefined;
  const raw = start[1] === "r" || start[1] === "R";
  const quote = start[2] ?? "";
  const { text } = reader;
  let value = "";
  let plainFrom = reader.at;
  for (let at = reader.at; at < text.length; at++) {
    if (text.startsWith(quote, at)) {
      reader.at = at + quote.length;
      return value + text.slice(plainFrom, at);
    }
    if (text[at] !== "\\") continue;
    if (raw) {
      at++;
      continue;
    }
    value += text.slice(plainFrom, at);
    unicodeEscape.lastIndex = at + 1;
    const code = unicodeEscape.exec(text);
    const hex = code?.[1] ?? code?.[2] ?? code?.[3];
    if (code !== null && hex !== undefined) {
      const point = Number.parseInt(hex, 16);
      value += point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
      at += code[0].length;
    } else {
      const escaped = text[at + 1] ?? "";
      value += Object.hasOwn(escapes, escaped) ? escapes[escaped] : `\\${escaped}`;
      at++;
    }
    plainFrom = at + 1;
  }
  return undefined;
}

/** Items between brackets, commas between them and perhaps behind the last. Null where they are no such thing. */
function readItems(reader: LiteralReader, closer: string, readOne: () => boolean): boolean {
  reader.at++;
  for (;;) {
    skip(reader);
    if (reader.text[reader.at] === closer) {
      reader.at++;
      return true;
    }
    if (!readOne()) return false;
    skip(reader);
    if (reader.text[reader.at] === ",") reader.at++;
    else if (reader.text[reader.at] !== closer) return false;
  }
}

function readValue(reader: LiteralReader, depth: number): JsonValue | undefined {
  if (depth > deepest) return undefined;
  skip(reader);
  const first = reader.text[reader.at] ?? "";
  if (first === "[" || first === "(") {
    const items: JsonValue[] = [];
    const whole = readItems(reader, first === "[" ? "]" : ")", () => {
      const item = readValue(reader, depth + 1);
      if (item !== undefined) items.push(item);
      return item !== undefined;
    });
    return whole ? items : undefined;
  }
  if (first === "{") {
    const entries: [string, JsonValue][] = [];
    const whole = readItems(reader, "}", () => {
      const key = readValue(reader, depth + 1);
      skip(reader);
      if (key === undefined || typeof key === "object" || reader.text[reader.at] !== ":") return false;
      reader.at++;
      const value = readValue(reader, depth + 1);
      if (value !== undefined) entries.push([String(key), value]);
      return value !== undefined;
    });
    return whole ? Object.fromEntries(entries) : undefined;
  }
  const string = readString(reader);
  if (string !== undefined) {
    // Strings that stand beside each other are one.
    let joined = string;
    for (;;) {
      const at = reader.at;
      skip(reader);
      const next = readString(reader);
      if (next === undefined) {
        reader.at = at;
        return joined;
      }
      joined += next;
    }
  }
  const digits = match(number, reader);
  if (digits !== null) {
    const value = Number(digits[0].replaceAll("_", ""));
    return Number.isFinite(value) ? value : undefined;
  }
  const name = match(word, reader)?.[0] ?? "";
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** What the arguments of a Python call say: values by keyword; or that some have no keyword, or are no literals. */
export type KeywordArguments =
  | { readonly kind: "keywords"; readonly values: Readonly<Record<string, JsonValue>> }
  | { readonly kind: "positional" }
  | { readonly kind: "code" };

const keyword = /([\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/uy;

/** Reads the text of a call's arguments, from its opening parenthesis to the closing one. */
export function readKeywordArguments(text: string): KeywordArguments {
  const reader: LiteralReader = { text, at: 0 };
  const entries: [string, JsonValue][] = [];
  let positional = false;
  const whole = readItems(reader, ")", () => {
    const key = match(keyword, reader)?.[1];
    const value = readValue(reader, 0);
    if (value === undefined) return false;
    if (key === undefined) positional = true;
    else entries.push([key, value]);
    return true;
  });
  if (!whole || reader.at < text.length) return { kind: "code" };
  return positional ? { kind: "positional" } : { kind: "keywords", values: Object.fromEntries(entries) };
}

/** A value as Python writes it. */
export function pythonLiteral(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item)}`)
    .join(", ")}}`;
}
