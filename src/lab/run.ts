import { toolChoiceWord } from "../protocol/chat.ts";
import { serverRecord } from "../protocol/servers/index.ts";
import type { RenderInput } from "../protocol/servers/probe.ts";
import { recordExchange } from "./capture/record.ts";
import type { PlannedCell, TargetRecord } from "./capture/run-record.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { conclude } from "./conclude.ts";
import { type JudgedSample, judgedSample } from "./diagnose/judged-sample.ts";
import type { RunOptions, RunTarget } from "./run-options.ts";
import { runSample, type SampleContext } from "./sample-run.ts";
import { findSuite } from "./scenario/load.ts";
import { type PlannedSample, planSamples } from "./scenario/plan.ts";
import { planRequest, requestSuite } from "./scenario/request-file.ts";
import type { Summary } from "./stats/summary.ts";
import { type CheckRequest, type CheckRequests, neutralChecks } from "./target/check-request.ts";
import { type MeetResult, meetTarget } from "./target/meet-target.ts";

export type { Route, RunEvent, RunOptions, RunTarget } from "./run-options.ts";

export interface RunResult {
  readonly summary: Summary;
  readonly planned: number;
  readonly measured: number;
  readonly interrupted: boolean;
}

/** Runs every suite against every target, one target after the other, and leaves a complete run folder. */
export async function run(options: RunOptions): Promise<RunResult> {
  const { store, onEvent, signal } = options;
  const judged: JudgedSample[] = [];
  const plans = new Map(options.targets.map((target) => [target.name, planTarget(options, target)]));
  const announce = async (): Promise<void> => {
    const cells = [...plans.values()].flat().flatMap(({ arms, samples }) => inArmOrder(cellsOf(samples), arms));
    const samples = cells.reduce((sum, cell) => sum + cell.trials, 0);
    const scenarios = [...new Set(cells.map((cell) => cell.scenario))];
    await store.record({ plan: { ...store.current().plan, samples, cells, scenarios } });
    onEvent({ kind: "planned", samples });
  };
  const routes = options.targets[0]?.routes ?? [];
  await store.record({ routes: routes.map(({ id, treatment }) => ({ id, treatment })) });
  await announce();

  for (const [index, target] of options.targets.entries()) {
    if (signal.aborted) break;
    onEvent({ kind: "target-started", target: target.name, index, of: options.targets.length });
    const planned = plans.get(target.name) ?? [];
    const met = await meet(options, target, planned);
    if (!met.ok) {
      onEvent({ kind: "target-failed", target: target.name, reason: met.line });
      await store.record({ unmet: [...store.current().unmet, { target: target.name, line: met.line }] });
      continue;
    }
    await store.record({ targets: [...store.current().targets, met.target] });
    onEvent({ kind: "target-identified", target: target.name, sentence: identified(met.target) });
    const testable = onceWhereNotTestable(planned, met.target);
    plans.set(target.name, testable);
    if (testable !== planned) await announce();
    const context: SampleContext = {
      target,
      met: met.target,
      server: met.server,
      routes: new Map(target.routes.map((route) => [route.id, route])),
      overrides: options.overrides,
      store,
      clock: options.clock,
    };
    for (const { suite, samples } of testable) {
      if (signal.aborted) break;
      onEvent({ kind: "suite-started", target: target.name, suite, samples: samples.length });
      await inParallel(samples, options.concurrency, signal, async (sample) => {
        const capture = await runSample(sample, context);
        const classification = classifyCapture(capture, met.target.facts);
        // Both lines in one turn of the event loop: judging again writes them in the order of the captures.
        const kept = store.capture(capture);
        store.classification(classification);
        judged.push(judgedSample(capture, classification));
        onEvent({ kind: "sample-done", target: target.name, suite, classification });
        await kept;
      });
    }
  }

  await store.record({ finishedAt: options.clock.date().toISOString() });
  const summary = conclude(store.current(), judged);
  await store.summary(summary);
  await store.close();
  return { summary, planned: summary.planned, measured: summary.measured, interrupted: signal.aborted };
}

interface PlannedSuite {
  readonly suite: string;
  /** Ids of its arms as the suite lists them: the order in which people want to read them. */
  readonly arms: readonly string[];
  readonly samples: readonly PlannedSample[];
}

function planTarget(options: RunOptions, target: RunTarget): readonly PlannedSuite[] {
  const { scenarios: loaded, trials, seed, request } = options;
  const routes = target.routes.map((route) => route.id);
  const suites = options.suites.map((id) => ({
    suite: id,
    arms: findSuite(loaded, id).arms.map((arm) => arm.id),
    samples: planSamples({
      target: target.name,
      routes,
      suite: findSuite(loaded, id),
      scenarios: loaded.scenarios,
      onlyScenarios: options.onlyScenarios,
      agentShapes: loaded.agentShapes,
      trials,
      shapes: options.shapes,
      languages: options.languages,
      seed,
    }),
  }));
  if (request === undefined) return suites;
  const arms = requestSuite(request).arms.map((arm) => arm.id);
  const samples = planRequest({ target: target.name, routes, request, trials, seed });
  return [...suites, { suite: "request", arms, samples }];
}

