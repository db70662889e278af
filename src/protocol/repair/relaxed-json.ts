import type { JsonObject, JsonValue } from "../json.ts";
import { type AppliedRepair, applied, type RepairName } from "./repair.ts";

/** A value read from text that is nearly JSON: where it ends and what had to be forgiven. */
export interface RelaxedRead {
  readonly value: JsonValue;
  /** Offset behind the value. */
  readonly end: number;
  readonly repairs: readonly AppliedRepair[];
}

export interface RelaxedOptions {
  /**
   * Read a quotation mark inside a string as text unless the grammar goes on behind it. Only for text that fails without:
   * it is a reading of many in general.
   */
  readonly innerQuotes: boolean;
  /** Forgive one bracket missing at the very end; only for text that its writer ended. */
  readonly missingCloser: boolean;
}

/** Nesting beyond this is no tool call, and recursion must end. */
const deepest = 128;
/** Longest key that a quotation mark may be followed by to count as the end of a string. */
const longestKey = 80;

const fullwidth: Readonly<Record<string, string>> = {
  "，": ",",
  "：": ":",
  "｛": "{",
  "｝": "}",
  "［": "[",
  "］": "]",
};
const pythonLiterals = new Map<string, boolean | null>([
  ["True", true],
  ["False", false],
  ["None", null],
]);
const jsonLiterals = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const closingQuote: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”" };

class Unreadable extends Error {}

/**
 * Reads the first value of a text that is JSON but for faults that leave one reading: Python literals and quotes, comments,
 * trailing commas, bare keys, raw control characters, wrong escapes, fullwidth punctuation. Null where it cannot be read.
 * An open string is never closed. Linear in the text's length.
 */
