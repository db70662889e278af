import { normalQuantile } from "./normal.ts";

/** What a test can be expected to see. */
export interface DetectableOptions {
  /** Rate before the drop. */
  readonly rate: number;
  /** Effective trials of either run. */
  readonly before: number;
  readonly after: number;
  /** One-sided. */
  readonly alpha: number;
  readonly power: number;
}

/**
 * The smallest drop of a rate that an exact test finds with `power`, by the continuity-corrected formula of Casagrande, Pike
 * and Smith (1978), which follows Fisher's test closely. Null where not even a drop to nothing would be found.
 */
export function minimalDetectableDrop({ rate, before, after, alpha, power }: DetectableOptions): number | null {
  if (before <= 0 || after <= 0 || rate <= 0) return null;
  const trials = (2 * before * after) / (before + after);
  const enough = (drop: number) => trialsNeeded(rate, rate - drop, alpha, power) <= trials;
  if (!enough(rate)) return null;
  let [low, high] = [0, rate];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Trials in each of two groups by which a one-sided exact test at `alpha` tells `first` from the lower rate `second` with `power`. */
export function trialsNeeded(first: number, second: number, alpha: number, power: number): number {
  const drop = first - second;
  if (drop <= 0) return Number.POSITIVE_INFINITY;
  const middle = (first + second) / 2;
  const plain =
    (normalQuantile(1 - alpha) * Math.sqrt(2 * middle * (1 - middle)) +
      normalQuantile(power) * Math.sqrt(first * (1 - first) + second * (1 - second))) **
      2 /
    drop ** 2;
  return (plain / 4) * (1 + Math.sqrt(1 + 4 / (plain * drop))) ** 2;
}
