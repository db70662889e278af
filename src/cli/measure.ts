import { resolve } from "node:path";
import { upstream } from "../http/upstream.ts";
import { schemaVersion } from "../lab/capture/capture.ts";
import { createRedactor } from "../lab/capture/redact.ts";
import type { RunRecord } from "../lab/capture/run-record.ts";
import { createRunStore } from "../lab/capture/store.ts";
import { StoreError } from "../lab/capture/store-error.ts";
import { visibleText } from "../lab/report/terminal-text.ts";
import { type Route, type RunOptions, type RunResult, type RunTarget, run } from "../lab/run.ts";
import type { Summary } from "../lab/stats/summary.ts";
import type { Handler } from "../protocol/handler.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import { shownPath } from "./config.ts";
import { exitCodes, UserError } from "./errors.ts";
import { messagesIn } from "./messages.ts";
import { openProgress } from "./progress.ts";
import { renderRun } from "./render-run.ts";
import type { RunSettings } from "./run-settings.ts";
import { proxyFor } from "./server-url.ts";
import type { TargetSpec } from "./target-specs.ts";
import type { World } from "./world.ts";

/** What is measured; how is in the settings. */
export interface Measurement extends Pick<RunOptions, "suites" | "scenarios" | "onlyScenarios" | "request"> {
  readonly targets: readonly TargetSpec[];
  /** The line that names the next command, once the result is known. */
  next(summary: Summary, runId: string): string;
}

/** Runs a measurement from its targets to its reports: the one core of `lab run` and `lab demo`. Resolves with the exit code. */
export async function measure(measurement: Measurement, settings: RunSettings, world: World): Promise<number> {
  const messages = messagesIn(settings.language);
  const opened = measurement.targets.map((target) => openTarget(target, settings, world));
  const record = firstRecord(measurement, settings, world);
  const folder = resolve(world.cwd, settings.out ?? "results", record.run);
  const store = await createRunStore(folder, record);
  const progress = await openProgress({ quiet: settings.quiet, messages }, world);
  const interrupted = () => {
    progress.stop();
    world.stderr.write(`${messages.interrupting()}\n`);
  };
  world.signal.addEventListener("abort", interrupted, { once: true });
  let result: RunResult;
  try {
    result = await run({
      targets: opened.map(({ target }) => target),
      suites: measurement.suites,
      scenarios: measurement.scenarios,
      onlyScenarios: measurement.onlyScenarios,
      request: measurement.request,
      trials: settings.trials,
      shapes: settings.shapes,
      languages: settings.languages,
      seed: settings.seed,
      concurrency: settings.concurrency,
      overrides: settings.overrides,
      raw: settings.raw,
      store,
      clock: world.clock,
      signal: world.signal,
      labVersion: world.labVersion,
      onEvent: progress.onEvent,
    });
  } catch (error) {
    // A disk that fills up half-way is no misuse: requests have been sent.
    if (error instanceof StoreError) throw new UserError(error.message, { exitCode: 3, cause: error });
    throw error;
  } finally {
    progress.stop();
    world.signal.removeEventListener("abort", interrupted);
    await Promise.all(opened.map(({ close }) => close()));
  }
  const { planned, measured } = result;
  const reports = settings.out === null ? resolve(world.cwd, "reports", record.run) : folder;
  const paths = await renderRun(
    {
      folder,
      formats: ["html", "csv"],
      reportFolder: reports,
      show: settings.json ? "json" : "console",
      language: settings.language,
      trusted: true,
    },
    world,
  );
  // Where the result is a table for people, so is the rest; standard output of --json holds the object and nothing else.
  const output = settings.json ? world.stderr : world.stdout;
  output.write(`\n${messages.runFolder(shownPath(folder, world.cwd))}\n`);
  for (const path of paths) output.write(`${messages.report(shownPath(path, world.cwd))}\n`);
  if (result.interrupted) {
    world.stderr.write(`lab: ${messages.interrupted(measured, planned)}\n`);
    return exitCodes.interrupted;
  }
  if (measured < planned || planned === 0)
    world.stderr.write(`lab: ${messages.notAllMeasured(measured, planned, frequentCause(result.summary))}\n`);
  output.write(`${measurement.next(result.summary, record.run)}\n`);
  return measured < planned || planned === 0 ? exitCodes.notMeasured : exitCodes.ok;
}

/** The detail that most unmeasured samples share; targets that could not be met have been named by then. */
export function frequentCause({ exclusions }: Pick<Summary, "exclusions">): string | null {
  const counts = new Map<string, number>();
  for (const { reason, detail } of exclusions) {
    if (reason !== "target_not_met") counts.set(detail, (counts.get(detail) ?? 0) + 1);
  }
  const [frequent] = [...counts].sort(([, left], [, right]) => right - left);
  return frequent === undefined ? null : visibleText(frequent[0].slice(0, 200));
}

function openTarget(
  spec: TargetSpec,
  settings: RunSettings,
  world: Pick<World, "env">,
): { readonly target: RunTarget; close(): Promise<void> } {
  const handler = openServer(spec, settings, world);
  const target: RunTarget = {
    name: spec.name,
    model: spec.model,
    baseUrl: spec.server.shown,
    handler,
    apiPrefix: spec.server.apiPrefix,
    kind: spec.kind,
    routes: [directRoute(handler)],
    headers: spec.headers,
  };
  return { target, close: () => handler.close() };
}

/** A connection to the server of a target, by way of the proxy that the environment names. */
export function openServer(
  spec: Pick<TargetSpec, "server">,
  settings: Pick<RunSettings, "timeouts" | "concurrency">,
  world: Pick<World, "env">,
) {
  const { root } = spec.server;
  const proxy = proxyFor(root, world.env);
  return upstream(root, {
    timeouts: settings.timeouts,
    // Side channels ask beside the samples in flight.
    connections: settings.concurrency + 2,
    ...(proxy === null ? {} : { proxy }),
  });
}

/** Straight to the server: nothing is behind the handler, so there is nothing to record there. */
function directRoute(handler: Handler): Route {
  return { id: "direct", treatment: "direct", open: () => ({ handler, exchanges: () => [], trace: () => [] }) };
}

function firstRecord(measurement: Measurement, settings: RunSettings, world: World): RunRecord {
  const now = world.clock.date();
  return {
    schemaVersion,
    run: runId(now, world.randomHex()),
    createdAt: now.toISOString(),
    finishedAt: null,
    lab: { version: world.labVersion, node: process.version },
    seed: settings.seed,
    plan: {
      suites: measurement.suites,
      scenarios: measurement.onlyScenarios ?? [],
      trials: settings.trials,
      shapes: settings.shapes,
      languages: settings.languages,
      concurrency: settings.concurrency,
      raw: settings.raw,
      request: withoutSecrets(settings.overrides, measurement.targets),
      samples: 0,
      cells: [],
    },
    routes: [{ id: "direct", treatment: "direct" }],
    targets: [],
    unmet: [],
  };
}

/** `20250131-142501-a3f9`: sorts by time, is typed by its beginning. */
export function runId(date: Date, random: string): string {
  const [day = "", time = ""] = date.toISOString().replace(/[-:]/g, "").split(/[T.]/);
  return `${day}-${time}-${random.slice(0, 4)}`;
}

function withoutSecrets(
  overrides: RunSettings["overrides"],
  targets: readonly TargetSpec[],
): Readonly<Record<string, unknown>> {
  const text = targets.reduce((clean, target) => createRedactor(target.headers).text(clean), JSON.stringify(overrides));
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}
