// Compiles src to dist, which mirrors it, and bundles the program, dist/cli: the hundreds of files that make it would be found,
// read and linked one by one at each start.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
/** Libraries of many small files that most commands load, with what they need: the program takes their parts along. */
const bundled = [
  "zod",
  "ajv",
  "fast-deep-equal",
  "fast-uri",
  "json-schema-traverse",
  "csv-stringify",
  "string-width",
  "get-east-asian-width",
  "strip-ansi",
  "ansi-regex",
  "emoji-regex",
  "fastest-levenshtein",
  "picocolors",
  "undici",
];

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
    external: (id) => !/^[./]/.test(id) && !bundled.some((name) => id === name || id.startsWith(`${name}/`)),
    onLog(level, log) {
      if (level !== "debug") throw new Error(`bundling the program: ${log.message}`);
    },
  });
  // As deep as the modules whose text they hold: what these look for beside themselves is found from there, too.
  const { output } = await bundle.write({ dir: folder, format: "esm", chunkFileNames: "parts/[name].js" });
  await bundle.close();
  checkImports(output.flatMap((part) => (part.type === "chunk" ? [...part.imports, ...part.dynamicImports] : [])));
  for (const name of bundled) copyLicense(name, join(folder, "licenses"));
  rmSync(join(dist, "cli"), { recursive: true });
  renameSync(folder, join(dist, "cli"));
}

/** What a library needs is sure to be there only where it is a dependency of ours or bundled, too. @throws where it is neither */
function checkImports(imports) {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packageOf = (id) => id.replace(/^((?:@[^/]+\/)?[^/]+).*/, "$1");
  const foreign = imports.filter((id) => !/^(?:parts\/|node:)/.test(id) && !(packageOf(id) in dependencies));
  if (foreign.length > 0) throw new Error(`bundling the program: ${[...new Set(foreign)].join(", ")} is no dependency`);
}

/** Each library's licence asks that it goes where the library goes. @throws where a library has none */
function copyLicense(name, folder) {
  const library = join(root, "node_modules", name);
  const file = readdirSync(library).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`bundling the program: ${name} comes without a licence`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(library, file), join(folder, `${name}.txt`));
}
