import type { CallReader, Meter, ReaderStep, ScannedCall } from "./format.ts";
import { toolNamePattern } from "./json-call.ts";
import { leaveDamage, type NamedRead, takeArguments } from "./json-reading.ts";
import { brokenStep, callStep, createReader, cutStep, noStep } from "./reader-steps.ts";
import { endsInside, peek, type Reading, type Steps, takeBlanks, takeOne, takeUpTo } from "./reading.ts";

/** How a format writes a tool's name apart from the JSON object of its arguments. Markers are lists of spellings; an empty one makes a marker optional. */
export interface NamedJson {
  /** Around the whole block. */
  readonly outer?: { readonly open: readonly string[]; readonly close: readonly string[] };
  /** In front of each name, in order. */
  readonly before: readonly (readonly string[])[];
  /** Characters of which one ends the name. */
  readonly nameStops: string;
  /** The tool's name in the text between `before` and the stop; null where it can be none. Default: the text without blanks around it. */
  readName?(text: string): string | null;
  /** Between name and arguments, in order. White space may stand around each. */
  readonly between: readonly (readonly string[])[];
  /** Behind each call's arguments, in order; a missing one is forgiven. */
  readonly after: readonly (readonly string[])[];
  /** True where another call may follow in the same block. */
  readonly repeats: boolean;
  /** True where the beginning alone does not say that a call was begun, because other things begin so too. */
  readonly weak?: boolean;
}

export function createNamedJsonReader(meter: Meter, format: NamedJson): CallReader {
  return createReader(meter, (reading) => readNamed(reading, format));
}

function* readNamed(reading: Reading, format: NamedJson): Steps<ReaderStep> {
  const calls: ScannedCall[] = [];
  if (format.outer !== undefined && (yield* takeOne(reading, [...format.outer.open, ""])) === null)
    return cutStep(reading, calls);
  for (;;) {
    const end = reading.at;
    const head = yield* takeHead(reading, format, calls.length > 0);
    if (head.kind === "none") {
      if (calls.length === 0) return noStep;
      reading.at = end;
      break;
    }
    if (head.kind === "cut")
      return calls.length === 0 && format.weak === true && head.name === null
        ? noStep
        : cutStep(reading, calls, head.name);
    if (head.kind === "malformed") return brokenStep(calls, { end: reading.at, reason: "malformed", name: head.name });
    const read = yield* takeArguments(reading, head.name);
    if (read.kind === "damaged") return yield* readDamaged(reading, format, read, calls);
    calls.push(read.call);
    yield* takeClosers(reading, format.after);
    if (!format.repeats) break;
  }
  if (format.outer !== undefined) yield* takeClosers(reading, [format.outer.close]);
  return callStep(reading, calls);
}

type Head =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "cut"; readonly name: string | null }
  | { readonly kind: "malformed"; readonly name: string };

/** Takes everything up to the arguments' opening brace. `begun`: a call of the block has been read, so what follows is no beginning. */
function* takeHead(reading: Reading, format: NamedJson, begun: boolean): Steps<Head> {
  const start = reading.at;
  for (const spellings of format.before) {
    if (begun || reading.at > start) yield* takeBlanks(reading);
    if ((yield* takeOne(reading, spellings)) === null)
      return endsInside(reading, spellings) && !(begun && reading.at === reading.buffer.length)
        ? { kind: "cut", name: null }
        : { kind: "none" };
  }
  const text = yield* takeUpTo(reading, format.nameStops);
  if (text === null)
    return reading.ended && reading.buffer.length - reading.at <= 128 ? { kind: "cut", name: null } : { kind: "none" };
  const name = format.readName === undefined ? text.trim() : format.readName(text.trim());
  if (name === null || !toolNamePattern.test(name)) return { kind: "none" };
  for (const spellings of format.between) {
    yield* takeBlanks(reading);
    if ((yield* takeOne(reading, spellings)) === null) {
      if (reading.ended && (reading.at === reading.buffer.length || endsInside(reading, spellings)))
        return { kind: "cut", name };
      return begun ? { kind: "malformed", name } : { kind: "none" };
    }
  }
  yield* takeBlanks(reading);
  const next = yield* peek(reading);
  if (next === "{") return { kind: "name", name };
  if (next === "") return { kind: "cut", name };
  return begun ? { kind: "malformed", name } : { kind: "none" };
}

/** Takes markers that may stand behind a call, each optional, and leaves white space that none follows. */
export function* takeClosers(reading: Reading, closers: readonly (readonly string[])[]): Steps<void> {
  for (const spellings of closers) {
    const end = reading.at;
    yield* takeBlanks(reading);
    if ((yield* takeOne(reading, spellings)) === null) reading.at = end;
  }
}

function* readDamaged(
  reading: Reading,
  format: NamedJson,
  read: Extract<NamedRead, { kind: "damaged" }>,
  calls: readonly ScannedCall[],
): Steps<ReaderStep> {
  if (read.reason === "cut") return brokenStep(calls, read);
  const closers = [...format.after.flat(), ...(format.outer?.close ?? [])].filter((tag) => tag !== "");
  const same = (tags: readonly string[]): readonly string[] => tags.filter((tag) => tag[0] === closers[0]?.[0]);
  const openers = [...(format.outer?.open ?? []), ...(format.before[0] ?? [])].filter((tag) => tag !== "");
  const end = yield* leaveDamage(reading, read.end, same(closers), closers.length === 0 ? [] : same(openers));
  return brokenStep(calls, { ...read, end });
}
