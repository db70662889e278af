import { isRated, type JudgedSample } from "./judged-sample.ts";

/** The same question with the same seed, on two routes. */
export interface RoutePair {
  readonly this: JudgedSample;
  readonly other: JudgedSample;
}

/** How two routes fared on the questions that both were measured on. */
export interface PairCounts {
  readonly pairs: number;
  readonly both: number;
  readonly onlyThis: number;
  readonly onlyOther: number;
  readonly neither: number;
  /** Questions among the pairs: repeats of one say less than as many others. */
  readonly scenarios: number;
}

/** What two samples share that differ in their route alone. */
function questionOf(sample: JudgedSample): string {
  const { target, suite, scenario, arm, contract, shape, language, stream, trial } = sample;
  return JSON.stringify([target, suite, scenario, arm, contract, shape, language, stream, trial]);
}

/** Brings the samples of one route together with those of another; only what both measured and what enters rates. */
export function pairRoutes(samples: readonly JudgedSample[], others: readonly JudgedSample[]): readonly RoutePair[] {
  const counts = (sample: JudgedSample): boolean => sample.classification.measured && isRated(sample);
  const byQuestion = new Map(others.filter(counts).map((other) => [questionOf(other), other]));
  return samples.filter(counts).flatMap((sample) => {
    const other = byQuestion.get(questionOf(sample));
    return other === undefined ? [] : [{ this: sample, other }];
  });
}

/** Counts pairs by who delivered. An undecidable sample is not delivered. */
export function countPairs(pairs: readonly RoutePair[]): PairCounts {
  const reached = (sample: JudgedSample): boolean => sample.classification.delivered === "yes";
  const count = (own: boolean, other: boolean): number =>
    pairs.filter((pair) => reached(pair.this) === own && reached(pair.other) === other).length;
  return {
    pairs: pairs.length,
    both: count(true, true),
    onlyThis: count(true, false),
    onlyOther: count(false, true),
    neither: count(false, false),
    scenarios: new Set(pairs.map((pair) => pair.this.scenario)).size,
  };
}

/**
 * McNemar's exact test, two-sided: the chance that pairs which differ divide so unevenly, or more so, if neither route were
 * better. 1 where no pair differs.
 */
export function mcnemarExact(onlyThis: number, onlyOther: number): number {
  const differing = onlyThis + onlyOther;
  let term = 0.5 ** differing;
  let tail = 0;
  for (let index = 0; index <= Math.min(onlyThis, onlyOther); index++) {
    tail += term;
    term *= (differing - index) / (index + 1);
  }
  return Math.min(1, 2 * tail);
}
