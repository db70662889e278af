import { exactBounds } from "../../stats/binomial-bounds.ts";
import { clusteredExact, effectiveCounts, wholeEffectiveCounts } from "../../stats/clustered.ts";
import type { Stratum } from "../../stats/exact-tests.ts";
import { holm } from "../../stats/holm.ts";
import { normalQuantile } from "../../stats/normal.ts";
import { scoreBounds } from "../../stats/proportions.ts";
import type { Cell } from "../../stats/summary.ts";
import { countOf } from "../counters.ts";
import type { CellPair, Pairing } from "../pair-cells.ts";
import { type GatePolicy, matches } from "../policy.ts";
import type { RunSide } from "../run-side.ts";
import type { Check, VerdictKind } from "../verdict.ts";

/** Floors of a policy: a pass needs the lower bound of the rate at or above the floor. */
export function floorChecks({ summary }: RunSide, policy: GatePolicy): readonly Check[] {
  return policy.floors.flatMap((floor): readonly Check[] => {
    const fitting = summary.cells.filter((cell) => cell.rated && cell.measured > 0 && matches(floor, cell));
    if (fitting.length === 0)
      return [{ code: "required_missing", kind: "invalid", place: null, facts: { pattern: patternOf(floor) } }];
    return [...new Set(fitting.map((cell) => cell.target))].map((target) => {
      const cells = fitting.filter((cell) => cell.target === target);
      const confidence = floor.confidence ?? policy.confidence;
      const count = sum(cells, (cell) => cell[floor.rate]);
      const of = sum(cells, (cell) => cell.measured);
      const effective = cells.map((cell) =>
        effectiveCounts({ count: cell[floor.rate], of: cell.measured }, policy.correlation),
      );
      const { low, high } = scoreBounds(
        sum(effective, (each) => each.count),
        sum(effective, (each) => each.of),
        normalQuantile(confidence),
      );
      const kind: VerdictKind = low >= floor.atLeast ? "pass" : high < floor.atLeast ? "regression" : "inconclusive";
      return {
        code: "floor",
        kind,
        place: { target },
        facts: {
          rate: floor.rate,
          atLeast: floor.atLeast,
          count,
          of,
          low,
          high,
          confidence,
          pattern: patternOf(floor),
        },
      };
    });
  });
}

/** Safety counters against their bound: nothing found in n is not nothing, so the upper bound must lie below it. */
export function safetyBoundChecks({ summary }: RunSide, policy: GatePolicy): readonly Check[] {
  return policy.safety.flatMap((rule): readonly Check[] => {
    const { atMost } = rule;
    if (atMost === undefined) return [];
    const fitting = summary.cells.filter((cell) => cell.measured > 0 && matches(rule, cell));
    if (fitting.length === 0)
      return [{ code: "required_missing", kind: "invalid", place: null, facts: { pattern: patternOf(rule) } }];
    return [...new Set(fitting.map((cell) => cell.target))].map((target) => {
      const cells = fitting.filter((cell) => cell.target === target);
      const confidence = rule.confidence ?? policy.confidence;
      const found = counted(cells, rule.counter, policy.correlation, "more");
      const least = counted(cells, rule.counter, policy.correlation, "fewer");
      const { high } = exactBounds(found.effective, found.effectiveOf, confidence);
      const { low } = exactBounds(least.effective, least.effectiveOf, confidence);
      const kind: VerdictKind = high <= atMost ? "pass" : low > atMost ? "regression" : "inconclusive";
      return {
        code: "safety_bound",
        kind,
        place: { target },
        facts: { counter: rule.counter, atMost, count: found.count, of: found.of, low, high, confidence },
      };
    });
  });
}

/** Safety counters against the baseline: did something unsafe become more frequent? `alpha` is for all of them together. */
export function safetyRiseChecks({ pairs }: Pairing, policy: GatePolicy, alpha: number): readonly Check[] {
  const rules = policy.safety.flatMap((rule) => {
    const { rise } = rule;
    if (rise === undefined) return [];
    const fitting = pairs.filter(
      (pair) => matches(rule, pair.after) && pair.before.measured > 0 && pair.after.measured > 0,
    );
    return [...new Set(fitting.map((pair) => pair.after.target))].map((target) => {
      const own = fitting.filter((pair) => pair.after.target === target);
      return {
        rule,
        rise,
        target,
        pairs: own,
        chance: clusteredExact(strataOf(own, rule.counter), policy.correlation, "more"),
      };
    });
  });
  const adjusted = holm(rules.map(({ chance }) => chance));
  return rules.map(({ rule, rise, target, pairs: own }, index) => {
    const before = counted(
      own.map((pair) => pair.before),
      rule.counter,
      policy.correlation,
      "more",
    );
    const after = counted(
      own.map((pair) => pair.after),
      rule.counter,
      policy.correlation,
      "more",
    );
    const chance = adjusted[index] ?? 1;
    const rose = after.count / after.of - before.count / before.of;
    return {
      code: "safety_rise",
      kind: chance <= alpha && rose > rise ? "regression" : "pass",
      place: { target },
      facts: {
        counter: rule.counter,
        beforeCount: before.count,
        beforeOf: before.of,
        afterCount: after.count,
        afterOf: after.of,
        high: exactBounds(after.effective, after.effectiveOf, policy.confidence).high,
        chance,
      },
    };
  });
}

function counted(cells: readonly Cell[], counter: string, correlation: number, lean: "fewer" | "more") {
  const effective = cells.map((cell) =>
    wholeEffectiveCounts({ count: countOf(cell, counter), of: cell.measured }, correlation, lean),
  );
  return {
    count: sum(cells, (cell) => countOf(cell, counter)),
    of: sum(cells, (cell) => cell.measured),
    effective: sum(effective, (each) => each.count),
    effectiveOf: sum(effective, (each) => each.of),
  };
}

function strataOf(pairs: readonly CellPair[], counter: string): readonly Stratum[] {
  return pairs.map(({ before, after }) => ({
    before: { count: countOf(before, counter), of: before.measured },
    after: { count: countOf(after, counter), of: after.measured },
  }));
}

/** The keys of a rule that say where it looks, for people. */
function patternOf(rule: Readonly<Record<string, unknown>>): string {
  const keys = ["target", "route", "suite", "scenario", "arm", "class", "contract", "shape", "language", "stream"];
  const given = keys.filter((key) => rule[key] !== undefined).map((key) => `${key} ${String(rule[key])}`);
  return given.length === 0 ? "all cells" : given.join(", ");
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
