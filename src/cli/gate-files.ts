import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { findRun, listRuns } from "../lab/capture/find-run.ts";
import type { TargetPair } from "../lab/gate/pair-cells.ts";
import { defaultPolicy, type GatePolicy, policySchema } from "../lab/gate/policy.ts";
import { suggestion } from "../lab/scenario/nearest.ts";
import { readYaml } from "../lab/scenario/yaml-source.ts";
import { baselineFile } from "../lab/stored-side.ts";
import { problemsError, shownPath } from "./config.ts";
import { UserError } from "./errors.ts";
import type { World } from "./world.ts";

/** Reads a policy file; without one the default policy holds. @throws UserError with every problem, by file and line */
export function readPolicy(given: string | undefined, world: Pick<World, "cwd">): GatePolicy {
  if (given === undefined) return defaultPolicy;
  const file = resolve(world.cwd, given);
  const shown = shownPath(file, world.cwd);
  if (!existsSync(file) || statSync(file).isDirectory()) throw new UserError(`--policy: there is no file ${given}`);
  const read = readYaml(readFileSync(file, "utf8"), shown, policySchema);
  if (!read.ok) throw problemsError(read.problems, shown);
  return read.value;
}

/** Where baselines lie: the one folder of results that is kept in git. */
export function baselinesFolder(results: string): string {
  return join(results, "baselines");
}

/** The folder of a baseline by its name, else that of a run. @throws UserError, StoreError */
export async function findBaseline(
  results: string,
  wanted: string,
): Promise<{ readonly folder: string; readonly name: string }> {
  const folder = join(baselinesFolder(results), wanted);
  if (!/[\\/]/.test(wanted) && wanted !== "." && wanted !== ".." && existsSync(folder)) {
    if (existsSync(join(folder, baselineFile))) return { folder, name: wanted };
    throw new UserError(
      `--baseline: ${wanted} has no ${baselineFile}, so nobody promoted it; lab baseline promote does`,
    );
  }
  const baselines = (await listRuns(baselinesFolder(results)).catch(() => [])).map((each) => basename(each));
  try {
    const found = await findRun(results, wanted);
    return { folder: found, name: basename(found) };
  } catch (error) {
    if (/[\\/]/.test(wanted)) throw error;
    throw new UserError(
      `--baseline: there is no baseline and no run ${JSON.stringify(wanted)}${suggestion(wanted, baselines)}`,
      { cause: error },
    );
  }
}

/** `--pair OLD=NEW`, several, each of which must name targets that the runs have. @throws UserError */
export function readPairs(
  given: readonly string[],
  before: readonly string[],
  after: readonly string[],
): readonly TargetPair[] {
  return given.map((text) => {
    // A target's name may hold an equals sign itself: the split that names two targets is meant.
    for (let at = text.indexOf("="); at !== -1; at = text.indexOf("=", at + 1)) {
      const pair = { before: text.slice(0, at).trim(), after: text.slice(at + 1).trim() };
      if (before.includes(pair.before) && after.includes(pair.after)) return pair;
    }
    const [old = "", fresh = ""] = text.split("=").map((part) => part.trim());
    if (!text.includes("=")) throw new UserError(`--pair: ${JSON.stringify(text)} is not OLD=NEW`);
    const [side, name, names] = before.includes(old) ? ["second", fresh, after] : ["first", old, before];
    throw new UserError(
      `--pair: the ${side} run has no target ${JSON.stringify(name)}${suggestion(String(name), names as readonly string[])}`,
    );
  });
}

/** Formats of a list option, of those that are known. @throws UserError offering the nearest */
export function readFormats<Name extends string>(given: readonly string[], known: readonly Name[]): readonly Name[] {
  const names = given
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return [...new Set(names)].map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined)
      throw new UserError(`--format: there is no ${JSON.stringify(name)}${suggestion(name, known)}`);
    return found;
  });
}
