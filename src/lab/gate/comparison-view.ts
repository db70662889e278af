import { comparableChecks, comparisonNotes } from "./checks/comparable-checks.ts";
import { type CompareOptions, type Comparison, compareRuns } from "./compare.ts";
import type { RunSide } from "./run-side.ts";
import { swapCards } from "./swap-card.ts";
import type { Check, ComparisonView, GateNote } from "./verdict.ts";

/** A run under the name that people gave it. */
export interface NamedSide {
  readonly name: string;
  readonly side: RunSide;
}

/** Compares two runs for reading: what may not be compared is said, and nothing is decided. */
export function compareForView(before: NamedSide, after: NamedSide, options: CompareOptions): ComparisonView {
  const comparison = compareRuns(before.side, after.side, options);
  const { pairing } = comparison;
  return comparisonView(before, after, {
    comparison,
    options,
    problems: comparableChecks(before.side, after.side, pairing, options.treatment),
    notes: comparisonNotes(before.side, after.side, pairing, options.treatment, options.policy),
  });
}

/** A comparison as plain data, with swap cards where a model or a server was swapped. */
export function comparisonView(
  before: NamedSide,
  after: NamedSide,
  found: {
    readonly comparison: Comparison;
    readonly options: CompareOptions;
    readonly problems: readonly Check[];
    readonly notes: readonly GateNote[];
  },
): ComparisonView {
  const { comparison, options, problems, notes } = found;
  const swapped = options.treatment.includes("model") || options.treatment.includes("server");
  return {
    before: { name: before.name, run: before.side.record.run },
    after: { name: after.name, run: after.side.record.run },
    treatment: options.treatment,
    problems,
    notes,
    lines: comparison.lines,
    cases: comparison.cases
      .filter((each) => each.before.rate !== each.after.rate)
      .sort((left, right) => left.fisher - right.fisher),
    casesCompared: comparison.cases.length,
    cards: swapped ? swapCards(before.side, after.side, comparison, options.policy) : [],
  };
}
