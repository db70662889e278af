/** Successes among trials. */
export interface Counted {
  readonly count: number;
  readonly of: number;
}

/** The same question asked in two runs. */
export interface Stratum {
  readonly before: Counted;
  readonly after: Counted;
}

/** Probabilities, given the margins, of a result at least as extreme as the one seen. */
export interface ExactTest {
  /** Towards fewer successes after. */
  readonly fewer: number;
  /** Towards more successes after. */
  readonly more: number;
  /** Either way: all results that are no more likely than the one seen, as R and SciPy count them. */
  readonly twoSided: number;
}

/** Rounding must not make two equally likely results differ (the tolerance of R's fisher.test). */
const tolerance = 1 + 1e-7;

/** Fisher's exact test of one 2×2 table. */
export function fisherExact(stratum: Stratum): ExactTest {
  return stratifiedExact([stratum]);
}

/**
 * Exact test over strata: trials are exchangeable within a stratum and never between strata. This is the permutation of run
 * labels within each stratum, worked out in full instead of drawn: given the margins, the number of successes after is a sum
 * of independent hypergeometric variables. It orders results as the Mantel-Haenszel risk difference does. Throws RangeError
 * on counts that cannot be counts.
 */
export function stratifiedExact(strata: readonly Stratum[]): ExactTest {
  let distribution: Distribution = { low: 0, probabilities: [1] };
  let seen = 0;
  for (const { before, after } of strata) {
    checkCounts(before);
    checkCounts(after);
    seen += after.count;
    distribution = convolve(distribution, hypergeometric(before, after));
  }
  const { low, probabilities } = distribution;
  const here = probabilities[seen - low] ?? 0;
  let [fewer, more, twoSided] = [0, 0, 0];
  for (const [index, probability] of probabilities.entries()) {
    if (index + low <= seen) fewer += probability;
    if (index + low >= seen) more += probability;
    if (probability <= here * tolerance) twoSided += probability;
  }
  return { fewer: Math.min(1, fewer), more: Math.min(1, more), twoSided: Math.min(1, twoSided) };
}

/** Probabilities of `low`, `low + 1` and so on. */
interface Distribution {
  readonly low: number;
  readonly probabilities: readonly number[];
}

function checkCounts({ count, of }: Counted): void {
  if (!Number.isInteger(count) || !Number.isInteger(of) || count < 0 || of < count)
    throw new RangeError(`not a count: ${count} of ${of}`);
}

/** Successes after, given how many there are in both runs together. */
function hypergeometric(before: Counted, after: Counted): Distribution {
  const successes = before.count + after.count;
  const low = Math.max(0, successes - before.of);
  const high = Math.min(after.of, successes);
  const all = logChoose(before.of + after.of, successes);
  return {
    low,
    probabilities: Array.from({ length: high - low + 1 }, (_, index) =>
      Math.exp(logChoose(after.of, low + index) + logChoose(before.of, successes - low - index) - all),
    ),
  };
}

function convolve(left: Distribution, right: Distribution): Distribution {
  const sums = new Array<number>(left.probabilities.length + right.probabilities.length - 1).fill(0);
  for (const [leftIndex, one] of left.probabilities.entries()) {
    for (const [rightIndex, other] of right.probabilities.entries()) {
      sums[leftIndex + rightIndex] = (sums[leftIndex + rightIndex] ?? 0) + one * other;
    }
  }
  return { low: left.low + right.low, probabilities: sums };
}

const logFactorials = [0];

function logFactorial(of: number): number {
  for (let next = logFactorials.length; next <= of; next++) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[of] ?? 0;
}

function logChoose(of: number, chosen: number): number {
  return logFactorial(of) - logFactorial(chosen) - logFactorial(of - chosen);
}
