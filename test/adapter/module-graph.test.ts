import { readdirSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const builtin = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);
/** Static imports, re-exports, dynamic imports and require, as they are written; types too, which errs on the safe side. */
const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]+)["']/g;

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every core module that can be reached from the files, packages included, with one way to it. */
function reachable(files: readonly string[]): {
  readonly core: ReadonlyMap<string, readonly string[]>;
  readonly seen: number;
} {
  const core = new Map<string, readonly string[]>();
  const seen = new Set<string>();
  const queue: { readonly file: string; readonly path: readonly string[] }[] = files.map((file) => ({
    file,
    path: [file],
  }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { file, path } = next;
    if (seen.has(file)) continue;
    seen.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(specifier)) {
      if (builtin.has(name)) {
        const bare = name.replace(/^node:/, "");
        if (!core.has(bare)) core.set(bare, path);
        continue;
      }
      const target = locate(name, file);
      if (target !== null) queue.push({ file: target, path: [...path, target] });
    }
  }
  return { core, seen: seen.size };
}

function locate(name: string, from: string): string | null {
  if (name.startsWith(".") && from.endsWith(".ts")) return resolve(dirname(from), name);
  try {
    const found =
      name.startsWith(".") || name.startsWith("/") ? createRequire(from).resolve(name) : resolvePackage(name, from);
    return /\.(?:[cm]?js|ts)$/.test(found) ? found : null;
  } catch {
    // A word in a comment, or a part of a package that is not installed.
    return null;
  }
}

function resolvePackage(name: string, from: string): string {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return fileURLToPath(import.meta.resolve(name));
  }
}

it("the adapter cannot reach child_process, not even through a package", () => {
  const { core, seen } = reachable(filesIn(join(root, "src/adapter")));
  expect(seen).toBeGreaterThan(200);
  // The walk goes through packages: the metrics library reaches this one.
  expect([...core.keys()]).toContain("perf_hooks");
  for (const forbidden of ["child_process", "worker_threads", "vm"])
    expect({ forbidden, path: core.get(forbidden) }).toEqual({ forbidden, path: undefined });
});

it("no file of the adapter names a core module: what it needs of the world is given to it", () => {
  for (const file of filesIn(join(root, "src/adapter")))
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(specifier))
      expect({ file, core: builtin.has(name) }).toEqual({ file, core: false });
});

it("finds child_process where it can be reached", () => {
  expect(reachable(filesIn(join(root, "src/testbed"))).core.has("child_process")).toBe(true);
});
