import type { LoadedScenarios } from "../lab/scenario/load.ts";
import { UserError } from "./errors.ts";
import { commaSeparated } from "./run-settings.ts";

/** Suites that the suite `choice` stands for, in the order in which a model is chosen. */
const chosenBy = ["capability", "context", "language"] as const;
const name = "choice";

/** What was asked for, with `choice` as the suites that it stands for. @throws UserError where a minimum goes with no choice */
export function expandChoice(
  given: readonly string[],
  minContext: number | null,
): { readonly asked: readonly string[]; readonly choice: { readonly minContext: number | null } | undefined } {
  const names = commaSeparated(given);
  if (!names.includes(name)) {
    if (minContext !== null) throw new UserError("--min-context goes with --suite choice");
    return { asked: names, choice: undefined };
  }
  const asked = [...new Set(names.flatMap((each) => (each === name ? chosenBy : [each])))];
  return { asked, choice: { minContext } };
}

/** Where a length is asked for, that very length is tried, and no other. */
export function withMinimum(loaded: LoadedScenarios, minContext: number): LoadedScenarios {
  return {
    ...loaded,
    probes: loaded.probes.map((suite) => {
      const [first] = suite.arms;
      if (suite.judgement !== "context" || first === undefined) return suite;
      return { ...suite, arms: [{ ...first, id: "minimum", size: { most: minContext } }] };
    }),
  };
}
