// npm run test:servers [-- --vllm] [-- vitest's own words]: real servers with scripted models. vLLM only where it is asked for;
// exit 3 where what was asked for is not installed, so that nothing counts as tested that was not.
import { spawnSync } from "node:child_process";
import { cacheFolder } from "../src/testbed/provision/cache.ts";
import { recipes } from "../src/testbed/provision/index.ts";
import { installedServer } from "../src/testbed/provision/install.ts";

const given = process.argv.slice(2);
const wantsVllm = given.includes("--vllm") || process.env.LAB_TEST_VLLM === "1";
const wanted = recipes.filter(({ name, byName }) => !byName || (name === "vllm" && wantsVllm));
const missing = [];
for (const recipe of wanted) {
  if ((await installedServer(recipe, cacheFolder(process.env))) !== null) continue;
  const problem = await recipe.unfit({
    env: process.env,
    cache: cacheFolder(process.env),
    seconds: () => 0,
    say: () => {},
  });
  missing.push(`${recipe.name} is not installed: ${problem ?? `npm run servers -- install ${recipe.name}`}`);
}
if (missing.length > 0) {
  console.error(`real servers: not tested. ${missing.join("; ")}`);
  process.exit(3);
}
if (!wantsVllm) console.log("real servers: vLLM is left out; npm run test:servers -- --vllm takes it in");
const { status } = spawnSync(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "vitest.servers.config.ts",
    ...given.filter((word) => word !== "--vllm"),
  ],
  { stdio: "inherit", env: { ...process.env, ...(wantsVllm ? { LAB_TEST_VLLM: "1" } : {}) } },
);
process.exitCode = status ?? 1;
