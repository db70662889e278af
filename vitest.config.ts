import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real servers and clients have runs of their own: npm run test:servers, npm run test:clients.
    exclude: [...configDefaults.exclude, "test/servers/**", "test/clients/**"],
    // Generous: a busy machine is slow, and nothing here asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env["CI"] ? ["default"] : ["default"],
  },
});
