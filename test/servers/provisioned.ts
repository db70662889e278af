import { cacheFolder, type Installed } from "../../src/testbed/provision/cache.ts";
import { installedServer } from "../../src/testbed/provision/install.ts";
import { llamaServerRecipe } from "../../src/testbed/provision/llama-server.ts";
import { ollamaRecipe } from "../../src/testbed/provision/ollama.ts";
import type { Recipe } from "../../src/testbed/provision/recipe.ts";
import { vllmRecipe } from "../../src/testbed/provision/vllm.ts";

async function provisioned(recipe: Recipe): Promise<Installed> {
  const installed = await installedServer(recipe, cacheFolder(process.env));
  if (installed === null) throw new Error(`${recipe.name} is not installed: npm run servers -- install ${recipe.name}`);
  return installed;
}

export const llamaServer = await provisioned(llamaServerRecipe);
export const ollamaServer = await provisioned(ollamaRecipe);

/** vLLM, where it was asked for with `-- --vllm`; then it has to be there. */
export const vllmInstalled = process.env["LAB_TEST_VLLM"] === "1" ? await provisioned(vllmRecipe) : null;

/** Every script in every set-up, or the short form that every CI run takes. */
export const isLong = process.env["LAB_TEST_LONG"] === "1";
