import { clusteredExact, effectiveCounts } from "../stats/clustered.ts";
import { minimalDetectableDrop } from "../stats/detectable.ts";
import { type Drop, stratifiedDrop } from "../stats/difference.ts";
import { type Counted, fisherExact, type Stratum } from "../stats/exact-tests.ts";
import { holm } from "../stats/holm.ts";
import { scenarioSigns } from "../stats/scenario-signs.ts";
import type { Cell, Rate } from "../stats/summary.ts";
import { type Flow, outcomeFlows } from "./flows.ts";
import { type CellPair, type Pairing, pairCells, type TargetPair } from "./pair-cells.ts";
import type { GatePolicy } from "./policy.ts";
import type { RunSide } from "./run-side.ts";
import type { Treatment } from "./treatment.ts";

/** Below this many scenarios a difference is one of these items only. */
export const fewScenarios = 8;

/** Cells that share everything but the question and the transport mode: what is judged together. */
export interface LinePlace {
  readonly target: string;
  /** The target of the earlier run that this one is compared with. */
  readonly before: string;
  readonly route: string;
  readonly suite: string;
  readonly arm: string;
  readonly contract: Cell["contract"];
  readonly shape: Cell["shape"];
}

/** Delivery on one line, before and after. */
export interface LineComparison {
  readonly place: LinePlace;
  readonly scenarios: number;
  /** Trials of the cell that has fewest, in either run. */
  readonly fewestTrials: number;
  readonly delivered: { readonly before: Counted; readonly after: Counted };
  readonly attempted: { readonly before: Counted; readonly after: Counted };
  /** Null where no question was measured in both runs. */
  readonly drop: Drop | null;
  /** The largest drop that these numbers do not rule out; undecidable samples are taken as lost after and delivered before. */
  readonly notRuledOut: number;
  /** Exact, one-sided, of repeats as far as they are independent: the chance of so large a drop without any difference. */
  readonly chance: number;
  /** The same adjusted for the number of lines (Holm). */
  readonly adjustedChance: number;
  /** Smallest drop that such runs would show four times in five; null where they could show none. */
  readonly detectable: number | null;
  /** Would other questions show it too? The chance if the runs could change places by scenario; null below eight scenarios. */
  readonly byScenario: number | null;
  readonly flows: readonly Flow[];
}

/** One question under one condition, before and after. */
export interface CaseComparison {
  readonly place: LinePlace & {
    readonly scenario: string;
    readonly language: Cell["language"];
    readonly class: Cell["class"];
    readonly stream: boolean;
  };
  readonly before: Rate;
  readonly after: Rate;
  /** Fisher's exact test, two-sided, of the counts as they are, and adjusted over all cases (Holm). */
  readonly fisher: number;
  readonly fisherAdjusted: number;
  /** As for a line, adjusted for the number of cases. */
  readonly chance: number;
  readonly adjustedChance: number;
}

/** Two runs side by side. */
export interface Comparison {
  readonly pairing: Pairing;
  readonly lines: readonly LineComparison[];
  readonly cases: readonly CaseComparison[];
}

export interface CompareOptions {
  readonly policy: GatePolicy;
  readonly treatment: readonly Treatment[];
  /** Targets to set side by side; empty: those of the same name. */
  readonly targets: readonly TargetPair[];
}

/** How the chance of a false alarm is divided: half for lines, a quarter each for single cases and for safety counters. */
export function alphaShares({ alpha }: Pick<GatePolicy, "alpha">) {
  return { lines: alpha / 2, cases: alpha / 4, safety: alpha / 4 };
}

/** Did a line fall, by more than is tolerated and beyond what chance explains? */
export function hasFallen({ drop, adjustedChance }: LineComparison, policy: GatePolicy): boolean {
  return drop !== null && adjustedChance <= alphaShares(policy).lines && drop.estimate > policy.drop.tolerated;
}

