import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fisherExact, type Stratum, stratifiedExact } from "../../../src/lab/stats/exact-tests.ts";
import { reference } from "./reference.ts";

function stratum(x1: number, n1: number, x2: number, n2: number): Stratum {
  return { before: { count: x1, of: n1 }, after: { count: x2, of: n2 } };
}

describe("Fisher's exact test", () => {
  it("gives the published values of the tea tasting (Fisher 1935): 17 of 70 one-sided, 34 of 70 two-sided", () => {
    const tea = fisherExact(stratum(1, 4, 3, 4));
    expect(tea.more).toBeCloseTo(17 / 70, 12);
    expect(tea.twoSided).toBeCloseTo(34 / 70, 12);
  });

  it.each(reference.fisher)("agrees with SciPy for $before against $after", ({ before, after, ...expected }) => {
    const found = fisherExact(stratum(...before, ...after));
    expect(found.fewer).toBeCloseTo(expected.fewer, 10);
    expect(found.more).toBeCloseTo(expected.more, 10);
    expect(found.twoSided).toBeCloseTo(expected.twoSided, 10);
  });

  it("does not lose tables of thousands to underflow", () => {
    const found = fisherExact(stratum(3000, 3000, 0, 3000));
    expect(found.more).toBeCloseTo(1, 9);
    expect(found.fewer).toBeLessThan(1e-300);
    expect(fisherExact(stratum(1500, 3000, 1500, 3000)).twoSided).toBeCloseTo(1, 9);
  });

  it.each([
    [1.5, 3, 1, 3],
    [4, 3, 1, 3],
    [-1, 3, 1, 3],
  ])("refuses what is no count: %d of %d", (x1, n1, x2, n2) => {
    expect(() => fisherExact(stratum(x1, n1, x2, n2))).toThrow(RangeError);
  });
});

describe("the exact test over strata", () => {
  it("gives the published value of the penicillin rabbits (R, mantelhaen.test(Rabbits, exact = TRUE): p = 0.03994)", () => {
    // Five levels of penicillin; cured after a delay of one and a half hours, and without delay.
    const rabbits = [
      stratum(0, 5, 0, 6),
      stratum(0, 6, 3, 6),
      stratum(2, 6, 6, 6),
      stratum(6, 6, 5, 6),
      stratum(5, 5, 2, 2),
    ];
    expect(stratifiedExact(rabbits).twoSided).toBeCloseTo(0.03994, 5);
  });

  it.each(reference.stratified)("agrees with enumeration of all tables: $strata", ({ strata, ...expected }) => {
    const found = stratifiedExact(strata.map((each) => stratum(...each)));
    expect(found.fewer).toBeCloseTo(expected.fewer, 10);
    expect(found.more).toBeCloseTo(expected.more, 10);
    expect(found.twoSided).toBeCloseTo(expected.twoSided, 10);
  });

  it("does not mix strata: one run's easy question is never weighed against the other's hard one", () => {
    const simpson = [stratum(90, 100, 9, 10), stratum(1, 10, 10, 100)];
    expect(stratifiedExact(simpson).fewer).toBeGreaterThan(0.4);
  });

  it("knows nothing where nothing was asked, or all came out alike", () => {
    expect(stratifiedExact([])).toEqual({ fewer: 1, more: 1, twoSided: 1 });
    expect(stratifiedExact([stratum(0, 0, 3, 5), stratum(4, 4, 4, 4)])).toEqual({ fewer: 1, more: 1, twoSided: 1 });
  });

  it("mirrors when the runs change places, and its tails meet in the result seen", () => {
    const counted = fc
      .integer({ min: 0, max: 12 })
      .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)));
    fc.assert(
      fc.property(fc.array(fc.tuple(counted, counted), { minLength: 1, maxLength: 5 }), (pairs) => {
        const there = stratifiedExact(pairs.map(([[x1, n1], [x2, n2]]) => stratum(x1, n1, x2, n2)));
        const back = stratifiedExact(pairs.map(([[x1, n1], [x2, n2]]) => stratum(x2, n2, x1, n1)));
        expect(there.fewer).toBeCloseTo(back.more, 9);
        expect(there.twoSided).toBeCloseTo(back.twoSided, 9);
        expect(there.fewer + there.more).toBeGreaterThanOrEqual(1 - 1e-9);
      }),
    );
  });
});
