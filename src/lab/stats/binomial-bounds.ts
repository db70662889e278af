/**
 * Exact bounds of a proportion (Clopper and Pearson 1934), each at `confidence` on its own side. With nothing found in `of`
 * samples the upper one is 1 − (1 − confidence)^(1/of), about 3/of at 95 %: nothing found in 30 still allows 10 %.
 */
export function exactBounds(count: number, of: number, confidence: number): { low: number; high: number } {
  if (!Number.isInteger(count) || !Number.isInteger(of) || count < 0 || of < count)
    throw new RangeError(`exactBounds: ${count} of ${of}`);
  const tail = 1 - confidence;
  // At the upper bound so few are rare, at the lower bound so many are.
  const high = count === of ? 1 : bisect((rate) => atMost(count, of, rate) > tail);
  const low = count === 0 ? 0 : 1 - bisect((rate) => atMost(of - count, of, rate) > tail);
  return { low, high };
}

/** The rate at which `holds` turns false, from below. */
function bisect(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Chance of at most `count` successes in `of` at `rate`. */
function atMost(count: number, of: number, rate: number): number {
  if (rate <= 0) return 1;
  if (rate >= 1) return count >= of ? 1 : 0;
  // Logarithms: the first term alone would underflow for large samples.
  let log = of * Math.log1p(-rate);
  let sum = Math.exp(log);
  const odds = Math.log(rate) - Math.log1p(-rate);
  for (let next = 1; next <= count; next++) {
    log += Math.log((of - next + 1) / next) + odds;
    sum += Math.exp(log);
  }
  return Math.min(1, sum);
}
