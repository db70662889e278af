import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type CommandOptions, runCommand } from "./run-command.ts";

/** A shared library that torch was linked against and that is not installed: what has to be put in its place. */
export interface MissingLibrary {
  readonly soname: string;
  /** Symbols it must define, each with its symbol version ("" where it has none). */
  readonly symbols: ReadonlyMap<string, string>;
  /** Symbol versions it must define, even those without a symbol that is asked for. */
  readonly versions: readonly string[];
}

/** What the binary tools say of one library. */
export interface LibraryFacts {
  readonly path: string;
  readonly needed: readonly string[];
  readonly defined: readonly string[];
  /** Undefined symbols by their version; weak ones, which may stay undefined, are left out. */
  readonly undefined: ReadonlyMap<string, string>;
  /** Which needed library owns a symbol version. */
  readonly versionOwners: ReadonlyMap<string, string>;
}

const nvidiaLibrary = /^lib(?:cu|nv|nccl)/;
const nvidiaSymbol = /^(?:cu|nvrtc|nvJit|nccl|nvshmem|__cu|cupti)/i;
const givesText = /Get(?:Error|Status|LastError)(?:String|Name)$|ErrorString$/;
const asksForLastError = new Set(["cudaGetLastError", "cudaPeekAtLastError"]);
/** "No CUDA device": with it torch says that CUDA is not available and uses the CPU. */
const noDevice = 100;

/**
 * Makes the CUDA build of torch importable without NVIDIA's wheels (2 GB): writes one empty library per missing one, whose
 * functions all answer "no CUDA device". Needs a C compiler, `nm` and `readelf`. Returns the names written. Throws ProvisionError.
 */
export async function writeCudaStubs(sitePackages: string, options: CommandOptions): Promise<readonly string[]> {
  const torch = join(sitePackages, "torch");
  const libraries = join(torch, "lib");
  const paths = [
    ...(await sharedLibraries(libraries)).map((name) => join(libraries, name)),
    ...(await sharedLibraries(torch)).filter((name) => name.startsWith("_C")).map((name) => join(torch, name)),
  ];
  const facts = await Promise.all(paths.map((path) => libraryFacts(path, options)));
  const missing = missingLibraries(facts);
  const folder = await mkdtemp(join(tmpdir(), "lab-stubs-"));
  try {
    for (const library of missing) {
      const source = join(folder, "stub.c");
      const map = join(folder, "stub.map");
      await writeFile(source, stubSource(library));
      await writeFile(map, versionScript(library));
      const linker = [`-Wl,-soname,${library.soname}`, `-Wl,--version-script,${map}`];
      const target = join(libraries, library.soname);
      await runCommand("gcc", ["-w", "-shared", "-fPIC", "-O0", "-o", target, source, ...linker], options);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return missing.map(({ soname }) => soname);
}

async function sharedLibraries(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.so(?:\.|$)/.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

async function libraryFacts(path: string, options: CommandOptions): Promise<LibraryFacts> {
  const [dynamic, defined, undefinedSymbols, versions] = await Promise.all([
    runCommand("readelf", ["-d", "-W", path], options),
    runCommand("nm", ["-D", "--defined-only", path], options),
    runCommand("nm", ["-D", "--undefined-only", path], options),
    runCommand("readelf", ["-V", "-W", path], options),
  ]);
  return {
    path,
    needed: [...dynamic.matchAll(/\(NEEDED\).*\[(.*?)\]/g)].map((match) => match[1] ?? ""),
    defined: readSymbols(defined).map(({ name }) => name),
    undefined: new Map(
      readSymbols(undefinedSymbols)
        .filter(({ type }) => type !== "w")
        .map(({ name, version }) => [name, version]),
    ),
    versionOwners: readVersionOwners(versions),
  };
}

function readSymbols(
  output: string,
): readonly { readonly name: string; readonly version: string; readonly type: string }[] {
  return output
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length >= 2)
    .map((fields) => {
      const [name = "", version = ""] = (fields.at(-1) ?? "").replace("@@", "@").split("@");
      return { name, version, type: fields.at(-2) ?? "" };
    });
}

/** Reads the "needs" section of `readelf -V`: blocks that begin with a file and list its versions. */
function readVersionOwners(output: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const block of output.split(" File: ").slice(1)) {
    const soname = block.split(/\s/, 1)[0] ?? "";
    for (const match of block.matchAll(/Name: (\S+)/g)) owners.set(match[1] ?? "", soname);
  }
  return owners;
}

/** Which NVIDIA libraries are not there and what the others want of them. */
export function missingLibraries(facts: readonly LibraryFacts[]): readonly MissingLibrary[] {
  const present = new Set(facts.map(({ path }) => basename(path)));
  const needed = new Set(facts.flatMap((library) => library.needed));
  const sonames = [...needed].filter((name) => nvidiaLibrary.test(name) && !present.has(name)).sort();
  const defined = new Set(facts.flatMap((library) => library.defined));
  const owners = new Map(facts.flatMap((library) => [...library.versionOwners]));
  const symbols = new Map(sonames.map((soname) => [soname, new Map<string, string>()]));
  const wanted = new Map(facts.flatMap((library) => [...library.undefined]));
  for (const [name, version] of [...wanted].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (defined.has(name)) continue;
    const owner = owners.get(version);
    if (owner !== undefined) symbols.get(owner)?.set(name, version);
    // Without a version nobody can say whose it is, and the loader does not ask: any library will do.
    else if (version === "" && nvidiaSymbol.test(name)) symbols.get(sonames[0] ?? "")?.set(name, "");
  }
  return sonames.map((soname) => ({
    soname,
    symbols: symbols.get(soname) ?? new Map<string, string>(),
    versions: [...owners]
      .filter(([, owner]) => owner === soname)
      .map(([version]) => version)
      .sort(),
  }));
}

/** C source in which every function answers that there is no device. */
export function stubSource({ symbols }: MissingLibrary): string {
  const functions = [...symbols.keys()].map((name) => {
    if (givesText.test(name)) return `const char *${name}(void) { return "no CUDA device (stub)"; }`;
    return `long ${name}(void) { return ${asksForLastError.has(name) ? 0 : noDevice}; }`;
  });
  return `${functions.join("\n")}\n`;
}

/** Linker script that gives each symbol the version under which it is asked for. */
export function versionScript({ symbols, versions }: MissingLibrary): string {
  if (versions.length === 0) return "{ global: *; };\n";
  return versions
    .map((version) => {
      const names = [...symbols].filter(([, wanted]) => wanted === version).map(([name]) => `${name};`);
      return names.length === 0 ? `${version} { };\n` : `${version} { global: ${names.join(" ")} };\n`;
    })
    .join("");
}
