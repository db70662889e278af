import { type Counted, type Stratum, stratifiedExact } from "./exact-tests.ts";
import { normalQuantile, normalTail } from "./normal.ts";

/**
 * How much less repeats of one question say than as many independent ones: 1 + (repeats − 1) × correlation (Kish 1965). Repeats
 * in one run share its server's state, so that their number overstates what is known.
 */
export function designEffect(repeats: number, correlation: number): number {
  return 1 + Math.max(0, repeats - 1) * correlation;
}

/** Counts divided by their design effect (Rao and Scott 1992): what they are worth as independent trials. Not whole numbers. */
export function effectiveCounts({ count, of }: Counted, correlation: number): Counted {
  const effect = designEffect(of, correlation);
  return { count: count / effect, of: of / effect };
}

/** The same in whole numbers, for exact bounds; `lean` says which way the successes are rounded. The trials are rounded down. */
export function wholeEffectiveCounts(counted: Counted, correlation: number, lean: "fewer" | "more"): Counted {
  const { of } = effectiveCounts(counted, correlation);
  // Below one effective trial nothing would be left of a question that was asked once.
  const trials = counted.of === 0 ? 0 : Math.max(1, Math.floor(of + 1e-9));
  const successes = counted.of === 0 ? 0 : (counted.count / counted.of) * trials;
  const rounded = lean === "fewer" ? Math.floor(successes + 1e-9) : Math.ceil(successes - 1e-9);
  return { count: Math.min(trials, Math.max(0, rounded)), of: trials };
}

/**
 * The exact test over strata for repeats that hang together: its one-sided chance, with the normal deviate it stands for
 * divided by the root of the design effect (Rao and Scott's first-order correction). At correlation 0 it is the exact test.
 */
export function clusteredExact(strata: readonly Stratum[], correlation: number, side: "fewer" | "more"): number {
  const exact = stratifiedExact(strata)[side];
  if (correlation === 0) return exact;
  let [variance, inflated] = [0, 0];
  for (const { before, after } of strata) {
    const all = before.of + after.of;
    if (before.of === 0 || after.of === 0) continue;
    const successes = before.count + after.count;
    // Of the hypergeometric distribution that the exact test uses.
    const own = (before.of * after.of * successes * (all - successes)) / (all * all * Math.max(1, all - 1));
    const repeats = (2 * before.of * after.of) / all;
    variance += own;
    inflated += own * designEffect(repeats, correlation);
  }
  if (variance === 0) return exact;
  // Beyond this the quantile is not to be told from certainty.
  const chance = Math.min(1 - 1e-12, Math.max(1e-300, exact));
  return normalTail(-normalQuantile(chance) / Math.sqrt(inflated / variance));
}
