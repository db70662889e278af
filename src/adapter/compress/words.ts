/** Splits a text into the words that a search goes by. */
export type WordSplitter = (text: string) => readonly string[];

const asciiWord = /[A-Za-z0-9]+/g;
const foreignRun = /[^\x00-\x7f]+/g;
const letterOrNumber = /[\p{L}\p{N}]/u;

/** Up to so many characters outside ASCII words are found by dictionary; beyond, pairs of characters stand for them. */
const longestSegmented = 12_000;

let segmenter: Intl.Segmenter | undefined;

/**
 * A splitter for texts that hold `foreignLength` characters outside ASCII in all. Intl.Segmenter sees those alone: it is by far the
 * dearest step, and ASCII needs no dictionary. Question and texts must be split by the same splitter.
 */
export function wordSplitter(foreignLength: number): WordSplitter {
  const foreignWords = foreignLength > longestSegmented ? pairsOf : segmentedWords;
  return (text) => {
    const words: string[] = [];
    for (const word of text.match(asciiWord) ?? []) words.push(word.toLowerCase());
    for (const run of text.match(foreignRun) ?? []) words.push(...foreignWords(run));
    return words;
  };
}

/** Characters of a text outside ASCII. */
export function foreignLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) length += 1;
  return length;
}

function segmentedWords(run: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("ja", { granularity: "word" });
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    // Single kana are particles and endings; a single ideograph is a word.
    if (isWordLike === true && !/^\p{Script=Hiragana}$/u.test(segment)) words.push(segment.toLowerCase());
  }
  return words;
}

function pairsOf(run: string): readonly string[] {
  const words: string[] = [];
  let before = "";
  for (const character of run) {
    const counts = letterOrNumber.test(character);
    if (counts && before !== "") words.push(before + character);
    before = counts ? character : "";
  }
  return words;
}
