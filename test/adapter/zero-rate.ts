/** Upper bound of a rate that was zero in n tries, at 95 % (exact, one-sided): "none seen" said honestly. */
export function zeroRateUpperBound(tries: number): number {
  return 1 - 0.05 ** (1 / tries);
}
