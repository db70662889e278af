import { median } from "./proportions.ts";

/** A median with an interval that holds whatever the distribution is. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Median of values with its 95 % interval from order statistics (the sign test turned round). Null below six values: no pair
 * of them reaches 95 %.
 */
export function medianInterval(values: readonly number[]): MedianInterval | null {
  const sorted = [...values].sort((left, right) => left - right);
  const size = sorted.length;
  const middle = median(sorted);
  if (middle === null) return null;
  // The largest rank whose lower tail is at most 2.5 % of all sign patterns.
  let rank = 0;
  let term = 0.5 ** size;
  for (let tail = term; tail <= 0.025 && rank < size / 2; tail += term) {
    rank += 1;
    term = (term * (size - rank + 1)) / rank;
  }
  const [low, high] = [sorted[rank - 1], sorted[size - rank]];
  return low === undefined || high === undefined ? null : { median: middle, low, high };
}
