import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { upstream } from "../http/upstream.ts";
import { schemaVersion } from "../lab/capture/capture.ts";
import { createRedactor } from "../lab/capture/redact.ts";
import type { RunRecord } from "../lab/capture/run-record.ts";
import { createRunStore, type RunStore } from "../lab/capture/store.ts";
import { StoreError } from "../lab/capture/store-error.ts";
import type { StoredPlan } from "../lab/capture/stored-plan.ts";
import { measuredVerdict } from "../lab/gate/measured.ts";
import { messagesFor } from "../lab/report/messages/catalogue.ts";
import { reasonName } from "../lab/report/names.ts";
import { visibleText } from "../lab/report/terminal-text.ts";
import type { StoppedRun } from "../lab/resume.ts";
import { type Route, type RunOptions, type RunProgress, type RunResult, type RunTarget, run } from "../lab/run.ts";
import type { Exclusion, Summary } from "../lab/stats/summary.ts";
import type { Handler } from "../protocol/handler.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import type { ThroughAdapter } from "./adapter-routes.ts";
import { shownPath } from "./config.ts";
import { exitCodes, UserError } from "./errors.ts";
import { messagesIn, type Obstacle, type Remedy } from "./messages.ts";
import { openProgress } from "./progress.ts";
import { renderRun } from "./render-run.ts";
import type { RunSettings } from "./run-settings.ts";
import { proxyFor } from "./server-url.ts";
import { shellCommand } from "./shell-command.ts";
import type { TargetSpec } from "./target-specs.ts";
import type { World } from "./world.ts";

/** What is measured; how is in the settings. */
export interface Measurement extends Pick<RunOptions, "suites" | "scenarios" | "onlyScenarios" | "request"> {
  readonly targets: readonly TargetSpec[];
  /** Set where the run is to choose a model. */
  readonly choice?: { readonly minContext: number | null } | undefined;
  /** Set where samples also travel through the adapter. */
  readonly adapter?: ThroughAdapter | undefined;
  /** The line that names the next command, once the result is known. */
  next(summary: Summary, runId: string): string;
}

/** Runs a measurement from its targets to its reports: the one core of `lab run` and `lab demo`. Resolves with the exit code. */
export async function measure(measurement: Measurement, settings: RunSettings, world: World): Promise<number> {
  const record = firstRecord(measurement, settings, world);
  const folder = resolve(world.cwd, settings.out ?? "results", record.run);
  const store = await createRunStore(folder, record);
  return carryOut(measurement, settings, world, {
    store,
    before: () => store.plan(storedPlan(measurement, settings)),
    notes: [],
    progress: undefined,
  });
}

/** Completes a run that was stopped: the same plan, and nothing twice. Resolves with the exit code. */
export async function complete(
  measurement: Measurement,
  settings: RunSettings,
  world: World,
  { store, notes, progress }: Pick<StoppedRun, "store" | "notes" | "progress">,
): Promise<number> {
  return carryOut(measurement, settings, world, { store, before: async () => {}, notes, progress });
}

interface Work {
  readonly store: RunStore;
  /** Done before the first request. */
  before(): Promise<void>;
  /** Said once there is somewhere to say them. */
  readonly notes: readonly string[];
  readonly progress: RunProgress | undefined;
}

async function carryOut(measurement: Measurement, settings: RunSettings, world: World, work: Work): Promise<number> {
  const { store } = work;
  const { folder } = store;
  const runName = store.current().run;
  const messages = messagesIn(settings.language);
  const opened = measurement.targets.map((target) => openTarget(target, settings, world, measurement.adapter));
  const progress = await openProgress({ quiet: settings.quiet, messages }, world);
  const interrupted = () => {
    progress.stop();
    world.stderr.write(`${messages.interrupting()}\n`);
  };
  world.signal.addEventListener("abort", interrupted, { once: true });
  let result: RunResult;
  for (const note of work.notes) progress.onEvent({ kind: "note", text: note });
  try {
    await work.before();
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
      // A limit of 0 is none: then a server is waited for as long as an hour.
      patienceMs: settings.timeouts.firstByteMs || 3_600_000,
      warmUp: true,
      progress: work.progress,
      onEvent: progress.onEvent,
    });
  } catch (error) {
    await store.close().catch(() => undefined);
    // A disk that fills up half-way is no misuse: requests have been sent.
    if (error instanceof StoreError) throw new UserError(error.message, { exitCode: 3, cause: error });
    throw error;
  } finally {
    progress.stop();
    world.signal.removeEventListener("abort", interrupted);
    await Promise.all(opened.map(({ close }) => close()));
  }
  const { planned, measured } = result;
  const reports = settings.out === null ? resolve(world.cwd, "reports", runName) : folder;
  const paths = await renderRun(
    {
      folder,
      formats: ["html", "csv"],
      reportFolder: reports,
      show: settings.json ? "json" : "console",
      language: settings.language,
      made: result,
    },
    world,
  );
  // Where the result is a table for people, so is the rest; standard output of --json holds the object and nothing else.
  const output = settings.json ? world.stderr : world.stdout;
  output.write(`\n${messages.runFolder(shownPath(folder, world.cwd))}\n`);
  for (const path of paths) output.write(`${messages.report(shownPath(path, world.cwd))}\n`);
  if (result.interrupted) {
    world.stderr.write(`lab: ${messages.interrupted(measured, planned)}\n`);
    output.write(`${messages.nextResume(resumeCommand(runName, settings))}\n`);
    return exitCodes.interrupted;
  }
  const isMeasured = measuredVerdict(result.summary).kind === "pass";
  if (!isMeasured)
    world.stderr.write(
      `lab: ${messages.notAllMeasured(measured, planned, mainObstacle(measurement, result, settings))}\n`,
    );
  // Where nothing was measured at all, the command itself may be what is wrong.
  const unsent = measured > 0 && result.summary.exclusions.some(({ reason }) => unsentReasons.has(reason));
  output.write(
    unsent
      ? `${messages.nextResume(resumeCommand(runName, settings))}\n`
      : `${measurement.next(result.summary, runName)}\n`,
  );
  return isMeasured ? exitCodes.ok : exitCodes.notMeasured;
}

