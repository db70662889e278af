import { serverRecord } from "../protocol/servers/index.ts";
import { bodyUnits, heldUnits } from "./capture/body.ts";
import type { Capture } from "./capture/capture.ts";
import { recordExchange } from "./capture/record.ts";
import type { StoppedTarget, TargetRecord } from "./capture/run-record.ts";
import { StoreError } from "./capture/store-error.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { conclude } from "./conclude.ts";
import { type JudgedSample, judgedSample } from "./diagnose/judged-sample.ts";
import type { RunOptions, RunTarget } from "./run-options.ts";
import {
  checkRequests,
  onceWhereNotTestable,
  type PlannedSuite,
  planDigest,
  plannedCells,
  planTarget,
  renderInputs,
} from "./run-plan.ts";
import { runSample, type SampleContext } from "./sample-run.ts";
import type { Summary } from "./stats/summary.ts";
import { type MeetOptions, meetTarget } from "./target/meet-target.ts";
import { recheckTarget } from "./target/recheck-target.ts";
import { lineOf, recordingAsk } from "./target/target-probe.ts";
import { type TargetWatch, watchTarget } from "./watch-target.ts";

export type { Route, RunEvent, RunOptions, RunProgress, RunTarget } from "./run-options.ts";

export interface RunResult {
  readonly summary: Summary;
  readonly planned: number;
  readonly measured: number;
  readonly interrupted: boolean;
  /** Every sample that is judged, also by an earlier process. */
  readonly judged: readonly JudgedSample[];
  /** Their captures as they were stored; null where those are too many for memory, or an earlier process made some. */
  readonly captures: readonly Capture[] | null;
}

/**
 * Runs every suite against every target, one target after the other, and leaves a complete run folder. With `progress` it
 * completes a run that was stopped: what is captured is not sent again. @throws StoreError
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const { store, onEvent, signal, progress } = options;
  const judged: JudgedSample[] = [...(progress?.judged ?? [])];
  let captures: Capture[] | null = progress === undefined ? [] : null;
  let units = 0;
  const captured = new Set(judged.map((sample) => sample.id));
  const plans = new Map(options.targets.map((target) => [target.name, planTarget(options, target)]));
  const digest = planDigest([...plans.values()].flat(), options.overrides);
  if (progress !== undefined && store.current().plan.cells.length > 0)
    checkSamePlan(store.folder, store.current().plan.digest, digest);
  const announce = async (): Promise<void> => {
    const cells = plannedCells([...plans.values()].flat());
    const samples = cells.reduce((sum, cell) => sum + cell.trials, 0);
    const scenarios = [...new Set(cells.map((cell) => cell.scenario))];
    await store.record({ plan: { ...store.current().plan, samples, cells, scenarios, digest } });
    onEvent({ kind: "planned", samples: samples - captured.size });
  };
  const routes = options.targets[0]?.routes ?? [];
  await store.record({
    routes: routes.map(({ id, treatment, settings }) => ({
      id,
      treatment,
      ...(settings === undefined ? {} : { settings }),
    })),
  });
  // Arms that a target cannot test are known once it was met, also in an earlier process.
  for (const met of store.current().targets) plans.set(met.name, onceWhereNotTestable(plans.get(met.name) ?? [], met));
  await announce();

  for (const [index, target] of options.targets.entries()) {
    if (signal.aborted) break;
    const planned = plans.get(target.name) ?? [];
    const before = store.current().targets.find(({ name }) => name === target.name);
    if (before !== undefined && left(planned, captured) === 0) continue;
    onEvent({ kind: "target-started", target: target.name, index, of: options.targets.length });
    if (!(await prepared(options, target))) continue;
    const meeting = meetOptions(options, target, planned);
    const met = before === undefined ? await meetAnew(options, meeting) : await meetAgain(options, meeting, before);
    if (met === null) continue;
    onEvent({ kind: "target-identified", target: target.name, sentence: identified(met) });
    const testable = onceWhereNotTestable(planned, met);
    plans.set(target.name, testable);
    if (testable !== planned) await announce();
    const server = serverRecord(met.facts.kind);
    const context: SampleContext = {
      target,
      met,
      server,
      routes: new Map(target.routes.map((route) => [route.id, route])),
      overrides: options.overrides,
      store,
      clock: options.clock,
    };
    const watch = watchTarget({
      met,
      server,
      apiPrefix: target.apiPrefix,
      concurrency: options.concurrency,
      patienceMs: options.patienceMs ?? 0,
      clock: options.clock,
      signal,
      ask: recordingAsk(lineOf(meeting), meeting.record),
      recheck: () => recheckTarget(meeting, met),
      note: (text) => onEvent({ kind: "note", text }),
    });
    const going = (): boolean => !signal.aborted && watch.stop === null;
    for (const { suite, samples } of testable) {
      const pending = captured.size === 0 ? samples : samples.filter((sample) => !captured.has(sample.id));
      if (!going() || pending.length === 0) continue;
      onEvent({ kind: "suite-started", target: target.name, suite, samples: pending.length });
      await inParallel(pending, options.concurrency, going, async (sample) => {
        if (watch.pause !== null) {
          await watch.pause;
          if (!going()) return;
        }
        const capture = await runSample(sample, context);
        const classification = classifyCapture(capture, met.facts);
        // Both lines in one turn of the event loop: judging again writes them in the order of the captures.
        const kept = store.capture(capture);
        store.classification(classification);
        judged.push(judgedSample(capture, classification));
        units += bodyUnits(capture);
        if (units > heldUnits) captures = null;
        captures?.push(capture);
        watch.saw(capture);
        onEvent({ kind: "sample-done", target: target.name, suite, classification });
        await kept;
      });
    }
    await watch.end();
    await noteStop(options, target, watch);
  }

  await store.record({ finishedAt: options.clock.date().toISOString() });
  const summary = conclude(store.current(), judged, progress?.lost);
  await store.summary(summary);
  await store.close();
  return {
    summary,
    planned: summary.planned,
    measured: summary.measured,
    interrupted: signal.aborted,
    judged,
    captures,
  };
}

/** A plan that has changed must not be completed: its samples would not be those that are there. */
function checkSamePlan(folder: string, before: string | undefined, now: string): void {
  if (before === now) return;
  const why =
    before === undefined
      ? "was made by a version that does not say what its plan asks"
      : "cannot be planned again as it was: this version of harness-lab plans differently, or a key was taken out of its texts before they were stored";
  throw new StoreError(`${folder}: the run ${why}; measure anew with lab run`);
}

