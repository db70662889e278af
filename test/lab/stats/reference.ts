import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Pair = readonly [number, number];

/** Values of SciPy and statsmodels; test/fixtures/stats/reference.py made them. */
export const reference = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../fixtures/stats/reference.json", import.meta.url)), "utf8"),
) as {
  readonly fisher: readonly {
    readonly before: Pair;
    readonly after: Pair;
    readonly fewer: number;
    readonly more: number;
    readonly twoSided: number;
  }[];
  readonly stratified: readonly {
    readonly strata: readonly (readonly [number, number, number, number])[];
    readonly fewer: number;
    readonly more: number;
    readonly twoSided: number;
  }[];
  readonly holm: readonly { readonly given: readonly number[]; readonly adjusted: readonly number[] }[];
  readonly bounds: readonly {
    readonly count: number;
    readonly of: number;
    readonly confidence: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly quantiles: readonly { readonly probability: number; readonly value: number }[];
  readonly power: readonly {
    readonly first: number;
    readonly second: number;
    readonly trials: number;
    readonly alpha: number;
    readonly power: number;
  }[];
  readonly medians: readonly { readonly values: readonly number[]; readonly low: number; readonly high: number }[];
};
