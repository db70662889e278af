import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../../src/lab/classify/case-file.ts";
import { judgeCase } from "../../../src/lab/classify/score-cases.ts";
import { readCaseFolder } from "./case-folder.ts";
import { seededRandom, type Variant, variantsOf } from "./variants.ts";

const isLong = process.env["LAB_TEST_LONG"] === "1";
const cases = [...readCaseFolder("cases"), ...readCaseFolder("recorded")];
const kinds = ["renamed", "translated", "announced", "rerendered", "streamed", "reasoning"] as const;

interface Judged {
  readonly original: CaseFile;
  readonly variant: Variant;
}

/** All variants in the long run; in the short one a tenth of them, drawn by the seed. */
function draw(kind: Variant["kind"]): readonly Judged[] {
  const random = seededRandom(20260411);
  const all = cases.flatMap((original) =>
    variantsOf(original, isLong ? 8 : 1, random)
      .filter((variant) => variant.kind === kind)
      .map((variant) => ({ original, variant })),
  );
  const chosen = seededRandom(7);
  return isLong ? all : all.filter(() => chosen() < 0.25);
}

/** What of a judgement must not change: the verdict, and that nothing is handed on where nothing was. */
function difference({ original, variant }: Judged): string | null {
  const withRaw = variant.kind === "streamed" || variant.kind === "renamed";
  const before = judgeCase(original, withRaw);
  const after = judgeCase(variant.file, withRaw);
  const name = `${original.id}, ${variant.kind} (${variant.what})`;
  if (before.calls.length === 0 && after.calls.length > 0) return `${name}: hands on ${JSON.stringify(after.calls)}`;
  return before.verdict === after.verdict ? null : `${name}: ${before.verdict} became ${after.verdict}`;
}

describe("a change of words that means nothing", () => {
  it.each(kinds)("does not change the verdict: %s", (kind) => {
    const drawn = draw(kind);
    expect(drawn.length).toBeGreaterThan(isLong ? 60 : 15);
    const changed = drawn.flatMap((one) => difference(one) ?? []);
    expect(changed.filter((line) => line.includes("hands on"))).toEqual([]);
    expect(changed.length / drawn.length, changed.join("\n")).toBeLessThanOrEqual(0.01);
  });

  it.runIf(isLong)("holds for some five thousand variants together", () => {
    const all = kinds.flatMap(draw);
    expect(all.length).toBeGreaterThan(5000);
    const changed = all.flatMap((one) => difference(one) ?? []);
    expect(changed.length / all.length).toBeLessThanOrEqual(0.01);
  });
});