/** Samples gathered into cells, in the order in which the plan first meets them. */
function cellsOf(samples: readonly PlannedSample[]): readonly PlannedCell[] {
  const cells = new Map<string, PlannedCell>();
  for (const sample of samples) {
    const id = sample.id.slice(0, sample.id.lastIndexOf("/"));
    const known = cells.get(id);
    if (known !== undefined) {
      cells.set(id, { ...known, trials: known.trials + 1 });
      continue;
    }
    const { target, route, suite, scenario, shape, language, contract, arm, stream, expectation, toolChoice } = sample;
    const choice = toolChoice === null ? "auto" : toolChoiceWord(toolChoice);
    const factors = { suite, scenario, shape, language, class: sample.class, contract, arm, stream };
    cells.set(id, { id, target, route, ...factors, choice, judge: expectation.judge, trials: 1 });
  }
  return [...cells.values()];
}

/** The running order is random; what people read is not. Scenarios stay as the plan first meets them. */
function inArmOrder(cells: readonly PlannedCell[], arms: readonly string[]): readonly PlannedCell[] {
  const scenarios = [...new Set(cells.map((cell) => cell.scenario))].sort();
  const rank = (cell: PlannedCell): number =>
    (scenarios.indexOf(cell.scenario) * arms.length + arms.indexOf(cell.arm)) * 2 + Number(cell.stream);
  return [...cells].sort((left, right) => rank(left) - rank(right));
}

/** An arm that the server does not act on is sent once for the record: more trials of it would measure another arm. */
function onceWhereNotTestable(planned: readonly PlannedSuite[], met: TargetRecord): readonly PlannedSuite[] {
  const blocked = new Set(met.notTestable.map((entry) => entry.arm));
  if (blocked.size === 0) return planned;
  return planned.map(({ samples, ...suite }) => ({
    ...suite,
    samples: samples.filter((sample) => !blocked.has(sample.arm) || sample.trial === 1),
  }));
}

function meet(options: RunOptions, target: RunTarget, planned: readonly PlannedSuite[]): Promise<MeetResult> {
  const samples = planned.flatMap((suite) => suite.samples);
  return meetTarget({
    name: target.name,
    model: target.model,
    baseUrl: target.baseUrl,
    handler: target.handler,
    apiPrefix: target.apiPrefix,
    kind: target.kind,
    headers: target.headers,
    raw: options.raw,
    clock: options.clock,
    record: (raw) =>
      options.store.probe(
        recordExchange(raw, { hop: "side", purpose: "probe", turn: 0, attempt: 1 }, options.store.request),
      ),
    renderInputs: renderInputs(samples),
    checks: checkRequests(samples),
    extras: options.overrides.body,
  });
}

/** Requests of samples that the plan holds anyway, for the checks that generate; neutral ones where it holds none of that kind. */
function checkRequests(samples: readonly PlannedSample[]): CheckRequests {
  const auto = samples.filter((sample) => sample.tools !== null && sample.toolChoice === "auto");
  const request = (sample: PlannedSample | undefined, otherwise: CheckRequest): CheckRequest =>
    sample === undefined ? otherwise : { messages: sample.messages, tools: sample.tools ?? [], seed: sample.seed };
  return {
    body: request(auto.find(({ stream }) => !stream) ?? auto[0], neutralChecks.body),
    stream: request(auto.find(({ stream }) => stream) ?? auto[0], neutralChecks.stream),
    plain: request(
      samples.find(({ tools }) => tools === null),
      neutralChecks.plain,
    ),
  };
}

/** One conversation for each set of tools that will be sent. */
function renderInputs(samples: readonly PlannedSample[]): readonly RenderInput[] {
  const inputs = new Map<string, RenderInput>();
  for (const { messages, tools } of samples) {
    if (tools === null) continue;
    const key = JSON.stringify(tools);
    if (!inputs.has(key)) inputs.set(key, { messages, tools });
  }
  return [...inputs.values()];
}

function identified({ facts, model }: TargetRecord): string {
  const version = facts.version === null ? "" : ` ${facts.version}`;
  return `${serverRecord(facts.kind).title}${version}, model ${model}`;
}

/** Works through items in order, so many at a time; once the signal is aborted no further item is begun. */
async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      const next = queue.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, items.length)) }, worker));
}
