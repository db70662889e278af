import { describe, expect, it } from "vitest";
import { designEffect, effectiveCounts, wholeEffectiveCounts } from "../../../src/lab/stats/clustered.ts";
import { stratifiedDrop } from "../../../src/lab/stats/difference.ts";
import type { Stratum } from "../../../src/lab/stats/exact-tests.ts";
import { scenarioSigns } from "../../../src/lab/stats/scenario-signs.ts";
import { seededRandom } from "../../../src/lab/stats/seeded-random.ts";

function stratum(x1: number, n1: number, x2: number, n2: number): Stratum {
  return { before: { count: x1, of: n1 }, after: { count: x2, of: n2 } };
}

describe("the drop of a rate", () => {
  // Newcombe 1998 (Statistics in Medicine 17, 873-890), table II, method 10; 95 % two-sided is 97.5 % on each side.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [10, 10, 0, 10, 0.6075, 1],
    [5, 56, 0, 29, -0.0381, 0.1926],
  ])("of one stratum has the published bounds: %i/%i and %i/%i", (x1, n1, x2, n2, low, high) => {
    const drop = stratifiedDrop([stratum(x1, n1, x2, n2)], 0.975);
    expect(drop?.low).toBeCloseTo(low, 4);
    expect(drop?.high).toBeCloseTo(high, 4);
  });

  it("is none without a stratum that both runs asked", () => {
    expect(stratifiedDrop([stratum(0, 0, 3, 5), stratum(2, 4, 0, 0)], 0.95)).toBeNull();
  });

  it("covers the true drop about as often as it promises, over strata of very different rates", () => {
    const random = seededRandom(7);
    const draw = (rate: number, of: number) =>
      Array.from({ length: of }, () => random()).filter((value) => value < rate).length;
    const rates = [
      [1, 0.9],
      [0.33, 0.3],
      [0.9, 0.6],
      [0.5, 0.5],
    ] as const;
    const truth = rates.reduce((sum, [before, after]) => sum + (before - after) / rates.length, 0);
    let [above, below] = [0, 0];
    const pairs = 4000;
    for (let pair = 0; pair < pairs; pair++) {
      const drop = stratifiedDrop(
        rates.map(([before, after]) => stratum(draw(before, 10), 10, draw(after, 10), 10)),
        0.95,
      );
      if ((drop?.high ?? 0) < truth) above += 1;
      if ((drop?.low ?? 0) > truth) below += 1;
    }
    for (const missed of [above, below]) {
      expect(missed / pairs).toBeLessThan(0.075);
      expect(missed / pairs).toBeGreaterThan(0.02);
    }
  });
});

describe("repeats of one question", () => {
  it("count for less the more they hang together", () => {
    expect(designEffect(10, 0)).toBe(1);
    expect(designEffect(10, 0.1)).toBeCloseTo(1.9, 12);
    expect(designEffect(10, 1)).toBe(10);
    expect(effectiveCounts({ count: 9, of: 10 }, 1).of).toBe(1);
  });

  it.each([
    [{ count: 10, of: 10 }, 0.1, "fewer", { count: 5, of: 5 }],
    [{ count: 9, of: 10 }, 0.1, "fewer", { count: 4, of: 5 }],
    [{ count: 9, of: 10 }, 0.1, "more", { count: 5, of: 5 }],
    [{ count: 1, of: 10 }, 0.1, "more", { count: 1, of: 5 }],
    [{ count: 1, of: 1 }, 0.9, "fewer", { count: 1, of: 1 }],
    [{ count: 0, of: 0 }, 0.1, "more", { count: 0, of: 0 }],
    [{ count: 7, of: 9 }, 0, "fewer", { count: 7, of: 9 }],
  ] as const)("become whole numbers: %j at correlation %d, leaning to %s", (counted, correlation, lean, expected) => {
    expect(wholeEffectiveCounts(counted, correlation, lean)).toEqual(expected);
  });
});

describe("changing places by scenario", () => {
  it("counts sign patterns in full for few scenarios", () => {
    expect(scenarioSigns([1, 1, 1, 1, 1, 1, 1, 1])).toBe(1 / 256);
    expect(scenarioSigns([0.2, 0.2, -0.2])).toBe(0.5);
    expect(scenarioSigns([0, 0])).toBe(1);
  });

  it("draws them, always the same, for many", () => {
    const drops = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? -0.1 : 0.1));
    expect(scenarioSigns(drops)).toBe(scenarioSigns(drops));
    expect(scenarioSigns(drops)).toBeLessThan(0.1);
    expect(scenarioSigns(drops.map((drop) => -drop))).toBeGreaterThan(0.9);
  });
});

describe("rates over strata", () => {
  it("never exceed one by a rounding of their weights", () => {
    const strata = Array.from({ length: 34 }, () => stratum(5, 5, 5, 5));
    const drop = stratifiedDrop(strata, 0.95);
    expect(drop?.before).toBeLessThanOrEqual(1);
    expect(drop?.estimate).toBe(0);
  });
});
