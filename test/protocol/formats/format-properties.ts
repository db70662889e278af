import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Piece, ScannedCall, ToolCall, ToolCallFormat } from "../../../src/protocol/formats/format.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { createScanner, scanText } from "../../../src/protocol/formats/scanner.ts";
import type { JsonValue } from "../../../src/protocol/json.ts";
import { typeArguments } from "../../../src/protocol/tool-arguments.ts";
import { hostileText, scanChunks } from "./hostile-text.ts";

const word = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
/** Line breaks at the ends of a value are layout in XML-like formats, so none stand there. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }).map((value) => value.replace(/^[\r\n]+|[\r\n]+$/g, "")),
  fc.constantFrom("print('a')\nprint(\"b\")", '{"x": [1, 2]}', "素数の和 <b> & </p>", "1から1000まで", 'a\\b"c', "30"),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.boolean(),
  fc.constant(null),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(word, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true }) },
);
const call: fc.Arbitrary<ToolCall> = fc.record(
  { name: word, arguments: fc.dictionary(word, value, { maxKeys: 4, noNullPrototype: true }) },
  { noNullPrototype: true },
);

function schemaType(given: JsonValue): string {
  if (given === null) return "null";
  return Array.isArray(given) ? "array" : typeof given;
}

/** What a reader made of a call, raw texts typed by the schema of the tool that the call is meant for. */
function typedCall(read: ScannedCall, made: ToolCall): ToolCall {
  if (!read.untyped) return { name: read.name, arguments: read.arguments as ToolCall["arguments"] };
  const properties = Object.fromEntries(
    Object.entries(made.arguments).map(([key, given]) => [key, { type: schemaType(given) }]),
  );
  const tool = { type: "function" as const, function: { name: made.name, parameters: { type: "object", properties } } };
  return { name: read.name, arguments: typeArguments(tool, read.arguments) as ToolCall["arguments"] };
}

/** The markup that ends a string in this format, where strings stand in it as they are. */
function closerOfValues(format: ToolCallFormat): string {
  const rendered = format.render([{ name: "f", arguments: { k: "SENTINEL" } }]);
  const behind = rendered.slice(rendered.indexOf("SENTINEL") + "SENTINEL".length).trimStart();
  return /^(?:<[^>]*>|\]<\]minimax\[>\[|END_ARG)/.exec(behind)?.[0] ?? "";
}

const markup = /<\/?(?:tool_call|function|parameter|invoke|param|arg_)/;

/** Calls that the format can write without ambiguity: a value that holds its own markup is ambiguous by its design. */
function callsFor(format: ToolCallFormat): fc.Arbitrary<ToolCall> {
  const closer = closerOfValues(format);
  return call.filter((made) => {
    const written = JSON.stringify(made.arguments);
    if (format.reservedNames?.includes(made.name) === true) return false;
    return !markup.test(written) && (closer === "" || !written.includes(JSON.stringify(closer).slice(1, -1)));
  });
}

export function callsOf(pieces: readonly Piece[]): readonly ScannedCall[] {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [] : piece.calls));
}

function assert(holds: boolean, said: () => string): void {
  if (!holds) throw new Error(said());
}

/** What a format renders is read back whole, under its name, as the call that it was. */
export function readsBack(format: ToolCallFormat): fc.IPropertyWithHooks<[ToolCall]> {
  return fc.property(callsFor(format), (made) => {
    const rendered = format.render([made]);
    const pieces = scanText(toolCallFormats, rendered);
    const [piece] = pieces;
    const whole = pieces.length === 1 && piece?.kind === "call" && piece.end === rendered.length;
    assert(whole && piece.format === (format.readAs ?? format.name), () => JSON.stringify({ rendered, pieces }));
    const read = callsOf(pieces).map((found) => typedCall(found, made));
    assert(isDeepStrictEqual(read, [made]), () => JSON.stringify({ rendered, read, made }));
  });
}

/** A rendered call that is cut anywhere gives the call as it was made, or none: never one with other arguments. */
export function isNeverCutShort(format: ToolCallFormat): fc.IPropertyWithHooks<[ToolCall, number]> {
  return fc.property(callsFor(format), fc.nat(), (made, at) => {
    const rendered = format.render([made]);
    const part = rendered.slice(0, at % rendered.length);
    const read = callsOf(scanText(toolCallFormats, part)).map((found) => typedCall(found, made));
    assert(read.length === 0 || isDeepStrictEqual(read, [made]), () => JSON.stringify({ part, read, made }));
  });
}

/** Most steps that a scan may take for one character of its input. */
const mostSteps = 100;

/** Any text gives the same pieces in any chunks, pieces that join to the text, in steps that its length bounds. */
export function scansInAnyChunks(): fc.IPropertyWithHooks<[string, fc.Stream<number>]> {
  return fc.property(hostileText, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (hostile, sizes) => {
    const whole = scanText(toolCallFormats, hostile);
    const chunked = scanChunks(hostile, () => sizes.next().value ?? 1);
    assert(isDeepStrictEqual(chunked, whole), () => JSON.stringify({ hostile, whole, chunked }));
    let at = 0;
    for (const piece of whole) {
      assert(piece.start === at && piece.end > at, () => JSON.stringify({ hostile, whole }));
      at = piece.end;
    }
    assert(at === hostile.length, () => JSON.stringify({ hostile, whole }));
    const scanner = createScanner(toolCallFormats);
    scanner.push(hostile);
    scanner.end();
    assert(scanner.steps() <= mostSteps * (hostile.length + 10), () =>
      JSON.stringify({ hostile, steps: scanner.steps() }),
    );
  });
}
