// Compiles src to dist, which mirrors it, and bundles the program, dist/cli: the hundreds of files that make it would be found,
// read and linked one by one at each start.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
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
  "yaml",
  "yargs",
  "yargs-parser",
  "y18n",
  "cliui",
  "wrap-ansi",
  "ansi-styles",
  "color-convert",
  "color-name",
  "is-fullwidth-code-point",
  "escalade",
  "get-caller-file",
  "require-directory",
];

/** A `require` of a module's own is the bundle's: what it asks for is bundled, too, and still runs only when it is asked for. */
const lazyRequire = {
  name: "lazy-require",
  transform: (code) => code.replace("const require = createRequire(import.meta.url);\n", ""),
};

/** A file that is bundled other than it is written: a plugin that stops the build where the file is written otherwise by now. */
const rewriting = (file, rewrite) => ({
  name: `rewriting ${file}`,
  transform(code, id) {
    if (!id.endsWith(file)) return null;
    const rewritten = rewrite(code);
    if (rewritten === null) throw new Error(`bundling the program: ${file} is not what it was; see scripts/build.mjs`);
    return rewritten;
  },
});

/** Patterns of schemas are rare, and their engine takes a hundredth of a second to load: where one is compiled, it is loaded. */
const lazyPatterns = rewriting("protocol/tool-arguments.js", (code) => {
  const [before, after, ...further] = code.split('import { RE2JS } from "re2js";\n');
  // A use that stayed would fail at run time, where a pattern that cannot be compiled goes unchecked.
  if (after === undefined || further.length > 0 || /RE2JS(?!\.)/.test(after)) return null;
  return before + after.replaceAll("RE2JS.", 'require("re2js").RE2JS.');
});

/** The texts of yargs, which it looks for beside its own file, lie beside the program. */
const yargsLocales = rewriting("yargs/build/index.cjs", (code) => {
  const rewritten = code.replace('__dirname,"../locales"', '__dirname,"locales"');
  return rewritten === code ? null : rewritten;
});

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });
await bundleProgram();
chmodSync(join(dist, "cli/main.js"), 0o755);

/**
 * The program in parts that V8 can take back compiled (src/cli/launch.ts), which it cannot of ES modules. Names stay as they are
 * written, so that a stack trace can be read.
 */
async function bundleProgram() {
  const folder = join(dist, "program");
  const options = {
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !bundled.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [lazyRequire, lazyPatterns, yargsLocales],
    onLog(level, log) {
      if (level !== "debug") throw new Error(`bundling the program: ${log.message}`);
    },
  };
  // As deep as the modules whose text they hold: what these look for beside themselves is found from there, too.
  const files = {
    format: "cjs",
    entryFileNames: "program.cjs",
    chunkFileNames: "parts/[name].cjs",
    dynamicImportInCjs: false,
  };
  const parts = await write({ ...options, input: join(dist, "cli/main.js") }, { ...files, dir: folder });
  checkImports(parts);
  const digest = createHash("sha256");
  for (const { code } of parts) digest.update(code);
  await write(
    {
      ...options,
      input: join(dist, "cli/launch.js"),
      transform: { define: { programDigest: JSON.stringify(digest.digest("hex").slice(0, 16)) } },
    },
    { format: "esm", file: join(folder, "main.js") },
  );
  for (const language of ["en", "ja"])
    cpSync(join(root, `node_modules/yargs/locales/${language}.json`), join(folder, `locales/${language}.json`));
  for (const name of bundled) copyLicense(name, join(folder, "licenses"));
  rmSync(join(dist, "cli"), { recursive: true });
  renameSync(folder, join(dist, "cli"));
}

async function write(input, output) {
  const bundle = await rolldown(input);
  const written = await bundle.write(output);
  await bundle.close();
  return written.output.filter(({ type }) => type === "chunk");
}

/** What a library needs is sure to be there only where it is a dependency of ours or bundled, too. @throws where it is neither */
function checkImports(parts) {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const own = new Set(parts.map(({ fileName }) => fileName));
  const packageOf = (id) => id.replace(/^((?:@[^/]+\/)?[^/]+).*/, "$1");
  const foreign = parts
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((id) => !own.has(id) && !id.startsWith("node:") && !(packageOf(id) in dependencies));
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
