import { defineConfig } from "vitest/config";
import { tableReporter } from "./test/clients/table-reporter.ts";

const everyRun = ["codex", "openai", "ai", "ollama"];
const onRequest = ["opencode", "qwen-code"];
const named = process.env["LAB_TEST_CLIENTS"] === "all" ? [...everyRun, ...onRequest] : everyRun;

// Real clients: provisioned by `npm run clients -- install …`, run by the tests against `lab adapter` as a process of its own.
export default defineConfig({
  test: {
    include: named.map((name) => `test/clients/${name}.test.ts`),
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ["default", tableReporter()],
  },
});
