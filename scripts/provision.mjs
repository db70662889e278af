// What `npm run servers` and `npm run clients` share: install NAME… | list, into the cache.
import { makeFolder } from "../src/lab/capture/make-folder.ts";
import { cacheFolder } from "../src/testbed/provision/cache.ts";
import { folderOf, install, installedServer } from "../src/testbed/provision/install.ts";
import { ProvisionError } from "../src/testbed/provision/provision-error.ts";

const exitCodes = { ok: 0, failed: 1, misuse: 2, unfit: 4 };

/** Runs `npm run COMMAND -- …` over these recipes and sets the exit code; `kind` is what one of them is called. */
export async function provision({ command, kind, recipes, argv }) {
  const say = (line) => console.log(line);
  const complain = (line) => console.error(`${command}: ${line}`);
  const names = recipes.map((recipe) => recipe.name);
  const world = {
    env: process.env,
    cache: cacheFolder(process.env),
    seconds: () => performance.now() / 1000,
    say,
  };

  async function run([verb, ...asked]) {
    if (verb === "list" && asked.length === 0) {
      for (const recipe of recipes) {
        const there = await installedServer(recipe, world.cache);
        say(`${recipe.name} ${recipe.version}: ${there === null ? "not installed" : folderOf(recipe, world.cache)}`);
      }
      return exitCodes.ok;
    }
    if (verb !== "install" || asked.length === 0) {
      console.error(`usage: npm run ${command} -- install ${names.join("|")}|all, or npm run ${command} -- list`);
      return exitCodes.misuse;
    }
    const unknown = asked.find((name) => name !== "all" && !names.includes(name));
    if (unknown !== undefined) {
      complain(`there is no ${kind} "${unknown}" to install (${names.join(", ")})`);
      return exitCodes.misuse;
    }
    try {
      await makeFolder(world.cache);
    } catch (error) {
      complain(`the cache cannot be made: ${error.message}; name another folder with HARNESS_LAB_CACHE`);
      return exitCodes.failed;
    }
    let code = exitCodes.ok;
    const wanted = ({ name, byName }) => asked.includes(name) || (asked.includes("all") && !byName);
    for (const recipe of recipes.filter(wanted)) {
      try {
        await install(recipe, world);
      } catch (error) {
        if (!(error instanceof ProvisionError)) throw error;
        complain(error.message);
        // A machine that cannot have one is told apart from an installation that broke; the others are installed all the same.
        const failed = error.reason === "unfit" ? exitCodes.unfit : exitCodes.failed;
        if (code !== exitCodes.failed) code = failed;
      }
    }
    return code;
  }

  process.exitCode = await run(argv);
}
