import type { Tool } from "../chat.ts";
import type { Piece } from "../formats/format.ts";
import type { JsonValue } from "../json.ts";
import { declaredProperties } from "../tool-arguments.ts";
import type { MendedCall } from "./broken-call.ts";
import { applied } from "./repair.ts";

type BrokenPiece = Extract<Piece, { kind: "broken" }>;

/** String delimiter of Gemma 4: a token of its own, so that quotes inside values need no escape. */
const delimiter = '<|"|>';

/**
 * Reads `{key:<|"|>text<|"|>,key:…}` in which one delimiter is missing: the next key that the tool declares ends the value, where
 * each declared key stands at no more than one such place. Null where the text is anything else.
 */
export function mendLostDelimiter(piece: BrokenPiece, tools: readonly Tool[]): MendedCall | null {
  const { name, argumentsText } = piece;
  const tool = tools.find((candidate) => candidate.function.name === name);
  const text = argumentsText.trim();
  const delimiters = text.split(delimiter).length - 1;
  if (tool === undefined || name === null || delimiters % 2 === 0 || !text.startsWith("{") || !text.endsWith("}"))
    return null;
  const starts: { readonly key: string; readonly at: number; readonly valueAt: number }[] = [];
  for (const key of Object.keys(declaredProperties(tool))) {
    const places = [...`{,`].flatMap((before) => placesOf(text, `${before}${key}:`));
    if (places.length > 1) return null;
    const [place] = places;
    if (place !== undefined) starts.push({ key, at: place, valueAt: place + key.length + 2 });
  }
  starts.sort((left, right) => left.at - right.at);
  if (starts[0]?.at !== 0) return null;
  const entries = starts.map(({ key, valueAt }, index): [string, JsonValue] => {
    const end = starts[index + 1]?.at ?? text.length - 1;
    return [key, text.slice(valueAt, end).trim().replaceAll(delimiter, "")];
  });
  const given = { name, arguments: Object.fromEntries(entries), untyped: true, stopped: true, jsonText: false };
  return { given, repairs: [applied("lost_delimiter", text, JSON.stringify(given.arguments))] };
}

function placesOf(text: string, words: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}

const unnamedBlocks = /^(?:BEGIN_ARG:?[ \t]*\n[\s\S]*?\n?END_ARG\s*)+$/;

/** Arguments that were given one behind the other without their names; null where the text is anything else. */
export function readUnnamedArguments(piece: BrokenPiece): MendedCall | null {
  const text = piece.argumentsText.trim();
  if (piece.name === null || text.length > 100_000 || !text.startsWith("BEGIN_ARG") || !unnamedBlocks.test(text))
    return null;
  const values = [...text.matchAll(/BEGIN_ARG:?[ \t]*\n([\s\S]*?)\n?END_ARG/g)].map((match) => match[1] ?? "");
  const given = { name: piece.name, arguments: values, untyped: true, stopped: true, jsonText: false };
  return { given, repairs: [] };
}
