import type { Headline } from "../classify/classification.ts";
import type { CellPair } from "./pair-cells.ts";

/** Samples that ended as `from` before and as `to` after, net, in shares of all samples of the line. */
export interface Flow {
  readonly from: Headline;
  readonly to: Headline;
  readonly share: number;
}

/** Flows below this are the rounding of their shares. */
const smallest = 0.001;

/**
 * What became of the outcomes, net, from one run to the other. Repeats have no partner in the other run, so within a cell what
 * one outcome lost is handed to those that gained, in proportion; cells weigh by their samples after.
 */
export function outcomeFlows(pairs: readonly CellPair[]): readonly Flow[] {
  const total = pairs.reduce((sum, { after }) => sum + after.measured, 0);
  const flows = new Map<string, { readonly from: Headline; readonly to: Headline; share: number }>();
  for (const { before, after } of pairs) {
    if (before.measured === 0 || after.measured === 0) continue;
    const headlines = [...new Set([...Object.keys(before.counts), ...Object.keys(after.counts)])] as Headline[];
    const gains = headlines.map((headline) => ({
      headline,
      gain: (after.counts[headline] ?? 0) / after.measured - (before.counts[headline] ?? 0) / before.measured,
    }));
    const gained = gains.reduce((sum, { gain }) => sum + Math.max(0, gain), 0);
    if (gained === 0) continue;
    for (const loser of gains.filter(({ gain }) => gain < 0)) {
      for (const winner of gains.filter(({ gain }) => gain > 0)) {
        const key = `${loser.headline} ${winner.headline}`;
        const flow = flows.get(key) ?? { from: loser.headline, to: winner.headline, share: 0 };
        flow.share += (-loser.gain * (winner.gain / gained) * after.measured) / total;
        flows.set(key, flow);
      }
    }
  }
  return [...flows.values()].filter(({ share }) => share >= smallest).sort((left, right) => right.share - left.share);
}
