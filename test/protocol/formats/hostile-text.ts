import fc from "fast-check";
import type { Piece } from "../../../src/protocol/formats/format.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { createScanner } from "../../../src/protocol/formats/scanner.ts";

/** Pieces of a chunked scan with neighbouring text joined, as a whole scan gives them. */
export function scanChunks(text: string, nextSize: () => number): readonly Piece[] {
  const scanner = createScanner(toolCallFormats);
  const found: Piece[] = [];
  for (let from = 0; from < text.length; ) {
    const size = nextSize();
    found.push(...scanner.push(text.slice(from, from + size)));
    from += size;
  }
  found.push(...scanner.end());
  const pieces: Piece[] = [];
  for (const piece of found) {
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text") pieces[pieces.length - 1] = { ...last, end: piece.end };
    else pieces.push(piece);
  }
  return pieces;
}

const calls = [
  { name: "f", arguments: { a: "x", n: 2, list: ["y"] } },
  { name: "g_h", arguments: {} },
];
const rendered = toolCallFormats.map((format) => format.render(calls));
const openers = toolCallFormats.flatMap((format) => [
  ...format.openers,
  ...(format.residue?.openers ?? []),
  ...(format.nameThen ?? []).map((then) => `f${then}`),
]);
/** Markup of every format in small parts, so that the parts of different formats meet. */
const tokens = [
  ...new Set(rendered.flatMap((text) => text.match(/<[^<>]*>|\[[A-Z_/]+\]|[A-Za-z_]+|[^\w\s]|\s+/g) ?? [])),
];

/** Text made of the formats' own markup, of calls that are cut, and of anything at all. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...tokens) },
      { weight: 2, arbitrary: fc.constantFrom(...openers) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...rendered), fc.nat(), fc.nat())
          .map(([text, from, length]) => text.slice(from % (text.length + 1)).slice(0, length % (text.length + 1))),
      },
      { weight: 1, arbitrary: fc.constantFrom(...rendered) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("\n", " ", ". ", "。", "\ud83d", "\udc4d", "\u0000", "\\", '"', "'", "```"),
      },
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(""));