/** Samples that a resumed run would send. */
const unsentReasons: ReadonlySet<string> = new Set(["not_sent", "target_not_met", "lost"]);

/** The command that completes this run. Keys are not stored, so they have to be named again. */
function resumeCommand(run: string, { out }: RunSettings): string {
  return shellCommand(["lab", "run", "--resume", run, ...(out === null ? [] : ["--out", out])]);
}

/** What kept most samples from being measured, where, and what helps; null where it has been said already. */
function mainObstacle(measurement: Measurement, { summary }: RunResult, settings: RunSettings): Obstacle | null {
  const counts = new Map<string, { readonly first: Exclusion; count: number }>();
  for (const exclusion of summary.exclusions) {
    // Targets that could not be met have been named by then.
    if (exclusion.reason === "target_not_met") continue;
    const key = `${exclusion.reason} ${exclusion.detail}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { first: exclusion, count: 1 });
    else known.count += 1;
  }
  const [frequent] = [...counts.values()].sort((left, right) => right.count - left.count);
  if (frequent === undefined) return null;
  const { id, reason, detail } = frequent.first;
  const target = measurement.targets.find(({ name }) => id.startsWith(`${name}/`));
  return {
    reason: visibleText(reasonName(reason, messagesFor(settings.language))),
    where: target?.server.shown ?? null,
    detail: visibleText(detail.slice(0, 200)),
    remedy: remedy(reason, detail),
  };
}

/** What helps against one kind of failure. */
function remedy(reason: string, detail: string): Remedy {
  switch (reason) {
    case "wrong_key":
    case "model_missing":
    case "server_unavailable":
    case "unreadable":
    case "context_invalid":
    case "bad_request":
      return reason;
    default:
      return /\b(?:within|in time|sent nothing)\b/.test(detail) ? "too_slow" : "see_server";
  }
}

/** A target with a connection of its own. */
export function openTarget(
  spec: TargetSpec,
  settings: Pick<RunSettings, "timeouts" | "concurrency">,
  world: Pick<World, "env" | "clock">,
  adapter?: ThroughAdapter | undefined,
): { readonly target: RunTarget; close(): Promise<void> } {
  const handler = openServer(spec, settings, world);
  const target: RunTarget = {
    name: spec.name,
    model: spec.model,
    baseUrl: spec.server.shown,
    handler,
    apiPrefix: spec.server.apiPrefix,
    kind: spec.kind,
    routes: [
      directRoute(handler),
      ...(adapter?.routes({ upstream: handler, apiPrefix: spec.server.apiPrefix, clock: world.clock }) ?? []),
    ],
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

/** The record of a run that has not begun, under an id that no run has in the folder where it will lie. */
export function firstRecord(
  measurement: Pick<Measurement, "suites" | "onlyScenarios" | "targets" | "choice">,
  settings: RunSettings,
  world: World,
): RunRecord {
  const now = world.clock.date();
  return {
    schemaVersion,
    run: freeRunId(resolve(world.cwd, settings.out ?? "results"), now, world.randomHex()),
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
      ...(measurement.choice === undefined ? {} : { choice: measurement.choice }),
    },
    routes: [{ id: "direct", treatment: "direct" }],
    targets: [],
    unmet: [],
  };
}

/** `20250131-142501-a3f9`: sorts by time, is typed by its beginning. Scripts may begin many runs in one second. */
function freeRunId(results: string, date: Date, random: string): string {
  const [day = "", time = ""] = date.toISOString().replace(/[-:]/g, "").split(/[T.]/);
  for (let number = Number.parseInt(random.slice(0, 4), 16); ; number = (number + 1) % 0x10000) {
    const id = `${day}-${time}-${number.toString(16).padStart(4, "0")}`;
    if (!existsSync(join(results, id))) return id;
  }
}

/** Everything that the plan is made from, without secrets. */
function storedPlan(measurement: Measurement, settings: RunSettings): StoredPlan {
  const { targets, suites, scenarios, onlyScenarios, request, adapter } = measurement;
  const { trials, shapes, languages, seed, concurrency, overrides, raw, timeouts } = settings;
  const plan: StoredPlan = {
    schemaVersion,
    targets: targets.map(({ name, model, server, kind, headers }) => ({
      name,
      model,
      baseUrl: server.shown,
      kind,
      headers: createRedactor(headers).headers(headers),
    })),
    suites,
    scenarios,
    onlyScenarios: onlyScenarios ?? null,
    request: request ?? null,
    trials,
    shapes,
    languages,
    seed,
    concurrency,
    overrides,
    raw,
    timeouts,
    ...(adapter === undefined ? {} : { adapter: adapter as unknown as NonNullable<StoredPlan["adapter"]> }),
  };
  return JSON.parse(cleanText(JSON.stringify(plan), targets)) as StoredPlan;
}

/** A text without the secrets that the targets' headers carry, and without anything that has the shape of a key. */
function cleanText(text: string, targets: readonly TargetSpec[]): string {
  return targets.reduce((clean, target) => createRedactor(target.headers).text(clean), text);
}

function withoutSecrets(
  overrides: RunSettings["overrides"],
  targets: readonly TargetSpec[],
): Readonly<Record<string, unknown>> {
  const value = parseJson(cleanText(JSON.stringify(overrides), targets));
  return isJsonObject(value) ? value : {};
}
