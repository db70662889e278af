// Compiles src to dist and makes the binary executable: plain tsc, so that dist mirrors src and stack traces are honest.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", `${root}tsconfig.build.json`], {
  stdio: "inherit",
});
chmodSync(`${root}dist/cli/main.js`, 0o755);
