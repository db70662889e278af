import { foreignLength, wordSplitter } from "./words.ts";

const damping = 0.85;
const rounds = 24;
/** Sentences that are weighed against each other; longer texts are weighed part by part, which keeps the cost linear. */
const largestGraph = 160;
/** Sentences that are weighed at all. What comes behind them in a longer text counts nothing. */
const mostRanked = 1600;

/**
 * TextRank: how central each sentence is among its neighbours, 0 to 1, by the words that it shares with others. It knows no
 * question, so the same background keeps the same sentences from turn to turn.
 */
export function textRank(sentences: readonly string[]): readonly number[] {
  const ranked = sentences.slice(0, mostRanked);
  const split = wordSplitter(ranked.reduce((length, sentence) => length + foreignLength(sentence), 0));
  const ranks: number[] = [];
  for (let from = 0; from < ranked.length; from += largestGraph)
    ranks.push(...rankPart(ranked.slice(from, from + largestGraph).map((sentence) => new Set(split(sentence)))));
  return sentences.map((_, at) => ranks[at] ?? 0);
}

function rankPart(sentences: readonly ReadonlySet<string>[]): readonly number[] {
  const size = sentences.length;
  const weights = similarities(sentences);
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let ranks: number[] = new Array<number>(size).fill(1 / Math.max(1, size));
  for (let round = 0; round < rounds; round++) {
    const next = new Array<number>(size).fill((1 - damping) / Math.max(1, size));
    for (let from = 0; from < size; from++) {
      const share = (damping * (ranks[from] ?? 0)) / (sums[from] || 1);
      const row = weights[from] ?? [];
      for (let to = 0; to < size; to++) {
        const weight = row[to] ?? 0;
        if (weight > 0) next[to] = (next[to] ?? 0) + share * weight;
      }
    }
    ranks = next;
  }
  const highest = Math.max(...ranks, Number.MIN_VALUE);
  return ranks.map((rank) => rank / highest);
}

/** Shared words over the logarithms of both lengths, as in the original method. */
function similarities(sentences: readonly ReadonlySet<string>[]): readonly (readonly number[])[] {
  const size = sentences.length;
  const shared = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const holders = new Map<string, number[]>();
  for (const [at, words] of sentences.entries()) {
    for (const word of words) {
      const before = holders.get(word) ?? [];
      for (const other of before) {
        const row = shared[other];
        if (row !== undefined) row[at] = (row[at] ?? 0) + 1;
      }
      before.push(at);
      holders.set(word, before);
    }
  }
  for (let one = 0; one < size; one++) {
    for (let two = one + 1; two < size; two++) {
      const common = shared[one]?.[two] ?? 0;
      if (common === 0) continue;
      const scale = Math.log((sentences[one]?.size ?? 0) + 1) + Math.log((sentences[two]?.size ?? 0) + 1);
      const weight = common / scale;
      const row = shared[one];
      const mirror = shared[two];
      if (row !== undefined) row[two] = weight;
      if (mirror !== undefined) mirror[one] = weight;
    }
  }
  return shared;
}
