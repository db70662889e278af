import { resolve } from "node:path";
import { type LabConfig, shownPath } from "./config.ts";
import type { World } from "./world.ts";

/** Folders beside the shipped one, as `--scenarios` or lab.yaml names them; problems name them the same way. */
export function scenarioFolders(
  given: readonly string[],
  config: LabConfig,
  world: Pick<World, "cwd">,
): readonly string[] {
  const named = given.length > 0 ? given : (config.defaults.scenarios ?? []);
  return named.map((folder) => shownPath(resolve(world.cwd, folder), world.cwd));
}
