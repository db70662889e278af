import type { Rate } from "../stats/summary.ts";

/** A rate as a fraction, "5/6". */
export function fraction(rate: Rate): string {
  return `${rate.count}/${rate.of}`;
}

/** The interval of a rate in whole per cent, "44-100 %"; null where nothing was counted. */
export function interval(rate: Rate, dash = "-"): string | null {
  if (rate.of === 0) return null;
  return `${percent(rate.low)}${dash}${percent(rate.high)} %`;
}

function percent(share: number): string {
  return String(Math.round(share * 100));
}

/** Milliseconds for people: "840 ms", "2.3 s". */
export function duration(milliseconds: number | null): string {
  if (milliseconds === null) return "-";
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
