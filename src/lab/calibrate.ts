import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KnownPart, KnownSetUp, KnownTruth, TruthReader } from "../protocol/known-truth.ts";
import type {
  Calibration,
  ConformanceCell,
  ScriptForm,
  SetUpCalibration,
  SideAnswer,
} from "./calibration/calibration.ts";
import { checkSamples } from "./calibration/check-samples.ts";
import { scriptedScenario } from "./calibration/scripted-scenarios.ts";
import { askSideQuestions, askWithoutTools } from "./calibration/side-questions.ts";
import type { Capture } from "./capture/capture.ts";
import { openRun } from "./capture/open-run.ts";
import { runFiles } from "./capture/store.ts";
import type { Classification } from "./classify/classification.ts";
import { type RunOptions, type RunResult, type RunTarget, run } from "./run.ts";

/** A server with scripted models on it. */
export interface CalibratedTarget {
  readonly setUp: KnownSetUp;
  readonly target: RunTarget;
  /** What starts the server so, for people. */
  readonly start: string;
}

export interface CalibrateOptions
  extends Omit<RunOptions, "targets" | "suites" | "onlyScenarios" | "request" | "trials" | "shapes" | "languages"> {
  readonly targets: readonly CalibratedTarget[];
  readonly scripts: readonly KnownTruth[];
  /** The text in a question that asks the model for a script. */
  readonly marker: (script: string) => string;
  /** Reads the truth; it has no part in the lab's own judgement, nor the lab in it. */
  readonly truth: TruthReader;
}

/** What a calibration leaves: the run it made, and what was found. */
export interface CalibrateResult {
  readonly calibration: Calibration;
  readonly result: RunResult;
}

/**
 * What the measured requests of a kind of server carry for a scripted model. llama-server is otherwise asked to work out every
 * prompt anew (`cache_prompt:false`), since a real model writes other words after a prompt that was cached. A scripted model has
 * one layer, whose keys and values depend on a token and its place alone: the same table comes out with the cache, in half the time.
 */
const scriptedKeys: Readonly<Partial<Record<KnownSetUp["server"], Readonly<Record<string, unknown>>>>> = {
  "llama-server": { cache_prompt: true },
};

/** Suites of a calibration: with a marker and without, under every tool_choice, streamed and not. */
export const calibrationSuites = ["contract-matrix", "parser-mismatch"] as const;

/**
 * Measures servers whose models write what is known beforehand: what the server made of every script, and how often the
 * lab's own judgement was right. Leaves a complete run folder with `calibration.json` in it. @throws StoreError
 */
export async function calibrate(options: CalibrateOptions): Promise<CalibrateResult> {
  const { targets, scripts, marker, truth, scenarios, overrides, store, signal } = options;
  const side = new Map<string, readonly SideAnswer[]>();
  const withoutTools = new Map<string, readonly ConformanceCell[]>();
  const asked = scripts.map((script) => scriptedScenario(script, marker(script.script)));
  const result = await run({
    ...options,
    targets: targets.map(({ setUp, target }) => ({
      ...target,
      prepare: async () => {
        await target.prepare?.();
        const { handler, apiPrefix, model, headers } = target;
        const context = { handler, apiPrefix, model, headers, setUp, scripts, truth, marker, signal };
        side.set(target.name, await askSideQuestions(context));
        withoutTools.set(target.name, await askWithoutTools(context));
      },
    })),
    // All targets of a calibration are of one kind.
    overrides: { ...overrides, body: { ...scriptedKeys[targets[0]?.setUp.server ?? "vllm"], ...overrides.body } },
    suites: calibrationSuites,
    scenarios: { ...scenarios, scenarios: [...scenarios.scenarios, ...asked] },
    onlyScenarios: asked.map(({ id }) => id),
    trials: 1,
    shapes: ["small"],
    languages: ["en"],
  });
  const stored = await openRun(store.folder);
  const captures = new Map<string, Capture[]>(targets.map(({ target }) => [target.name, []]));
  for await (const capture of stored.captures()) captures.get(capture.target)?.push(capture);
  const classifications = new Map<string, Classification>();
  for await (const each of stored.classifications<Classification>()) classifications.set(each.id, each);
  const calibration: Calibration = {
    schemaVersion: 1,
    run: stored.record.run,
    scripts: scripts.map(formOf),
    setUps: targets.map(({ setUp, target, start }): SetUpCalibration => {
      const own = captures.get(target.name) ?? [];
      const { checked, cells } = checkSamples({ setUp, scripts, captures: own, classifications }, truth);
      const met = stored.record.targets.find(({ name }) => name === target.name);
      return {
        setUp,
        target: target.name,
        version: met?.facts.version ?? null,
        start,
        cells: [...cells, ...(withoutTools.get(target.name) ?? [])],
        checked,
        side: side.get(target.name) ?? [],
        unmet: stored.record.unmet.find((each) => each.target === target.name)?.line ?? null,
      };
    }),
  };
  await writeFile(join(store.folder, runFiles.calibration), `${JSON.stringify(calibration)}\n`, { mode: 0o600 });
  return { calibration, result };
}

/** What a script is, as the rows of the matrix tell it. */
function formOf({ script, text, parts }: KnownTruth): ScriptForm {
  const [only, ...others] = parts;
  const alone = only !== undefined && others.length === 0 && only.start === 0 && only.end === text.length;
  const holds = alone ? holdsOf(only) : parts.length === 0 && text !== "" ? "text" : "other";
  const format = alone && only.meaning.kind === "call" ? only.meaning.format : null;
  return { script, format: holds === "other" ? null : format, holds };
}

function holdsOf({ meaning }: KnownPart): ScriptForm["holds"] {
  switch (meaning.kind) {
    case "call":
      if (meaning.state !== "whole") return meaning.state === "broken" ? "broken_call" : "other";
      return meaning.name === "run_python" ? "call" : "undeclared_call";
    case "marker":
      return "marker";
    case "value":
      return "text";
    case "claim":
    case "command":
    case "quotation":
      return "other";
    default:
      return meaning satisfies never;
  }
}
