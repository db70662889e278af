import { defineConfig } from "vitest/config";

// Real servers: provisioned by `npm run servers -- install all`, started by the tests. Files one after the other, because
// two servers on two cores measure each other.
export default defineConfig({
  test: {
    include: ["test/servers/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
