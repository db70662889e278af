import MiniSearch from "minisearch";
import type { Segment } from "./segments.ts";
import { foreignLength, type WordSplitter, wordSplitter } from "./words.ts";

/** Texts beyond this number are looked at only where they share a word with the question. */
const mostIndexed = 3000;
const longestQuestion = 2000;

/**
 * How much each text has to do with the question, by BM25 over these texts: 0 where they share no word. The same input gives the
 * same scores.
 */
export function relevance(texts: readonly string[], question: string): readonly number[] {
  const scores = new Array<number>(texts.length).fill(0);
  const asked = question.slice(-longestQuestion);
  const foreign = texts.reduce((length, text) => length + foreignLength(text), foreignLength(asked));
  const split = wordSplitter(foreign);
  const words = new Set(split(asked).filter((word) => word.length > 1 || word > "\x7f"));
  if (words.size === 0) return scores;
  const index = new MiniSearch<{ id: number; text: string }>({
    fields: ["text"],
    tokenize: (text) => [...split(text)],
    processTerm: (word) => word,
  });
  index.addAll(candidates(texts, words, split));
  for (const hit of index.search([...words].join(" "), { combineWith: "OR", prefix: false, fuzzy: false }))
    scores[hit.id as number] = hit.score;
  return scores;
}

/** Of more places than these the last ones count. */
const mostPlaces = 2000;

/** Where the longer words of a question stand in a text, in order: a cheap look for texts that are too long to be ranked whole. */
export function placesOfWords(text: string, question: string): readonly Segment[] {
  const asked = question.slice(-longestQuestion);
  const words = new Set(wordSplitter(foreignLength(asked))(asked).filter((word) => word.length > 3 || word > "\x7f"));
  if (words.size === 0) return [];
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${[...words].map(escaped).join("|")})(?![A-Za-z0-9])`, "gi");
  const places: Segment[] = [];
  for (const match of text.matchAll(pattern)) places.push({ start: match.index, end: match.index + match[0].length });
  return places.slice(-mostPlaces);
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function candidates(
  texts: readonly string[],
  words: ReadonlySet<string>,
  split: WordSplitter,
): readonly { id: number; text: string }[] {
  const all = texts.map((text, id) => ({ id, text }));
  if (all.length <= mostIndexed) return all;
  // Most of many texts hold none of the letters, which is seen sooner than their words are split.
  const letters = new RegExp([...words].map(escaped).join("|"), "i");
  const chosen: { id: number; text: string }[] = [];
  for (const one of all.toReversed()) {
    if (letters.test(one.text) && split(one.text).some((word) => words.has(word))) chosen.push(one);
    if (chosen.length === mostIndexed) break;
  }
  return chosen.reverse();
}
