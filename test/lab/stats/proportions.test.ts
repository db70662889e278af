import { describe, expect, it } from "vitest";
import { median, wilson, wilsonWithUndecided } from "../../../src/lab/stats/proportions.ts";

describe("the Wilson interval", () => {
  // Newcombe 1998 (Statistics in Medicine 17, 857-872), table I: score method without continuity correction, to four places.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i in %i is that of the published table", (count, of, low, high) => {
    const rate = wilson(count, of);
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });

  it("mirrors when successes and failures change places", () => {
    const left = wilson(2, 7);
    const right = wilson(5, 7);
    expect(left.low).toBeCloseTo(1 - right.high, 12);
  });

  it("says that nothing is known of nothing", () => {
    expect(wilson(0, 0)).toEqual({ count: 0, of: 0, rate: null, low: 0, high: 1 });
  });

  it("reaches the ends when all or none succeed", () => {
    expect(wilson(3, 3).high).toBe(1);
    expect(wilson(0, 3).low).toBe(0);
  });

  it.each([
    [-1, 3],
    [4, 3],
    [1.5, 3],
  ])("refuses counts that are none: %d of %d", (count, of) => {
    expect(() => wilson(count, of)).toThrow(RangeError);
  });

  it("widens with undecided samples towards the side they could fall on", () => {
    const sure = wilson(2, 6);
    const open = wilsonWithUndecided(2, 2, 6);
    expect(open.low).toBe(sure.low);
    expect(open.high).toBe(wilson(4, 6).high);
  });
});

describe("the median", () => {
  it.each([
    [[], null],
    [[3], 3],
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 2.5],
  ])("of %j is %j", (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
