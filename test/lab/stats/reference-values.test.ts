import { describe, expect, it } from "vitest";
import { exactBounds } from "../../../src/lab/stats/binomial-bounds.ts";
import { minimalDetectableDrop, trialsNeeded } from "../../../src/lab/stats/detectable.ts";
import { holm } from "../../../src/lab/stats/holm.ts";
import { medianInterval } from "../../../src/lab/stats/median-interval.ts";
import { normalQuantile } from "../../../src/lab/stats/normal.ts";
import { reference } from "./reference.ts";

describe("quantiles of the normal distribution", () => {
  it.each(reference.quantiles)("at $probability is SciPy's $value", ({ probability, value }) => {
    expect(Math.abs(normalQuantile(probability) - value)).toBeLessThan(1e-6);
  });

  it.each([0, 1, Number.NaN])("are refused at %d", (probability) => {
    expect(() => normalQuantile(probability)).toThrow(RangeError);
  });
});

describe("Holm's adjustment", () => {
  it("follows the steps of a published example (0.01, 0.04, 0.03, 0.005: R, p.adjust)", () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    expect(adjusted.map((value) => Number(value.toFixed(12)))).toEqual([0.03, 0.06, 0.06, 0.02]);
  });

  it.each(reference.holm)("agrees with statsmodels for $given.length values", ({ given, adjusted }) => {
    const found = holm(given);
    expect(found).toHaveLength(adjusted.length);
    for (const [index, value] of adjusted.entries()) expect(found[index]).toBeCloseTo(value, 12);
  });

  it("has nothing to say of nothing", () => {
    expect(holm([])).toEqual([]);
  });
});

describe("exact bounds of a proportion", () => {
  it("allow 9.5 % where nothing was found in 30: the rule of three", () => {
    expect(exactBounds(0, 30, 0.95).high).toBeCloseTo(1 - 0.05 ** (1 / 30), 10);
    expect(exactBounds(0, 30, 0.95).high).toBeCloseTo(0.095, 3);
  });

  it.each(reference.bounds)(
    "agree with statsmodels: $count of $of at $confidence",
    ({ count, of, confidence, low, high }) => {
      const found = exactBounds(count, of, confidence);
      expect(found.low).toBeCloseTo(low, 8);
      expect(found.high).toBeCloseTo(high, 8);
    },
  );

  it("know nothing of nothing", () => {
    expect(exactBounds(0, 0, 0.95)).toEqual({ low: 0, high: 1 });
  });
});

describe("the detectable drop", () => {
  it("needs the published number of trials (Fleiss, Levin and Paik 2003, table A.4: 0.3 against 0.1, 5 % two-sided, power 80 %: 72)", () => {
    expect(Math.ceil(trialsNeeded(0.3, 0.1, 0.025, 0.8))).toBe(72);
  });

  it.each(reference.power)(
    "comes near the exact power: $first to $second in $trials at $alpha",
    ({ first, second, trials, alpha, power }) => {
      if (power < 0.3 || power > 0.999) return;
      const drop = minimalDetectableDrop({ rate: first, before: trials, after: trials, alpha, power });
      expect(drop).not.toBeNull();
      expect(Math.abs((drop ?? 0) - (first - second))).toBeLessThan(0.06);
    },
  );

  it("is none where even a drop to nothing would go unseen", () => {
    expect(minimalDetectableDrop({ rate: 1, before: 2, after: 2, alpha: 0.01, power: 0.8 })).toBeNull();
    expect(minimalDetectableDrop({ rate: 0, before: 50, after: 50, alpha: 0.01, power: 0.8 })).toBeNull();
  });

  it("shrinks with more trials", () => {
    const at = (trials: number) =>
      minimalDetectableDrop({ rate: 0.9, before: trials, after: trials, alpha: 0.01, power: 0.8 });
    expect(at(100) ?? 1).toBeLessThan(at(20) ?? 0);
  });
});

describe("the interval of a median", () => {
  it.each(reference.medians)("is SciPy's for $values.length values", ({ values, low, high }) => {
    expect(medianInterval(values)).toMatchObject({ low, high });
  });

  it("is none below six values, where no two of them reach 95 %", () => {
    expect(medianInterval([1, 2, 3, 4, 5])).toBeNull();
    expect(medianInterval([1, 2, 3, 4, 5, 6])).toEqual({ median: 3.5, low: 1, high: 6 });
  });
});
