import { alphaShares, type Comparison, hasFallen, type LineComparison, type LinePlace } from "../compare.ts";
import type { GatePolicy } from "../policy.ts";
import type { RunSide } from "../run-side.ts";
import type { Check, CheckPlace, VerdictKind } from "../verdict.ts";

/** Two-sided chance below which a collapsed case is not put down to luck alone. */
const doubtful = 0.01;

/** Did delivery fall? One check a line, and one for each case that fell on its own. */
export function deliveryChecks(
  { lines, cases }: Comparison,
  { summary }: RunSide,
  policy: GatePolicy,
): readonly Check[] {
  const alpha = alphaShares(policy);
  const judged = lines.map((line) => ({ line, kind: lineKind(line, policy) }));
  const fallen = new Set(judged.flatMap(({ line, kind }) => (kind === "regression" ? [keyOf(line.place)] : [])));
  return [
    ...judged.flatMap(({ line, kind }): readonly Check[] => {
      const few = line.fewestTrials < policy.trials.minimum;
      const fix = summary.diagnoses.find(
        (diagnosis) => diagnosis.target === line.place.target && diagnosis.fix !== null,
      )?.fix;
      const facts = {
        ...lineFacts(line),
        fix: kind === "regression" ? (fix?.option ?? null) : null,
        ruledOut: policy.drop.ruledOut,
      };
      const place = checkPlace(line.place);
      return [
        { code: "drop", kind, place, facts },
        ...(few && kind !== "regression"
          ? [
              {
                code: "few_trials",
                kind: "inconclusive",
                place,
                facts: { trials: line.fewestTrials, minimum: policy.trials.minimum },
              } as const,
            ]
          : []),
      ];
    }),
    ...cases.flatMap(({ place, before, after, fisher, adjustedChance }): readonly Check[] => {
      // Within a line that fell as a whole, its cases say nothing more.
      if (fallen.has(keyOf(place))) return [];
      const drop = (before.rate ?? 0) - (after.rate ?? 0);
      const proven = adjustedChance <= alpha.cases && drop > policy.drop.tolerated;
      if (!proven && !(drop >= policy.drop.collapse && fisher <= doubtful)) return [];
      return [
        {
          code: "case_drop",
          kind: proven ? "regression" : "inconclusive",
          place: { ...checkPlace(place), scenario: place.scenario, stream: place.stream },
          facts: {
            beforeCount: before.count,
            beforeOf: before.of,
            afterCount: after.count,
            afterOf: after.of,
            chance: proven ? adjustedChance : fisher,
          },
        },
      ];
    }),
  ];
}

function lineKind(line: LineComparison, policy: GatePolicy): VerdictKind {
  if (line.drop === null) return "inconclusive";
  if (hasFallen(line, policy)) return "regression";
  return line.notRuledOut > policy.drop.ruledOut ? "inconclusive" : "pass";
}

function lineFacts(line: LineComparison) {
  return {
    beforeCount: line.delivered.before.count,
    beforeOf: line.delivered.before.of,
    afterCount: line.delivered.after.count,
    afterOf: line.delivered.after.of,
    attemptedBefore: line.attempted.before.count,
    attemptedAfter: line.attempted.after.count,
    drop: line.drop?.estimate ?? null,
    notRuledOut: line.notRuledOut,
    chance: line.adjustedChance,
    detectable: line.detectable,
    scenarios: line.scenarios,
    byScenario: line.byScenario,
  };
}

/** The place of a line as a check names it. */
export function checkPlace({ target, route, suite, arm, shape }: LinePlace): CheckPlace {
  return { target, route, suite, arm, shape };
}

function keyOf({ target, route, suite, arm, contract, shape }: LinePlace): string {
  return JSON.stringify([target, route, suite, arm, contract, shape]);
}
