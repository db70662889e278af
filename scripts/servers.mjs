// npm run servers -- install NAME… | list: provisions real servers into the cache. Run through tsx, which reads the sources.
import { cacheFolder, installFolder } from "../src/testbed/provision/cache.ts";
import { recipes } from "../src/testbed/provision/index.ts";
import { install, installedServer } from "../src/testbed/provision/install.ts";
import { ProvisionError } from "../src/testbed/provision/provision-error.ts";

const exitCodes = { ok: 0, failed: 1, misuse: 2, unfit: 4 };
const names = recipes.map((recipe) => recipe.name);
const usage = `usage: npm run servers -- install ${names.join("|")}|all, or npm run servers -- list`;

const world = {
  env: process.env,
  cache: cacheFolder(process.env),
  seconds: () => performance.now() / 1000,
  say: (line) => console.log(line),
};

async function main([verb, ...asked]) {
  if (verb === "list" && asked.length === 0) {
    for (const recipe of recipes) {
      const there = await installedServer(recipe, world.cache);
      const place = there === null ? "not installed" : installFolder(world.cache, recipe.name, recipe.version);
      console.log(`${recipe.name} ${recipe.version}: ${place}`);
    }
    return exitCodes.ok;
  }
  if (verb !== "install" || asked.length === 0) {
    console.error(usage);
    return exitCodes.misuse;
  }
  const unknown = asked.find((name) => name !== "all" && !names.includes(name));
  if (unknown !== undefined) {
    console.error(`servers: there is no server "${unknown}" to install (${names.join(", ")})`);
    return exitCodes.misuse;
  }
  for (const recipe of recipes.filter(
    ({ name, byName }) => asked.includes(name) || (asked.includes("all") && !byName),
  )) {
    await install(recipe, world);
  }
  return exitCodes.ok;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ProvisionError)) throw error;
  console.error(`servers: ${error.message}`);
  // A machine that cannot have a server is told apart from an installation that broke.
  process.exitCode = error.reason === "unfit" ? exitCodes.unfit : exitCodes.failed;
}
