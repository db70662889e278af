import type { Rate } from "./rate.ts";

/** 97.5 % quantile of the standard normal distribution. */
const z95 = 1.959963984540054;

/**
 * Wilson score interval of a proportion at 95 % (Wilson 1927), without continuity correction. `of` 0 gives 0 to 1: nothing
 * is known. Throws RangeError on counts that cannot be counts: that is a fault of the caller, not of the data.
 */
export function wilson(count: number, of: number): Rate {
  if (!Number.isInteger(count) || !Number.isInteger(of) || count < 0 || of < count)
    throw new RangeError(`wilson: ${count} of ${of}`);
  if (of === 0) return { count, of, rate: null, low: 0, high: 1 };
  return { count, of, rate: count / of, ...scoreBounds(count, of, z95) };
}

/** Wilson's score bounds at `z` standard deviations; counts need not be whole numbers. `of` 0 gives 0 to 1. */
export function scoreBounds(count: number, of: number, z: number): { readonly low: number; readonly high: number } {
  if (of === 0) return { low: 0, high: 1 };
  const rate = count / of;
  const square = z * z;
  const centre = (rate + square / (2 * of)) / (1 + square / of);
  const half = (z / (1 + square / of)) * Math.sqrt((rate * (1 - rate)) / of + square / (4 * of * of));
  return { low: count === 0 ? 0 : Math.max(0, centre - half), high: count === of ? 1 : Math.min(1, centre + half) };
}

/**
 * A rate of which some counts are undecided: the interval reaches from the low end with none of them to the high end with
 * all of them, and the rate itself counts none.
 */
export function wilsonWithUndecided(count: number, undecided: number, of: number): Rate {
  const least = wilson(count, of);
  return undecided === 0 ? least : { ...least, high: wilson(count + undecided, of).high };
}

/** Median of numbers, null of none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
