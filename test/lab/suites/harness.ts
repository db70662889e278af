import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { classifyCapture } from "../../../src/lab/classify/classify-capture.ts";
import { conclude } from "../../../src/lab/conclude.ts";
import type { Diagnosis } from "../../../src/lab/diagnose/diagnosis.ts";
import { type JudgedSample, judgedSample } from "../../../src/lab/diagnose/judged-sample.ts";
import type { RunOptions } from "../../../src/lab/run.ts";
import { type LoadedScenarios, loadScenarios } from "../../../src/lab/scenario/load.ts";
import type { Summary } from "../../../src/lab/stats/summary.ts";
import type { Handler } from "../../../src/protocol/handler.ts";
import { simulate } from "../../simulator/support.ts";
import { runInto, scratch, target } from "../run/harness.ts";

export { scratch, target };

/** Independent repetitions of each check: few in every run of the tests, many where a number is wanted for a note. */
export const repetitions =
  process.env["LAB_TEST_LONG"] === undefined ? Number(process.env["LAB_TEST_REPETITIONS"] ?? 30) : 300;

export const loaded: LoadedScenarios = loadScenarios([]);

interface Profile {
  readonly server: Readonly<Record<string, unknown>>;
  readonly models: {
    readonly sound: { readonly format: string; readonly rules: readonly unknown[]; readonly [key: string]: unknown };
  };
}

const sound = parse(readFileSync("scenarios/profiles/sound.yaml", "utf8")) as Profile;

/** What is changed in the sound profile: its server, its model, and rules that come before its own. */
export interface Planted {
  readonly server?: Readonly<Record<string, unknown>>;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
  /** Stands before the server. */
  readonly before?: (inner: Handler) => Handler;
}

/** The sound profile with faults planted in it. */
export function planted(
  { server = {}, model = {}, rules = [], before = (inner) => inner }: Planted = {},
  seed = "test",
): Handler {
  const handler = simulate(
    {
      server: { ...sound.server, ...server },
      models: { sound: { ...sound.models.sound, ...model, rules: [...rules, ...sound.models.sound.rules] } },
    },
    seed,
  );
  return before(handler);
}

/** The sound profile with its model under several names. */
export function soundServer(...names: readonly string[]): Handler {
  const models = Object.fromEntries(names.map((name) => [name, sound.models.sound]));
  return simulate({ server: sound.server, models }, "test");
}

/** Runs suites against a server once, and gives back what the run came to. */
export async function suiteRun(
  handler: Handler,
  suites: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Summary> {
  await using root = await scratch();
  const { result } = await runInto(root.path, [target("t", "sound", handler)], {
    scenarios: loaded,
    suites,
    onlyScenarios: undefined,
    trials: 1,
    concurrency: 8,
    ...options,
  });
  return result.summary;
}

/**
 * What each of so many independent repetitions comes to: `trials` trials of every cell, with seeds, nonces and draws of their own.
 * They are sent in one run and concluded one by one, as a run of its own would conclude them.
 */
export async function repeatedDiagnoses(
  handler: Handler,
  suite: string,
  { trials = 1 }: { readonly trials?: number } = {},
): Promise<readonly (readonly Diagnosis[])[]> {
  await using root = await scratch();
  const { result, stored } = await runInto(root.path, [target("t", "sound", handler)], {
    scenarios: loaded,
    suites: [suite],
    onlyScenarios: undefined,
    trials: trials * repetitions,
    concurrency: 8,
  });
  if (result.measured < result.planned)
    throw new Error(`${result.measured} of ${result.planned} measured: ${result.summary.exclusions[0]?.detail ?? ""}`);
  const groups = new Map<number, JudgedSample[]>();
  for await (const capture of stored.captures()) {
    const { facts } = stored.record.targets.find(({ name }) => name === capture.target) ?? {};
    if (facts === undefined) throw new Error("the target was not kept");
    const group = Math.floor((capture.trial - 1) / trials);
    groups.set(group, [...(groups.get(group) ?? []), judgedSample(capture, classifyCapture(capture, facts))]);
  }
  return [...groups.values()].map((samples) => conclude(stored.record, samples).diagnoses);
}

/** Diagnoses as a table names them. */
export function named(diagnoses: readonly Diagnosis[]): readonly string[] {
  return diagnoses.map(({ code, owner, fix }) => `${code} ${owner}${fix === null ? "" : ` ${fix.option}`}`);
}
