#!/usr/bin/env node
// The built program starts here: V8 gets its settings, and back what it compiled at an earlier start of the same command.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { cacheFolder } from "../testbed/provision/cache.ts";
import { CompileCache } from "./compile-cache.ts";
import { exitCodes } from "./errors.ts";

/** Digest of all files of the program; the build puts it in. */
declare const programDigest: string;

const folder = fileURLToPath(new URL(".", import.meta.url));
const [command = ""] = process.argv.slice(2);
const serves = command === "adapter" || command === "simulate";

// The lab shares its machine with the server that it measures. V8 would let what is garbage grow to four times what is in use
// before it looks; looking twice as early costs no time that shows and a fifth less memory.
setFlagsFromString("--heap-growing-percent=100");
// A command that ends after seconds does not earn back what the optimizing compilers take of a second core.
if (!serves) {
  // The parser of the HTTP client is WebAssembly: to optimize it takes 30 MB, and many times as long as a short command runs it.
  setFlagsFromString("--liftoff-only");
  // JavaScript has to run five times as often as V8 would ask before it is optimized. Later versions wait by themselves and have
  // no such flag.
  if (process.version.startsWith("v20.")) setFlagsFromString("--interrupt-budget=330000");
}

const cache = new CompileCache(cacheFile());
process.once("exit", (exitCode) => {
  // A command line with a mistake in it ran next to nothing, perhaps under no command's name.
  if (exitCode !== exitCodes.misuse) cache.keep();
});
const requireOther = createRequire(import.meta.url);
const modules = new Map<string, { exports: unknown }>();
load(join(folder, "program.cjs"));

/** One for each command, as each runs other parts of the program. */
function cacheFile(): string | null {
  // A command that serves sets more flags on its way, and its start is a small part of its life.
  if (serves || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) return null;
  const word = /^[a-z]+$/.test(command) ? command : "none";
  try {
    return join(cacheFolder(process.env), "program", [programDigest, process.version, process.arch, word].join("-"));
  } catch {
    // A user without a home.
    return null;
  }
}

/** What `require` does, with the files of the program compiled by way of the cache. */
function load(file: string): unknown {
  const loaded = modules.get(file);
  if (loaded !== undefined) return loaded.exports;
  const module = { exports: {} };
  modules.set(file, module);
  const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, "utf8")}\n})`;
  const beside = dirname(file);
  const requireFrom = (name: string) => (name.startsWith(".") ? load(join(beside, name)) : requireOther(name));
  const run = cache.compile(relative(folder, file), source, file).runInThisContext();
  run(module.exports, requireFrom, module, file, beside);
  return module.exports;
}
