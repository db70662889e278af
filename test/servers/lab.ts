import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import type { Calibration } from "../../src/lab/calibration/calibration.ts";
import { openRun, type StoredRun } from "../../src/lab/capture/open-run.ts";
import { fakeWorld } from "../cli/fake-world.ts";

export interface LabDiagnosis {
  readonly code: string;
  readonly owner: string;
  readonly fix: string | null;
  readonly samples: readonly string[];
  readonly sentence: string;
}

export interface LabCell {
  readonly suite: string;
  readonly arm: string;
  readonly class: string;
  readonly stream: boolean;
  readonly measured: number;
  readonly planned: number;
  readonly attempted: number;
  readonly delivered: number;
  readonly notTestable: boolean;
}

/** What `lab … --json` said, and the run that it left behind. */
export interface LabResult {
  readonly code: number;
  readonly err: string;
  readonly json: { readonly cells: readonly LabCell[]; readonly diagnoses: readonly LabDiagnosis[] };
  readonly run: StoredRun;
}

/** `lab calibrate … --json`, as it is typed: its exit code and the calibration. */
export async function calibrateLab(argv: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    const world = realWorld(["calibrate", ...argv, "--json", "--quiet", "--out", folder]);
    const code = await program(commands, world);
    if (world.out() === "") throw new Error(`no calibration was printed: ${world.err()}`);
    return { code, err: world.err(), calibration: JSON.parse(world.out()) as Calibration };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function realWorld(argv: readonly string[]) {
  return fakeWorld({
    argv,
    cwd: process.cwd(),
    env: process.env,
    clock: { now: () => performance.now(), date: () => new Date() },
  });
}

/** Runs the program as it is typed, with `--json` and a folder of its own that goes when `use` is done. */
export async function lab<Result>(
  argv: readonly string[],
  use: (result: LabResult) => Promise<Result> | Result,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "lab-servers-"));
  try {
    const world = realWorld([...argv, "--json", "--quiet", "--out", folder]);
    const code = await program(commands, world);
    const [run] = (await readdir(folder)).filter((name) => !name.includes("."));
    if (run === undefined) throw new Error(`no run was left: ${world.err()}`);
    return await use({
      code,
      err: world.err(),
      json: JSON.parse(world.out()) as LabResult["json"],
      run: await openRun(join(folder, run)),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
