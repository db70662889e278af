import MiniSearch from "minisearch";
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

function candidates(
  texts: readonly string[],
  words: ReadonlySet<string>,
  split: WordSplitter,
): readonly { id: number; text: string }[] {
  const all = texts.map((text, id) => ({ id, text }));
  if (all.length <= mostIndexed) return all;
  return all.filter(({ text }) => split(text).some((word) => words.has(word))).slice(-mostIndexed);
}
