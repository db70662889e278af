// Compiles src to dist, which mirrors it, and bundles the program, dist/cli: the hundreds of files that make it would be found,
// read and linked one by one at each start.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
/** The library of which the program takes its parts along; every other one is the installed one. */
const bundled = "zod";

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });
await bundleProgram();
chmodSync(join(dist, "cli/main.js"), 0o755);

/** Names stay as they are written, so that a stack trace can be read. */
async function bundleProgram() {
  const folder = join(dist, "program");
  const bundle = await rolldown({
    input: join(dist, "cli/main.js"),
    platform: "node",
    external: (id) => !/^[./]/.test(id) && id !== bundled && !id.startsWith(`${bundled}/`),
    onLog(level, log) {
      if (level !== "debug") throw new Error(`bundling the program: ${log.message}`);
    },
  });
  // As deep as the modules whose text they hold: what these look for beside themselves is found from there, too.
  await bundle.write({ dir: folder, format: "esm", chunkFileNames: "parts/[name].js" });
  await bundle.close();
  copyFileSync(join(root, "node_modules", bundled, "LICENSE"), join(folder, "parts", `LICENSE-${bundled}`));
  rmSync(join(dist, "cli"), { recursive: true });
  renameSync(folder, join(dist, "cli"));
}
