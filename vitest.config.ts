import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real servers have a run of their own: npm run test:servers.
    exclude: [...configDefaults.exclude, "test/servers/**"],
    testTimeout: 30_000,
    reporters: process.env["CI"] ? ["default"] : ["default"],
  },
});
