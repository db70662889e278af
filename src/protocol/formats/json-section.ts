import { isJsonObject, type JsonValue } from "../json.ts";
import type { CallReader, Meter, ReaderStep, ScannedCall } from "./format.ts";
import { argumentsInDamagedJson, nameInDamagedJson, readJsonCall } from "./json-call.ts";
import { leaveDamage, takeJson } from "./json-reading.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, type Reading, type Steps, takeBlanks, takeOne } from "./reading.ts";

/** How a format wraps JSON that holds name and arguments: markers before, objects or a list of them, markers behind. */
export interface JsonSection {
  /** Markers in front, each as its spellings; white space may stand between. An empty spelling makes one optional. */
  readonly opening: readonly (readonly string[])[];
  /** Markers behind, in order. A missing one is forgiven: the JSON is whole, and where it ends is plain. */
  readonly closing: readonly string[];
  /** Brackets the body may begin with. */
  readonly body: "{" | "[" | "{[";
  /** Reads one decoded value as calls; null where it is none. Default: objects with a name and arguments, or lists of them. */
  readCalls?(value: JsonValue): readonly ScannedCall[] | null;
  /** What can be told of a call in JSON that does not parse. Default: the values of the keys that calls have. */
  readDamage?(text: string): { readonly name: string | null; readonly argumentsText: string };
  /** True for markers that also stand for other things, so that JSON of another meaning between them is text. */
  readonly weak?: boolean;
  /** True where other formats share the opening, so that a bare opening at the text's end says nothing. */
  readonly shared?: boolean;
  /** False where this marker does not follow the JSON, or where it does and must not: two formats differ in nothing else. */
  readonly mark?: { readonly text: string; readonly follows: boolean };
}

/** The calls of a decoded value: an object with name and arguments, or a list of such objects and nothing else. */
export function readJsonCalls(value: JsonValue): readonly ScannedCall[] | null {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const calls = items.flatMap((item) => readJsonCall(item)?.call ?? []);
  return calls.length === items.length && calls.length > 0 ? calls : null;
}

/** The same where nothing but the keys makes a call of them: each names its arguments, else it is data with a name in it. */
export function readWholeJsonCalls(value: JsonValue): readonly ScannedCall[] | null {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return items.every((item) => (readJsonCall(item)?.key ?? null) !== null) ? readJsonCalls(value) : null;
}

/** The calls of a list of objects whose only key is the tool's name. */
export function readKeyedCalls(value: JsonValue): readonly ScannedCall[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const calls: ScannedCall[] = [];
  for (const item of value as readonly JsonValue[]) {
    const entries = isJsonObject(item) ? Object.entries(item) : [];
    const [first] = entries;
    if (first === undefined || entries.length !== 1 || !isJsonObject(first[1])) return null;
    calls.push({ name: first[0], arguments: first[1], argumentsText: JSON.stringify(first[1]), untyped: false });
  }
  return calls;
}

/** The same of JSON that does not parse: the first key is the name. */
export function readKeyedDamage(text: string): { readonly name: string | null; readonly argumentsText: string } {
  const head = /^\[\s*\{\s*"([^"\\]{1,128})"\s*:\s*/.exec(text);
  return { name: head?.[1] ?? null, argumentsText: head === null ? "" : text.slice(head[0].length) };
}

function readDamagedCall(text: string): { readonly name: string | null; readonly argumentsText: string } {
  return { name: nameInDamagedJson(text), argumentsText: argumentsInDamagedJson(text) };
}

/**
 * Reads a JSON section. The call ends with its JSON, not with the first literal closing marker, since file contents quote the
 * protocol; objects may follow each other with nothing, a comma or a semicolon between.
 */
export function createJsonSectionReader(meter: Meter, section: JsonSection): CallReader {
  return createReader(meter, (reading) => readSection(reading, section));
}

function* readSection(reading: Reading, section: JsonSection): Steps<ReaderStep> {
  const { opening, body } = section;
  const readCalls = section.readCalls ?? readJsonCalls;
  for (const [index, spellings] of opening.entries()) {
    if (index > 0) yield* takeBlanks(reading);
    if ((yield* takeOne(reading, spellings)) === null)
      return endsInside(reading, spellings) && section.weak !== true ? cutStep(reading, []) : noStep;
  }
  yield* takeBlanks(reading);
  if (reading.at === reading.buffer.length) return section.weak || section.shared ? noStep : cutStep(reading, []);

  const calls: ScannedCall[] = [];
  while (reading.at < reading.buffer.length && body.includes(reading.buffer[reading.at] ?? "")) {
    const read = yield* takeJson(reading);
    const found = read.kind === "value" ? readCalls(read.value) : null;
    if (found === null) return yield* readDamaged(reading, section, read, calls);
    calls.push(...found);
    // Where only the marker behind it makes the call, what follows is not read ahead: it may begin calls of its own.
    if (section.mark?.follows === true) break;
    const end = reading.at;
    yield* takeBlanks(reading);
    if ((yield* takeOne(reading, [",", ";"])) !== null) yield* takeBlanks(reading);
    if (!body.includes(reading.buffer[reading.at] ?? "-")) {
      reading.at = end;
      break;
    }
  }
  if (calls.length === 0) return noStep;
  return yield* closeSection(reading, section, calls);
}

/** Takes the markers behind the JSON, and brackets too many in front of them. */
function* closeSection(reading: Reading, section: JsonSection, calls: readonly ScannedCall[]): Steps<ReaderStep> {
  let end = reading.at;
  let marked = false;
  for (const marker of section.closing) {
    yield* takeBlanks(reading);
    if (marker === section.closing[0]) {
      while ("]}".includes(reading.buffer[reading.at] ?? "-")) {
        reading.at++;
        yield* takeBlanks(reading);
      }
    }
    if ((yield* takeOne(reading, [marker])) === null) {
      reading.at = end;
      continue;
    }
    end = reading.at;
    marked ||= marker === section.mark?.text;
  }
  reading.at = end;
  if (section.mark !== undefined && section.mark.follows !== marked) return { kind: "text", end };
  return callStep(reading, calls);
}

function* readDamaged(
  reading: Reading,
  section: JsonSection,
  read: { readonly kind: string; readonly start: number; readonly end: number; readonly reason?: "cut" | "malformed" },
  calls: readonly ScannedCall[],
): Steps<ReaderStep> {
  // Whether the marker follows is not seen behind damage.
  if (section.mark?.follows === true) return { kind: "text", end: read.end };
  const reason = read.reason ?? "malformed";
  const [closer] = section.closing;
  const opener = section.opening[0]?.filter((spelling) => spelling !== "" && spelling[0] === closer?.[0]) ?? [];
  const end =
    reason === "cut" || closer === undefined ? read.end : yield* leaveDamage(reading, read.end, [closer], opener);
  const text = reading.buffer.slice(read.start, end);
  const { name, argumentsText } = (section.readDamage ?? readDamagedCall)(text);
  if (section.weak === true && calls.length === 0 && (name === null || read.kind === "value"))
    return { kind: "text", end: read.end };
  return brokenStep(calls, { end, reason, name, argumentsText });
}
