import { cacheFolder, type Installed } from "../../src/testbed/provision/cache.ts";
import { installedServer } from "../../src/testbed/provision/install.ts";
import { programCommand } from "../../src/testbed/provision/npm-client.ts";
import type { Recipe } from "../../src/testbed/provision/recipe.ts";

async function provisioned(recipe: Recipe): Promise<Installed> {
  const installed = await installedServer(recipe, cacheFolder(process.env));
  if (installed === null) {
    const command = recipe.shelf === "clients" ? "clients" : "servers";
    throw new Error(`${recipe.name} is not installed: npm run ${command} -- install ${recipe.name}`);
  }
  return installed;
}

/** The llama-server, or whatever else a recipe makes, from the cache. */
export { provisioned };

/** How an installed client's program is run. */
export async function clientCommand(recipe: Recipe): Promise<readonly [string, ...string[]]> {
  const { paths } = await provisioned(recipe);
  const [program = "", ...more] = programCommand(paths["program"] ?? "");
  return [program, ...more];
}
