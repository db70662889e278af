import { mkdir, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { install } from "./install.ts";
import { llamaServerRecipe } from "./llama-server.ts";
import { thisPlatform, wheelProblem } from "./platform.ts";
import type { Recipe } from "./recipe.ts";
import { firstProgram, runCommand } from "./run-command.ts";

const version = "0.34.2";
const module = "github.com/ollama/ollama";

/**
 * Ollama built from its Go module, with the llama-server of {@link llamaServerRecipe} as its runner. What Go decides
 * (templates, builtin parsers, errors, truncation) is Ollama's own; the native path is that of the older runner.
 */
export const ollamaRecipe: Recipe = {
  name: "ollama",
  version,
  source: `the Go module ${module} v${version} and building it (about a minute)`,
  unfit: async (world) => {
    const problem = wheelProblem(thisPlatform());
    if (problem !== null) return `its runner does not fit: ${problem}`;
    const missing: string[] = [];
    if ((await firstProgram(["go"], "version", world)) === null) missing.push("go");
    if ((await firstProgram(["cc", "gcc", "clang"], "--version", world)) === null) missing.push("a C compiler (cc)");
    return missing.length === 0 ? null : `${missing.join(" and ")} was not found; Ollama is built from source`;
  },
  fill: async (folder, world) => {
    const runner = await install(llamaServerRecipe, world);
    const build = join(folder, "build");
    const bin = join(folder, "bin");
    await mkdir(build, { recursive: true });
    const env = {
      ...world.env,
      GOPATH: join(build, "go"),
      GOCACHE: join(build, "cache"),
      GOBIN: bin,
      GOFLAGS: "-buildvcs=false -modcacherw",
    };
    // Without the version in the linker flags the server calls itself 0.0.0.
    const flags = `-s -w -X ${module}/version.Version=${version}`;
    try {
      await runCommand("go", ["install", "-ldflags", flags, `${module}@v${version}`], { env, cwd: folder });
    } finally {
      // Sources and build cache are twenty times the size of the binary and of no further use.
      await rm(build, { recursive: true, force: true });
    }
    // The runner is looked for beside the binary's folder, never on the PATH.
    await mkdir(join(folder, "lib"), { recursive: true });
    await symlink(runner.paths["libraries"] ?? "", join(folder, "lib", "ollama"));
    const binary = join(bin, "ollama");
    const { size } = await stat(binary);
    return { paths: { binary, runner: join(folder, "lib", "ollama") }, bytes: { binary: size } };
  },
};