export function readRelaxedJson(text: string, from: number, options: RelaxedOptions): RelaxedRead | null {
  const reader = createReader(text, from, options);
  try {
    return reader.read();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

function createReader(text: string, from: number, options: RelaxedOptions) {
  let cursor = from;
  let depth = 0;
  let closersForgiven = 0;
  const repairs = new Map<RepairName, AppliedRepair>();

  const note = (name: RepairName, before: string, after: string): void => {
    if (!repairs.has(name)) repairs.set(name, applied(name, before, after));
  };
  const fail = (): never => {
    throw new Unreadable();
  };

  /** The character at the cursor, fullwidth punctuation read as what it stands for. */
  const peek = (): string => {
    const character = text[cursor] ?? "";
    const meant = fullwidth[character];
    if (meant === undefined) return character;
    note("fullwidth_punctuation", character, meant);
    return meant;
  };

  const skipBlanks = (): void => {
    for (;;) {
      while (cursor < text.length && /\s/.test(text[cursor] ?? "")) cursor++;
      if (text[cursor] !== "/" || (text[cursor + 1] !== "/" && text[cursor + 1] !== "*")) return;
      const closer = text[cursor + 1] === "/" ? "\n" : "*/";
      const end = text.indexOf(closer, cursor + 2);
      const next = end === -1 ? text.length : end + (closer === "\n" ? 0 : 2);
      note("json_comments", text.slice(cursor, next), "");
      cursor = next;
    }
  };

  /** Does the grammar go on behind a quotation mark at `at`, so that it can be the end of a string? */
  const endsString = (at: number, isKey: boolean): boolean => {
    const behind = text.slice(at + 1, at + 2 + longestKey * 2).trimStart();
    const [first = ""] = behind;
    if (isKey) return first === ":" || first === "：";
    if (first === "}" || first === "]" || first === "") return true;
    if (first !== ",") return false;
    // In an object a comma is followed by the next key; in a list by the next value.
    const rest = behind.slice(1).trimStart();
    return /^(?:["'][^"'\n]{1,80}["']\s*:|[}\]]|["{[\d-]|true|false|null)/.test(rest);
  };

  const readString = (isKey: boolean): string => {
    const quote = text[cursor] ?? "";
    const closer = closingQuote[quote] ?? quote;
    const start = cursor;
    cursor++;
    let value = "";
    let plainFrom = cursor;
    for (; cursor < text.length; cursor++) {
      const character = text[cursor] ?? "";
      if (character === "\\") {
        value += text.slice(plainFrom, cursor);
        cursor++;
        const escaped = text[cursor] ?? "";
        const hex = text.slice(cursor + 1, cursor + 5);
        if (escaped === "u" && /^[0-9a-fA-F]{4}$/.test(hex)) {
          value += String.fromCharCode(Number.parseInt(hex, 16));
          cursor += 4;
        } else if (escapes[escaped] !== undefined) value += escapes[escaped];
        else if (escaped === quote) value += escaped;
        else if (escaped === "'") {
          note("invalid_escapes", "\\'", "'");
          value += escaped;
        } else {
          note("invalid_escapes", `\\${escaped}`, `\\\\${escaped}`);
          value += `\\${escaped}`;
        }
        plainFrom = cursor + 1;
      } else if (character === closer) {
        if (options.innerQuotes && !endsString(cursor, isKey)) {
          note("unescaped_quotes", text.slice(cursor, cursor + 24), `\\${text.slice(cursor, cursor + 24)}`);
          continue;
        }
        value += text.slice(plainFrom, cursor);
        cursor++;
        if (quote === "'") note("single_quotes", text.slice(start, cursor), JSON.stringify(value));
        else if (quote === "“") note("fullwidth_punctuation", text.slice(start, cursor), JSON.stringify(value));
        return value;
      } else if (character < " ") {
        note("raw_control_characters", JSON.stringify(character), `escaped`);
      }
    }
    return fail();
  };

  const readNumber = (): number => {
    const match = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(text.slice(cursor, cursor + 64));
    if (match === null) return fail();
    cursor += match[0].length;
    return Number(match[0]);
  };

  const readWord = (): string => {
    const match = /^[A-Za-z_$][\w$-]*/.exec(text.slice(cursor, cursor + longestKey));
    if (match === null) return fail();
    cursor += match[0].length;
    return match[0];
  };

  const readLiteral = (): boolean | null => {
    const word = readWord();
    const literal = jsonLiterals.get(word);
    if (literal !== undefined) return literal;
    const python = pythonLiterals.get(word);
    if (python === undefined) return fail();
    note("python_literals", word, String(python));
    return python;
  };

  /** True where the closing bracket is there, or may be forgiven because it is the only thing missing behind a member. */
  const closes = (bracket: string, mayBeMissing: boolean): boolean => {
    skipBlanks();
    if (peek() === bracket) {
      cursor++;
      return true;
    }
    if (!mayBeMissing || cursor < text.length || !options.missingCloser || closersForgiven > 0) return false;
    closersForgiven++;
    note("missing_outer_brace", text.slice(-24), `${text.slice(-24)}${bracket}`);
    return true;
  };

  const readKey = (): string => {
    const character = peek();
    if (closingQuote[character] !== undefined) return readString(true);
    const word = readWord();
    note("unquoted_keys", word, JSON.stringify(word));
    return word;
  };

  const readMembers = (bracket: string, readOne: () => void): void => {
    cursor++;
    depth++;
    if (depth > deepest) fail();
    // A bracket that opens and nothing behind it says nothing: not even that nothing was meant.
    if (!closes(bracket, false)) {
      for (;;) {
        skipBlanks();
        readOne();
        if (closes(bracket, true)) break;
        if (peek() !== ",") fail();
        const comma = cursor;
        cursor++;
        skipBlanks();
        if (peek() === bracket) {
          cursor++;
          note("trailing_comma", text.slice(comma, cursor), bracket);
          break;
        }
      }
    }
    depth--;
  };

  const readValue = (): JsonValue => {
    const character = peek();
    if (character === "{") {
      // Object.fromEntries makes own properties of any key, __proto__ too.
      const entries: [string, JsonValue][] = [];
      readMembers("}", () => {
        const key = readKey();
        skipBlanks();
        if (peek() !== ":") fail();
        cursor++;
        skipBlanks();
        entries.push([key, readValue()]);
      });
      return Object.fromEntries(entries) satisfies JsonObject;
    }
    if (character === "[") {
      const items: JsonValue[] = [];
      readMembers("]", () => items.push(readValue()));
      return items;
    }
    if (closingQuote[character] !== undefined) return readString(false);
    return /[-\d]/.test(character) ? readNumber() : readLiteral();
  };

  return {
    read: (): RelaxedRead => {
      skipBlanks();
      const value = readValue();
      return { value, end: cursor, repairs: [...repairs.values()] };
    },
  };
}
