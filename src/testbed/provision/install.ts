import { mkdir, rm } from "node:fs/promises";
import { bytesBelow, type Installed, installFolder, readInstalled, writeInstalled } from "./cache.ts";
import { withInstallLock } from "./install-lock.ts";
import { ProvisionError } from "./provision-error.ts";
import type { InstallWorld, Recipe } from "./recipe.ts";

/**
 * Installs a server or client into the cache unless it is there already, and says what was done with times and sizes. An
 * interrupted installation is begun anew. Throws {@link ProvisionError}.
 */
export async function install(recipe: Recipe, world: InstallWorld): Promise<Installed> {
  const folder = folderOf(recipe, world.cache);
  const present = await readInstalled(folder, recipe.source);
  if (present !== null) {
    world.say(`${describe(present)}: already installed in ${folder}`);
    return present;
  }
  const problem = await recipe.unfit(world);
  if (problem !== null) throw new ProvisionError("unfit", `${recipe.name} cannot be installed here: ${problem}`);
  return withInstallLock(folder, async () => {
    const started = world.seconds();
    world.say(`${recipe.name} ${recipe.version}: fetching ${recipe.source}`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const { paths, bytes } = await recipe.fill(folder, world);
    const installed: Installed = {
      name: recipe.name,
      version: recipe.version,
      source: recipe.source,
      seconds: Math.round((world.seconds() - started) * 10) / 10,
      bytes: { total: await bytesBelow(folder), ...bytes },
      paths,
    };
    await writeInstalled(folder, installed);
    world.say(`${describe(installed)}: installed in ${installed.seconds} s into ${folder}`);
    return installed;
  });
}

/** The installation of a recipe, or null where it has not been made. Never fetches anything. */
export function installedServer(recipe: Recipe, cache: string): Promise<Installed | null> {
  return readInstalled(folderOf(recipe, cache), recipe.source);
}

/** Where a recipe is installed, or would be. */
export function folderOf({ name, version, shelf }: Recipe, cache: string): string {
  return installFolder(cache, name, version, shelf);
}

function describe({ name, version, bytes }: Installed): string {
  const { total = 0, ...parts } = bytes;
  const sizes = Object.entries(parts).map(([part, size]) => `${part} ${megabytes(size)}`);
  return `${name} ${version} (${[megabytes(total), ...sizes].join(", ")})`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