/** Compares delivery of two runs over the questions that both measured. Pure; says nothing of whether they may be compared. */
export function compareRuns(before: RunSide, after: RunSide, options: CompareOptions): Comparison {
  const pairing = pairCells(before, after, options.targets, options.treatment);
  const rated = pairing.pairs.filter((pair) => pair.before.rated && pair.after.rated);
  const groups = new Map<string, CellPair[]>();
  for (const pair of rated) {
    const key = JSON.stringify(placeOf(pair));
    groups.set(key, [...(groups.get(key) ?? []), pair]);
  }
  const { policy } = options;
  const lines = [...groups.values()].map((pairs) => ({ pairs, chance: chanceOf(pairs, policy.correlation) }));
  const measured = rated.filter((pair) => pair.before.measured > 0 && pair.after.measured > 0);
  const cases = measured.map((pair) => ({
    pair,
    chance: chanceOf([pair], policy.correlation),
    fisher: fisherExact(strataOf(pair)).twoSided,
  }));
  const lineChances = holm(lines.map(({ chance }) => chance));
  const caseChances = holm(cases.map(({ chance }) => chance));
  const fishers = holm(cases.map(({ fisher }) => fisher));
  const lineAlpha = alphaShares(policy).lines / Math.max(1, lines.length);
  return {
    pairing,
    lines: lines.map(({ pairs, chance }, index) =>
      compareLine(pairs, chance, lineChances[index] ?? 1, lineAlpha, policy),
    ),
    cases: cases.map(({ pair, chance, fisher }, index) => ({
      place: {
        ...placeOf(pair),
        scenario: pair.after.scenario,
        language: pair.after.language,
        class: pair.after.class,
        stream: pair.after.stream,
      },
      before: pair.before.deliveredRate,
      after: pair.after.deliveredRate,
      fisher,
      fisherAdjusted: fishers[index] ?? 1,
      chance,
      adjustedChance: caseChances[index] ?? 1,
    })),
  };
}

function compareLine(
  pairs: readonly CellPair[],
  chance: number,
  adjustedChance: number,
  alpha: number,
  policy: GatePolicy,
): LineComparison {
  const [first] = pairs;
  if (first === undefined) throw new RangeError("a line has at least one cell");
  const { correlation, confidence } = policy;
  const effective = pairs.map((pair) => effectiveStratum(strataOf(pair), correlation));
  const worst = stratifiedDrop(
    pairs.map((pair) => effectiveStratum(worstCase(pair), correlation)),
    confidence,
  );
  const drop = stratifiedDrop(effective, confidence);
  const scenarios = new Set(pairs.map(({ after }) => after.scenario)).size;
  const size = (side: "before" | "after") => effective.reduce((sum, stratum) => sum + stratum[side].of, 0);
  return {
    place: placeOf(first),
    scenarios,
    fewestTrials: Math.min(...pairs.flatMap(({ before, after }) => [before.measured, after.measured])),
    delivered: { before: total(pairs, "before", "delivered"), after: total(pairs, "after", "delivered") },
    attempted: { before: total(pairs, "before", "attempted"), after: total(pairs, "after", "attempted") },
    drop,
    notRuledOut: worst?.high ?? 1,
    chance,
    adjustedChance,
    detectable: minimalDetectableDrop({
      rate: drop?.before ?? 0,
      before: size("before"),
      after: size("after"),
      alpha,
      power: 0.8,
    }),
    byScenario: scenarios < fewScenarios ? null : scenarioSigns(scenarioDrops(pairs)),
    flows: outcomeFlows(pairs),
  };
}

function placeOf({ before, after }: CellPair): LinePlace {
  const { target, route, suite, arm, contract, shape } = after;
  return { target, before: before.target, route, suite, arm, contract, shape };
}

/**
 * The chance, without any difference, of delivery falling as far as it did. Undecidable samples count against a drop: as not
 * delivered before, as delivered after.
 */
function chanceOf(pairs: readonly CellPair[], correlation: number): number {
  const strata = pairs.map(
    ({ before, after }): Stratum => ({
      before: { count: before.delivered, of: before.measured },
      after: { count: Math.min(after.measured, after.delivered + after.undecidable), of: after.measured },
    }),
  );
  return clusteredExact(strata, correlation, "fewer");
}

function strataOf({ before, after }: CellPair): Stratum {
  return {
    before: { count: before.delivered, of: before.measured },
    after: { count: after.delivered, of: after.measured },
  };
}

/** Undecidable samples as they would make the drop largest. */
function worstCase({ before, after }: CellPair): Stratum {
  return {
    before: { count: Math.min(before.measured, before.delivered + before.undecidable), of: before.measured },
    after: { count: after.delivered, of: after.measured },
  };
}

function effectiveStratum({ before, after }: Stratum, correlation: number): Stratum {
  return { before: effectiveCounts(before, correlation), after: effectiveCounts(after, correlation) };
}

function total(pairs: readonly CellPair[], side: "before" | "after", key: "delivered" | "attempted"): Counted {
  return {
    count: pairs.reduce((sum, pair) => sum + pair[side][key], 0),
    of: pairs.reduce((sum, pair) => sum + pair[side].measured, 0),
  };
}

/** How far delivery fell in each scenario, over its languages and modes. */
function scenarioDrops(pairs: readonly CellPair[]): readonly number[] {
  const byScenario = new Map<string, CellPair[]>();
  for (const pair of pairs) {
    const { scenario } = pair.after;
    byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), pair]);
  }
  return [...byScenario.values()].map((group) => {
    const [before, after] = [total(group, "before", "delivered"), total(group, "after", "delivered")];
    return before.of === 0 || after.of === 0 ? 0 : before.count / before.of - after.count / after.of;
  });
}
