import { resolve } from "node:path";
import { findRun } from "../lab/capture/find-run.ts";
import { redacted } from "../lab/capture/redact.ts";
import type { StoredPlan, StoredTarget } from "../lab/capture/stored-plan.ts";
import { reopenStoppedRun } from "../lab/resume.ts";
import type { Summary } from "../lab/stats/summary.ts";
import type { ThroughAdapter } from "./adapter-routes.ts";
import { runOptions } from "./commands/run-options.ts";
import type { LabConfig } from "./config.ts";
import { shownPath } from "./config.ts";
import { UserError } from "./errors.ts";
import { complete } from "./measure.ts";
import { messagesIn } from "./messages.ts";
import type { ValuesOf } from "./options.ts";
import { type RunSettings, runSettings } from "./run-settings.ts";
import { parseServerUrl } from "./server-url.ts";
import { shellCommand } from "./shell-command.ts";
import { planTargets, type TargetSpec } from "./target-specs.ts";
import type { World } from "./world.ts";

type Values = ValuesOf<typeof runOptions>;

/** Options that say how to connect and what to show, not what is measured; a key has to be named again, since none is stored. */
const allowed: ReadonlySet<string> = new Set(["resume", "config", "api-key-env", "header"]);

/** `lab run --resume RUN`: completes a stopped run by what its own folder holds. @throws UserError, StoreError */
export async function resumeRun(wanted: string, values: Values, config: LabConfig, world: World): Promise<number> {
  refusePlanOptions(values);
  const given = runSettings(values, config, world);
  const results = resolve(world.cwd, given.out ?? "results");
  const folder = resolve(world.cwd, await findRun(results, wanted));
  const { store, plan, progress, account, notes } = await reopenStoppedRun(folder);
  const settings = settingsOf(plan, values, given);
  let targets: readonly TargetSpec[];
  let adapter: ThroughAdapter | undefined;
  try {
    adapter =
      plan.adapter === undefined ? undefined : (await import("./adapter-routes.ts")).storedAdapter(plan.adapter);
    targets = plan.targets.map((target) => targetOf(target, values, config, world));
  } catch (error) {
    await store.close();
    throw error;
  }
  const { samples } = store.current().plan;
  const messages = messagesIn(settings.language);
  if (!settings.quiet)
    world.stderr.write(`${messages.resuming(progress.judged.length, samples, account.lost.length)}\n`);
  return complete(
    {
      targets,
      suites: plan.suites,
      scenarios: plan.scenarios,
      onlyScenarios: plan.onlyScenarios ?? undefined,
      request: plan.request ?? undefined,
      adapter,
      next: (_summary: Summary, run: string) => {
        const where = settings.out === null ? [] : ["--results", settings.out];
        return messages.nextReport(shellCommand(["lab", "report", run, "--format", "console,json", ...where]));
      },
    },
    settings,
    world,
    { store, notes: notes.map((note) => note.replace(folder, shownPath(folder, world.cwd))), progress },
  );
}

function refusePlanOptions(values: Values): void {
  for (const [name, { group }] of Object.entries(runOptions)) {
    const value = values[name as keyof Values];
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    if (isGiven && !allowed.has(name) && (group === "target" || group === "plan" || group === "request")) {
      throw new UserError(`--resume completes a run as it was planned; leave --${name} out`);
    }
  }
}

/** The plan's own settings; limits of time and the width may be set anew. */
function settingsOf(plan: StoredPlan, values: Values, given: RunSettings): RunSettings {
  const chosen = (option: unknown, now: number, before: number): number => (option === undefined ? before : now);
  const { timeouts } = plan;
  return {
    ...given,
    trials: plan.trials,
    shapes: plan.shapes,
    languages: plan.languages,
    seed: plan.seed,
    concurrency: chosen(values.concurrency, given.concurrency, plan.concurrency),
    overrides: plan.overrides,
    raw: plan.raw,
    timeouts: {
      connectMs: chosen(values["timeout-connect"], given.timeouts.connectMs, timeouts.connectMs),
      firstByteMs: chosen(values["timeout-first-byte"], given.timeouts.firstByteMs, timeouts.firstByteMs),
      idleMs: chosen(values["timeout-idle"], given.timeouts.idleMs, timeouts.idleMs),
      totalMs: chosen(values["timeout-total"], given.timeouts.totalMs, timeouts.totalMs),
    },
  };
}

/**
 * A stored target with its secrets, which come from this command line or from lab.yaml alone: a run folder names an address,
 * and must not make anybody's key go there. @throws UserError naming the header that is missing
 */
function targetOf(stored: StoredTarget, values: Values, config: LabConfig, world: World): TargetSpec {
  const server = parseServerUrl(stored.baseUrl, `target ${stored.name}`);
  const headers = { ...plainHeaders(stored), ...givenHeaders(stored, values, config, world) };
  const missing = Object.keys(stored.headers).find((name) => headers[name] === undefined);
  if (missing !== undefined) {
    const how = missing === "authorization" ? "--api-key-env NAME" : `--header '${missing}: …'`;
    throw new UserError(
      `target ${stored.name}: the run sent the header ${missing}, which is not stored; give it again with ${how}`,
    );
  }
  return { name: stored.name, model: stored.model, server, kind: stored.kind, headers };
}

function plainHeaders({ headers }: StoredTarget): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => !value.includes(redacted)));
}

function givenHeaders(
  stored: StoredTarget,
  values: Values,
  config: LabConfig,
  { env }: World,
): Readonly<Record<string, string>> {
  const choice = {
    models: [],
    targets: [],
    serverKind: undefined,
    apiKeyEnv: values["api-key-env"],
    headers: values.header,
  };
  const known = config.targets.some(({ name }) => name === stored.name);
  // What lab.yaml names for this very address, else what this command line says.
  const ways = [
    ...(known ? [{ ...choice, baseUrl: undefined, targets: [stored.name] }] : []),
    ...(config.defaults.baseUrl === undefined ? [] : [{ ...choice, baseUrl: undefined, models: [stored.model] }]),
    { ...choice, baseUrl: stored.baseUrl, models: [stored.model] },
  ];
  for (const way of ways) {
    const plan = planTargets(way, config, env);
    const spec = plan.kind === "targets" ? plan.targets[0] : undefined;
    if (spec !== undefined && spec.server.shown === stored.baseUrl) return spec.headers;
  }
  return {};
}
