import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRun, type StoredRun } from "../../../src/lab/capture/open-run.ts";
import type { RunRecord } from "../../../src/lab/capture/run-record.ts";
import { createRunStore } from "../../../src/lab/capture/store.ts";
import {
  type Route,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunTarget,
  run,
} from "../../../src/lab/run.ts";
import { loadScenarios } from "../../../src/lab/scenario/load.ts";
import type { Handler } from "../../../src/protocol/handler.ts";

const scenarios = loadScenarios([]);

export interface Finished {
  readonly result: RunResult;
  readonly stored: StoredRun;
  readonly events: readonly RunEvent[];
  readonly folder: string;
}

export function directRoute(handler: Handler): Route {
  return { id: "direct", treatment: "direct", open: () => ({ handler, exchanges: () => [], trace: () => [] }) };
}

/** A target behind any Handler. */
export function target(name: string, model: string, handler: Handler, more: Partial<RunTarget> = {}): RunTarget {
  return {
    name,
    model,
    baseUrl: `http://${name}.invalid/v1`,
    handler,
    apiPrefix: "/v1",
    kind: null,
    routes: [directRoute(handler)],
    headers: {},
    ...more,
  };
}

/** Runs the two published questions, or what `options` say, into a folder of its own. */
export async function runInto(
  root: string,
  targets: readonly RunTarget[],
  options: Partial<RunOptions> = {},
): Promise<Finished> {
  const folder = join(root, `run-${Math.random().toString(36).slice(2)}`);
  const events: RunEvent[] = [];
  const suites = options.suites ?? ["contract-matrix", "parser-mismatch"];
  const trials = options.trials ?? 3;
  const record: RunRecord = {
    schemaVersion: 1,
    run: "test",
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    lab: { version: "test", node: process.version },
    seed: "seed",
    plan: {
      suites,
      scenarios: [],
      trials,
      shapes: ["small"],
      languages: ["ja", "en"],
      concurrency: 4,
      raw: "auto",
      request: {},
      samples: 0,
      cells: [],
    },
    routes: [],
    targets: [],
    unmet: [],
  };
  const store = await createRunStore(folder, record);
  const result = await run({
    targets,
    suites,
    scenarios,
    onlyScenarios: ["seed-memorizable", "seed-unmemorizable"],
    trials,
    shapes: ["small"],
    languages: ["ja", "en"],
    seed: "seed",
    concurrency: 4,
    overrides: { body: {} },
    raw: "auto",
    store,
    clock: { now: () => performance.now(), date: () => new Date() },
    signal: new AbortController().signal,
    labVersion: "test",
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { result, stored: await openRun(folder), events, folder };
}

/** A folder that goes when the test ends. */
export async function scratch(): Promise<{ readonly path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "lab-run-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
