import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate, placeholderProblems, placeholders } from "../../../src/lab/scenario/template.ts";
import { trialValues } from "../../../src/lab/scenario/trial-values.ts";

describe("templates", () => {
  const values = trialValues(7);

  it("fill placeholders and leave markers and everything else as written", () => {
    expect(fillTemplate("「{{nonce}}」と {{number:3-9}} と {{PYTHON: <x>}} と {{nonce }}", values)).toBe(
      `「${values.nonce}」と ${values.number(3, 9)} と {{PYTHON: <x>}} と {{nonce }}`,
    );
  });

  it("give equal placeholders equal values, and other bounds values of their own", () => {
    const [first, second] = fillTemplate("{{number:1-1000000000}} {{number:1-1000000000}}", values).split(" ");
    expect(first).toBe(second);
    expect(values.number(1, 1_000_000_000)).not.toBe(values.number(2, 1_000_000_000));
  });

  it("list each placeholder once", () => {
    expect(placeholders("{{nonce}} {{number:1-2}} {{nonce}} {{IMAGE: x}}")).toEqual(["{{nonce}}", "{{number:1-2}}"]);
  });

  it.each([
    ["{{nonse}}", /unknown placeholder \{\{nonse\}\}/],
    ["{{number:9-3}}", /needs LOW < HIGH/],
    ["{{number:5}}", /unknown placeholder/],
  ])("name what is wrong with %s", (text, problem) => {
    expect(placeholderProblems(text)).toEqual([expect.stringMatching(problem)]);
  });

  it("find nothing wrong with placeholders and markers", () => {
    expect(placeholderProblems("{{nonce}} {{number:1-9}} {{PYTHON: sum}} { {a} }")).toEqual([]);
  });

  it("draw numbers within their bounds, both ends included, fixed by the seed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 0x7fffffff }),
        fc.nat(1e9),
        fc.integer({ min: 1, max: 1e9 }),
        (seed, low, span) => {
          const drawn = trialValues(seed).number(low, low + span);
          expect(drawn >= low && drawn <= low + span).toBe(true);
          expect(trialValues(seed).number(low, low + span)).toBe(drawn);
        },
      ),
    );
    const seen = new Set(Array.from({ length: 60 }, (_, seed) => trialValues(seed + 1).number(1, 3)));
    expect(seen).toEqual(new Set([1, 2, 3]));
  });
});
