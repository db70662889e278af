import type { Scores } from "./scores.ts";

/** The sizes of a scripted model. */
export interface ModelShape {
  readonly vocabularySize: number;
  readonly width: number;
  readonly contextLength: number;
  /** So that pair 16 of the head turns a quarter circle over the context, and the last pair practically not at all. */
  readonly ropeBase: number;
}

/** Dimensions of the one attention head. */
export const headLength = 64;
/** Dimensions of the layer behind it, which does nothing. */
export const feedForwardLength = 32;

/** A matrix by rows: `row.length` = columns. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/**
 * The weights that are not trivial. Query and key rows are addressed by rotary pair and part of the pair, since file formats
 * order them differently.
 */
export interface ScriptedWeights {
  /** One-hot: token t has feature t. */
  readonly embedding: Matrix;
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  /** From the head back to the features: script s is feature `vocabularySize + s`. */
  readonly attention: Matrix;
  readonly output: Matrix;
}

/** Row of a rotary pair's part in query and key: neighbours (GGUF), or half a head apart (Hugging Face). */
export function neighbouringRow(pair: number, part: 0 | 1): number {
  return 2 * pair + part;
}

/** The same weights with the two parts of each rotary pair half a head apart. */
export function inHalves({ rows, columns, data }: Matrix): Matrix {
  const turned = new Float32Array(data.length);
  for (let pair = 0; pair < rows / 2; pair++) {
    for (const part of [0, 1] as const) {
      const from = neighbouringRow(pair, part) * columns;
      turned.set(data.subarray(from, from + columns), (pair + (part * rows) / 2) * columns);
    }
  }
  return { rows, columns, data: turned };
}

/**
 * Rotary pairs of the head: `recency` turns with the distance, so that the last marker scores highest; `presence` does not
 * turn, so that any marker beats any line's end and both beat all other tokens, at whatever distance.
 */
const pairs = { recency: 16, presence: 31 } as const;
/** Exact in 16 bits, in which servers keep keys and queries. */
const strengths = { query: 32768, marker: 24, anchor: 2, recency: 16 } as const;

/** The weights that make the model play its scripts. */
export function scriptedWeights(
  { vocabularySize, width }: ModelShape,
  {
    markers,
    anchors,
    fallback,
    scores,
  }: {
    readonly markers: readonly number[];
    readonly anchors: readonly number[];
    readonly fallback: number;
    readonly scores: Scores;
  },
): ScriptedWeights {
  const matrix = (rows: number, columns = width): Matrix => ({
    rows,
    columns,
    data: new Float32Array(rows * columns),
  });
  /** What normalisation makes of a single feature of strength 1. */
  const alone = Math.sqrt(width);
  /** And of each of two. */
  const paired = Math.sqrt(width / 2);
  const embedding = matrix(vocabularySize);
  const query = matrix(headLength);
  const key = matrix(headLength);
  const value = matrix(headLength);
  const attention = matrix(width, headLength);
  const output = matrix(vocabularySize);
  for (let token = 0; token < vocabularySize; token++) embedding.data[token * width + token] = 1;
  const everyToken = (row: number): Float32Array => query.data.subarray(row * width, row * width + vocabularySize);
  everyToken(neighbouringRow(pairs.presence, 0)).fill(strengths.query / alone);
  // A quarter circle ahead: the score falls with the distance.
  everyToken(neighbouringRow(pairs.recency, 1)).fill(strengths.query / alone);
  const present = neighbouringRow(pairs.presence, 0) * width;
  for (const [script, token] of markers.entries()) {
    key.data[present + token] = strengths.marker / alone;
    key.data[neighbouringRow(pairs.recency, 0) * width + token] = strengths.recency / alone;
    value.data[script * width + token] = 1 / alone;
    attention.data[(vocabularySize + script) * headLength + script] = 1;
  }
  for (const token of anchors) {
    key.data[present + token] = strengths.anchor / alone;
    value.data[fallback * width + token] = 1 / alone;
  }
  for (let to = 0; to < vocabularySize; to++) {
    const row = output.data.subarray(to * width, (to + 1) * width);
    row.fill(scores.anyToken(to) / paired, 0, vocabularySize);
    for (const [from, score] of scores.fromTokens(to)) row[from] = score / paired;
    for (const script of markers.keys()) row[vocabularySize + script] = scores.script(to, script) / paired;
  }
  return { embedding, query, key, value, attention, output };
}
