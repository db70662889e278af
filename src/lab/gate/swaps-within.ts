import type { RunRecord } from "../capture/run-record.ts";
import type { Summary } from "../stats/summary.ts";
import { compareRuns } from "./compare.ts";
import { targetNames } from "./pair-cells.ts";
import { defaultPolicy } from "./policy.ts";
import { type SwapCard, swapCards } from "./swap-card.ts";
import type { Treatment } from "./treatment.ts";

/** What may differ between two targets of one run: they were named to be set side by side. */
const treatment: readonly Treatment[] = ["model", "server"];

/** The card of a run that measured exactly two targets: the first is the old one. Nothing where one of them was not met. */
export function swapsWithin(record: RunRecord, summary: Summary): readonly SwapCard[] {
  const [before, after, ...others] = targetNames({ summary });
  if (before === undefined || after === undefined || others.length > 0) return [];
  if (record.unmet.length > 0 || record.targets.length !== 2) return [];
  const side = { record, summary, proof: null };
  const options = { policy: defaultPolicy, treatment, targets: [{ before, after }] };
  return swapCards(side, side, compareRuns(side, side, options), defaultPolicy);
}
