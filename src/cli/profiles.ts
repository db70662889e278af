import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { suggestion } from "../lab/scenario/nearest.ts";
import { ScenarioProblems } from "../lab/scenario/scenario-problems.ts";
import { readYaml } from "../lab/scenario/yaml-source.ts";
import { checkProfile } from "../simulator/profile.ts";
import { profileSchema, type SimulatorProfile } from "../simulator/profile-schema.ts";
import { shownPath, utf8Text } from "./config.ts";
import { UserError } from "./errors.ts";
import type { World } from "./world.ts";

/** Reads a simulator profile: a file, or the name of a shipped one. @throws UserError, ScenarioProblems */
export async function readProfile(
  given: string,
  world: Pick<World, "cwd" | "packageFolder">,
): Promise<SimulatorProfile> {
  const shipped = join(world.packageFolder, "scenarios", "profiles");
  const file = resolve(world.cwd, given);
  const folder = existsSync(file) && statSync(file).isDirectory();
  if (existsSync(file) && !folder) return readProfileFile(file, shownPath(file, world.cwd));
  const names = (await readdir(shipped)).filter(isYaml).map((name) => basename(name, ".yaml"));
  if (names.includes(given)) return readProfileFile(join(shipped, `${given}.yaml`), `scenarios/profiles/${given}.yaml`);
  if (folder) throw new UserError(`--profile: ${given} is a folder; give a YAML file`);
  throw new UserError(
    `--profile: there is no file and no shipped profile ${JSON.stringify(given)}${suggestion(given, names)}`,
  );
}

/** Everything that is wrong with the shipped profiles and those of `folders`, a line each. */
export async function profileProblems(
  folders: readonly string[],
  world: Pick<World, "cwd" | "packageFolder">,
): Promise<readonly string[]> {
  const sources = [
    { folder: join(world.packageFolder, "scenarios", "profiles"), label: "scenarios/profiles" },
    ...folders.map((folder) => ({ folder: resolve(world.cwd, folder, "profiles"), label: join(folder, "profiles") })),
  ];
  const problems: string[] = [];
  for (const { folder, label } of sources) {
    if (!existsSync(folder)) continue;
    for (const name of (await readdir(folder)).filter(isYaml).sort()) {
      try {
        await readProfileFile(join(folder, name), `${label}/${name}`);
      } catch (error) {
        if (!(error instanceof ScenarioProblems)) throw error;
        problems.push(...error.problems);
      }
    }
  }
  return problems;
}

async function readProfileFile(file: string, label: string): Promise<SimulatorProfile> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw new UserError(`${label} cannot be read; give a YAML file`, { cause: error });
  }
  const read = readYaml(utf8Text(bytes, label), label, profileSchema, checkProfile);
  if (!read.ok) throw new ScenarioProblems(read.problems);
  return read.value;
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}
