// npm run test:clients [-- --all] [more for vitest]: real clients through the adapter; --all takes OpenCode and Qwen Code, too.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const given = process.argv.slice(2);
const rest = given.filter((word) => word !== "--all");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", "vitest.clients.config.ts", ...rest], {
  stdio: "inherit",
  env: { ...process.env, ...(given.includes("--all") ? { LAB_TEST_CLIENTS: "all" } : {}) },
});
process.exitCode = status ?? 1;
