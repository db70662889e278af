import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Everything that is loaded before a command runs: static imports of values, followed through our own files. */
function loadedAtStart(file: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, clause = "", from = ""] of source.matchAll(/^(?:import|export)\s+([^;"]*?)\s*from\s+"([^"]+)";/gm)) {
    if (clause.startsWith("type ")) continue;
    if (from.startsWith(".")) loadedAtStart(resolve(dirname(file), from), seen);
    else seen.add(from);
  }
  for (const [, name = ""] of source.matchAll(/^const .+ = require\("([^"]+)"\)/gm)) seen.add(name);
  return seen;
}

it("answers --help without loading what only commands need", () => {
  const packages = [...loadedAtStart(main)].filter((name) => !name.startsWith("/") && !name.startsWith("node:"));
  expect(packages.sort()).toEqual(["fastest-levenshtein", "yargs/yargs"]);
});
