import type { Counted, Stratum } from "./exact-tests.ts";
import { normalQuantile } from "./normal.ts";
import { scoreBounds } from "./proportions.ts";

/** How far a rate fell from one run to the other; negative where it rose. Bounds hold each on its own side. */
export interface Drop {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Rates over the strata, weighted as the difference is. */
  readonly before: number;
  readonly after: number;
}

/**
 * The drop of a rate over strata, weighted as Mantel and Haenszel do, with the stratified Newcombe interval of Yan and Su
 * (2010): stratified Wilson limits of both rates, joined by Newcombe's method 10. Counts need not be whole numbers. Null where
 * no stratum has trials in both runs.
 */
export function stratifiedDrop(strata: readonly Stratum[], confidence: number): Drop | null {
  const shared = strata.filter(({ before, after }) => before.of > 0 && after.of > 0);
  const sizes = shared.map(({ before, after }) => (before.of * after.of) / (before.of + after.of));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total === 0) return null;
  const weights = sizes.map((size) => size / total);
  const z = normalQuantile(confidence);
  const before = stratifiedRate(
    shared.map((stratum) => stratum.before),
    weights,
    z,
  );
  const after = stratifiedRate(
    shared.map((stratum) => stratum.after),
    weights,
    z,
  );
  const estimate = before.rate - after.rate;
  return {
    estimate,
    before: before.rate,
    after: after.rate,
    low: Math.max(-1, estimate - Math.hypot(before.rate - before.low, after.high - after.rate)),
    high: Math.min(1, estimate + Math.hypot(before.high - before.rate, after.rate - after.low)),
  };
}

function stratifiedRate(counts: readonly Counted[], weights: readonly number[], z: number) {
  const weighted = (value: (counted: Counted) => number) =>
    counts.reduce((sum, counted, index) => sum + (weights[index] ?? 0) * value(counted), 0);
  const spread = counts.map((counted) => {
    // Shrunken towards one half, so that a stratum of only successes is not taken for certain.
    const rate = (counted.count + (z * z) / 2) / (counted.of + z * z);
    return (rate * (1 - rate)) / counted.of;
  });
  const joint = Math.sqrt(spread.reduce((sum, each, index) => sum + (weights[index] ?? 0) ** 2 * each, 0));
  const apart = spread.reduce((sum, each, index) => sum + (weights[index] ?? 0) * Math.sqrt(each), 0);
  const zEach = apart === 0 ? z : (z * joint) / apart;
  return {
    // Weights add up to one but for their last digit.
    rate: Math.min(
      1,
      weighted(({ count, of }) => count / of),
    ),
    low: weighted(({ count, of }) => scoreBounds(count, of, zEach).low),
    high: weighted(({ count, of }) => scoreBounds(count, of, zEach).high),
  };
}
