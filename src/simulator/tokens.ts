import type { SeededRandom } from "./random.ts";

/**
 * The simulator's vocabulary: a token is one code point and its id is the code point, so that a detokenizer needs no
 * memory of what was generated. One id beyond Unicode is the end of a turn.
 */
export const endOfTurnId = 0x110000;
export const endOfTurnText = "<|im_end|>";

/** Tags that real vocabularies hold as one token, so that they never arrive in two pieces (vLLM and Ollama). */
export const singlePieces: readonly string[] = ["<tool_call>", "</tool_call>", "<think>", "</think>"];

/** Ids of a text, one per code point. */
export function tokenIds(text: string): number[] {
  const ids: number[] = [];
  for (const character of text) ids.push(character.codePointAt(0) ?? 0);
  return ids;
}

/** Number of tokens of a text. */
export function countTokens(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        index++;
      }
    }
  }
  return count;
}

/** Text of ids; an id outside the vocabulary gives nothing, as real detokenizers do. */
export function textOfIds(ids: readonly unknown[]): string {
  let text = "";
  for (const id of ids) {
    if (id === endOfTurnId) text += endOfTurnText;
    else if (typeof id === "number" && Number.isInteger(id) && id >= 0 && id < endOfTurnId)
      text += String.fromCodePoint(id);
  }
  return text;
}

/** The first `limit` tokens of a text. */
export function firstTokens(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** A stretch of the generated text that arrives at once. */
export interface TextPiece {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts a text into the pieces in which it arrives: `chunk` characters each, or 1 to 12 at random; the strings in `whole`
 * come as single pieces. Pieces joined are the text, and no piece splits a code point.
 */
export function cutIntoPieces(
  text: string,
  chunk: number | "random",
  whole: readonly string[],
  random: SeededRandom,
): TextPiece[] {
  const pieces: TextPiece[] = [];
  let start = 0;
  while (start < text.length) {
    const tag = text[start] === "<" ? whole.find((candidate) => text.startsWith(candidate, start)) : undefined;
    let end = start;
    if (tag !== undefined) end = start + tag.length;
    else {
      const size = chunk === "random" ? 1 + random.below(12) : chunk;
      for (let count = 0; count < size && end < text.length; count++) {
        if (end > start && text[end] === "<" && whole.some((candidate) => text.startsWith(candidate, end))) break;
        end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
      }
    }
    pieces.push({ start, end });
    start = end;
  }
  return pieces;
}