function left(planned: readonly PlannedSuite[], captured: ReadonlySet<string>): number {
  return planned.flatMap(({ samples }) => samples).filter((sample) => !captured.has(sample.id)).length;
}

/** Prepares a target where it wants that; false, with the reason in the record, where it could not be. */
async function prepared({ store, onEvent }: RunOptions, { name, prepare }: RunTarget): Promise<boolean> {
  try {
    await prepare?.();
    return true;
  } catch (error) {
    const line = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").trim();
    onEvent({ kind: "target-failed", target: name, reason: line });
    const others = store.current().unmet.filter(({ target }) => target !== name);
    await store.record({ unmet: [...others, { target: name, line }] });
    return false;
  }
}

/** Meets a target for the first time; null, with the reason in the record, where that cannot be done. */
async function meetAnew({ store, onEvent, signal }: RunOptions, meeting: MeetOptions): Promise<TargetRecord | null> {
  const met = await meetTarget(meeting);
  // The record names lines of probes.jsonl: they must not die with the process while it lives.
  await store.flush();
  const unmet = store.current().unmet.filter(({ target }) => target !== meeting.name);
  if (!met.ok) {
    if (signal.aborted) return null;
    onEvent({ kind: "target-failed", target: meeting.name, reason: met.line });
    await store.record({ unmet: [...unmet, { target: meeting.name, line: met.line }] });
    return null;
  }
  await store.record({ targets: [...store.current().targets, met.target], unmet });
  return met.target;
}

/** Looks whether a target is still what an earlier process met; null, with the reason in the record, where it is not. */
async function meetAgain(
  { store, onEvent }: RunOptions,
  meeting: MeetOptions,
  before: TargetRecord,
): Promise<TargetRecord | null> {
  const found = await recheckTarget(meeting, before);
  await store.flush();
  const stopped = store.current().stopped ?? [];
  const others = stopped.filter(({ target }) => target !== meeting.name);
  const excluded = stopped.find(({ target }) => target === meeting.name)?.excluded ?? [];
  if (found.kind === "same") {
    const line = stopped.find(({ target }) => target === meeting.name)?.line ?? "";
    await store.record({
      stopped: excluded.length === 0 ? others : [...others, { target: meeting.name, line, excluded }],
    });
    return before;
  }
  onEvent({ kind: "note", text: `${meeting.name}: ${found.line}` });
  await store.record({ stopped: [...others, { target: meeting.name, line: found.line, excluded }] });
  return null;
}

/** Keeps why a target was left early and which of its samples count for nothing. */
async function noteStop({ store, onEvent }: RunOptions, target: RunTarget, watch: TargetWatch): Promise<void> {
  if (watch.stop === null) return;
  const stopped = store.current().stopped ?? [];
  const earlier = stopped.find((stop) => stop.target === target.name)?.excluded ?? [];
  const entry: StoppedTarget = {
    target: target.name,
    line: watch.stop.line,
    excluded: [...new Set([...earlier, ...watch.excluded])],
  };
  onEvent({ kind: "note", text: `${target.name}: ${entry.line}` });
  await store.record({ stopped: [...stopped.filter((stop) => stop.target !== target.name), entry] });
}

function meetOptions(options: RunOptions, target: RunTarget, planned: readonly PlannedSuite[]): MeetOptions {
  const samples = planned.flatMap((suite) => suite.samples);
  return {
    name: target.name,
    model: target.model,
    baseUrl: target.baseUrl,
    handler: target.handler,
    apiPrefix: target.apiPrefix,
    kind: target.kind,
    headers: target.headers,
    raw: options.raw,
    clock: options.clock,
    // Nothing that is measured is in flight here: a server that hangs need not be waited for.
    signal: options.signal,
    record: (raw) =>
      options.store.probe(
        recordExchange(raw, { hop: "side", purpose: "probe", turn: 0, attempt: 1 }, options.store.request),
      ),
    renderInputs: renderInputs(samples),
    checks: checkRequests(samples),
    extras: options.overrides.body,
    patienceMs: options.patienceMs,
    warmUp: options.warmUp,
    interruption: options.signal,
    note: (text) => options.onEvent({ kind: "note", text: `${target.name}: ${text}` }),
  };
}

function identified({ facts, model }: TargetRecord): string {
  const version = facts.version === null ? "" : ` ${facts.version}`;
  return `${serverRecord(facts.kind).title}${version}, model ${model}`;
}

/** Works through items in order, so many at a time, and begins no further one once `going` says so. */
async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  going: () => boolean,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (going()) {
      const next = queue.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, items.length)) }, worker));
}
