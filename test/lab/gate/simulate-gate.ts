import { decide } from "../../../src/lab/gate/decide.ts";
import { defaultPolicy } from "../../../src/lab/gate/policy.ts";
import type { VerdictKind } from "../../../src/lab/gate/verdict.ts";
import { exactBounds } from "../../../src/lab/stats/binomial-bounds.ts";
import { seededRandom } from "../../../src/lab/stats/seeded-random.ts";
import { type DrawOptions, drawRun, type World } from "./simulated-runs.ts";

/** How often the gate, with its default policy, said what. */
export interface Tally {
  readonly pairs: number;
  readonly verdicts: Readonly<Record<VerdictKind, number>>;
}

/** Gates many pairs of runs drawn from the same stated rates; `parserSwapped`: the later one behind the wrong parser. */
export function gatePairs(
  pairs: number,
  seed: number,
  options: Omit<DrawOptions, "random" | "world"> & { readonly worlds: readonly World[] },
): Tally {
  const random = seededRandom(seed);
  const verdicts: Record<VerdictKind, number> = { pass: 0, regression: 0, inconclusive: 0, invalid: 0 };
  for (let pair = 0; pair < pairs; pair++) {
    const world = options.worlds[pair % options.worlds.length];
    if (world === undefined) continue;
    const shared = { ...options, world, random };
    const baseline = drawRun({
      ...shared,
      run: "earlier",
      createdAt: "2026-01-01T00:00:00.000Z",
      parserSwapped: false,
    });
    const verdict = decide({
      run: drawRun(shared),
      baseline: { name: "earlier", side: baseline },
      options: { policy: defaultPolicy, treatment: [], targets: [] },
      now: null,
      policyName: null,
    });
    verdicts[verdict.kind] += 1;
  }
  return { pairs, verdicts };
}

/** A share of pairs with its exact 95 % interval, in per cent. */
export function shareWithInterval(count: number, of: number): string {
  const { low, high } = exactBounds(count, of, 0.975);
  const percent = (share: number) => (100 * share).toFixed(1);
  return `${percent(count / of)} % (${percent(low)}-${percent(high)})`;
}
