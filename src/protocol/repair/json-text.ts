import { type JsonValue, parseJson } from "../json.ts";
import { type RelaxedOptions, type RelaxedRead, readRelaxedJson } from "./relaxed-json.ts";
import { type AppliedRepair, applied } from "./repair.ts";

/** A value read from damaged JSON with what it took. */
export interface RepairedJson {
  readonly value: JsonValue;
  readonly repairs: readonly AppliedRepair[];
}

export interface JsonRepairOptions {
  /** The writer ended the text by itself: one bracket missing at its end may be forgiven. */
  readonly stopped?: boolean;
  /** What may stand behind the value: markup that ran into it, or any text (which is then dropped). */
  readonly behind?: "markup" | "text";
  /** How many brackets stood open in front of the value: as many behind it close them and are none too many. */
  readonly openBefore?: number;
}

/** Readings from the strictest to the most forgiving; the first that reads the text is taken. */
const readings: readonly RelaxedOptions[] = [
  { innerQuotes: false, missingCloser: false },
  { innerQuotes: false, missingCloser: true },
  { innerQuotes: true, missingCloser: false },
  { innerQuotes: true, missingCloser: true },
];

/** True where the text ends inside a string: nothing may be closed then, because the value's end is unknown. */
export function endsInsideString(text: string): boolean {
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString && character === "\\") index++;
    else if (character === '"') inString = !inString;
  }
  return inString;
}

/**
 * Reads JSON text strictly, and with named repairs where that fails; null where they do not suffice. An open string is never
 * closed, whatever the options.
 */
export function repairJson(text: string, options: JsonRepairOptions = {}): RepairedJson | null {
  const strict = parseJson(text);
  if (strict !== undefined) return { value: strict, repairs: [] };
  const from = startOfValue(text);
  const word = text.slice(0, from).trim();
  const before = word === "" ? [] : [applied("fence_word", word, "")];
  for (const reading of readings) {
    if (reading.missingCloser && options.stopped !== true) continue;
    const read = readRelaxedJson(text, from, reading);
    const rest = read === null ? null : restRepairs(text, read, options);
    if (read !== null && rest !== null) return { value: read.value, repairs: [...before, ...read.repairs, ...rest] };
  }
  return null;
}

/** Where the value begins behind the remains of a code fence, or 0 where none stand there. */
function startOfValue(text: string): number {
  const blanks = text.length - text.trimStart().length;
  const mark = /^`{3,}(?:json)?|^json(?![\w"])/i.exec(text.slice(blanks, blanks + 16))?.[0].length ?? 0;
  if (mark === 0) return blanks;
  const rest = text.slice(blanks + mark);
  const value = rest.trimStart();
  return value.startsWith("{") || value.startsWith("[") ? text.length - value.length : blanks;
}

/** What it takes to leave the text behind the value aside; null where it may not be left aside. */
function restRepairs(text: string, read: RelaxedRead, options: JsonRepairOptions): readonly AppliedRepair[] | null {
  const rest = text.slice(read.end);
  const closers = /^[\s}\]]*/.exec(rest)?.[0] ?? "";
  const more = rest.slice(closers.length).trim();
  const repairs: AppliedRepair[] = [];
  if (closers.trim() !== "") {
    // One bracket too many is a slip; many are the wreck of something that was meant to be there.
    const extra = closers.replace(/\s/g, "").length - (options.openBefore ?? 0);
    if (extra > 2) return null;
    if (extra > 0) repairs.push(applied("extra_outer_brace", closers.trim(), ""));
  }
  if (more === "" || /^`{3,}$/.test(more)) return repairs;
  if (options.behind === undefined) return null;
  if (/^(?:<|`{3}|\[\/|\|>|✿)/.test(more)) return [...repairs, applied("markup_behind", more, "")];
  return options.behind === "text" ? [...repairs, applied("text_behind", more, "")] : null;
}

/**
 * Complete JSON objects that stand one behind the other with nothing but white space, commas or semicolons between them; null
 * where the text is anything else. Merged argument streams look like this.
 */
export function readObjectRun(text: string): readonly JsonValue[] | null {
  const values: JsonValue[] = [];
  let from = /^\s*/.exec(text)?.[0].length ?? 0;
  while (from < text.length) {
    if (text[from] !== "{") return null;
    const read = readRelaxedJson(text, from, { innerQuotes: false, missingCloser: false });
    if (read === null || read.repairs.length > 0) return null;
    values.push(read.value);
    const separator = /^[\s,;]*/.exec(text.slice(read.end, read.end + 256))?.[0].length ?? 0;
    from = read.end + separator;
  }
  return values;
}
