import { runOptions } from "./commands/run-options.ts";
import type { ValuesOf } from "./options.ts";

/** The options of `lab run` as they are where none is given: for commands that take some of them. */
export function unaskedOptions(): ValuesOf<typeof runOptions> {
  const entries = Object.entries(runOptions).map(([name, { kind }]) => [
    name,
    kind === "list" ? [] : kind === "flag" ? false : undefined,
  ]);
  return Object.fromEntries(entries) as ValuesOf<typeof runOptions>;
}
