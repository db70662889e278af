import { createHash } from "node:crypto";
import { toolChoiceWord } from "../protocol/chat.ts";
import { serverRecord } from "../protocol/servers/index.ts";
import type { RenderInput } from "../protocol/servers/probe.ts";
import type { PlannedCell, TargetRecord } from "./capture/run-record.ts";
import type { RunOptions, RunTarget } from "./run-options.ts";
import { findSuite } from "./scenario/load.ts";
import { type PlannedSample, planSamples } from "./scenario/plan.ts";
import { planProbes } from "./scenario/probe-plan.ts";
import { planRequest, requestSuite } from "./scenario/request-file.ts";
import { type CheckRequest, type CheckRequests, neutralChecks } from "./target/check-request.ts";

/** The samples of one suite on one target. */
export interface PlannedSuite {
  readonly suite: string;
  /** Ids of its arms as the suite lists them: the order in which people want to read them. */
  readonly arms: readonly string[];
  readonly samples: readonly PlannedSample[];
}

/** What a plan is made from, beside its target. */
export type PlanInputs = Pick<
  RunOptions,
  "suites" | "scenarios" | "onlyScenarios" | "request" | "trials" | "shapes" | "languages" | "seed"
>;

/** What is asked of one target, suite after suite, in running order. */
export function planTarget(options: PlanInputs, target: Pick<RunTarget, "name" | "routes">): readonly PlannedSuite[] {
  const { scenarios: loaded, trials, seed, request } = options;
  const routes = target.routes.map((route) => route.id);
  const suites = options.suites.map((id): PlannedSuite => {
    const shared = {
      target: target.name,
      routes,
      onlyScenarios: options.onlyScenarios,
      agentShapes: loaded.agentShapes,
      trials,
      shapes: options.shapes,
      languages: options.languages,
      seed,
    };
    const probes = loaded.probes.find((suite) => suite.id === id);
    if (probes !== undefined)
      return { suite: id, arms: probes.arms.map((arm) => arm.id), samples: planProbes({ ...shared, suite: probes }) };
    const suite = findSuite(loaded, id);
    return {
      suite: id,
      arms: suite.arms.map((arm) => arm.id),
      samples: planSamples({ ...shared, suite, scenarios: loaded.scenarios }),
    };
  });
  if (request === undefined) return suites;
  const arms = requestSuite(request).arms.map((arm) => arm.id);
  const samples = planRequest({ target: target.name, routes, request, trials, seed });
  return [...suites, { suite: "request", arms, samples }];
}

/** The cells of a plan, in the order in which people want to read them. */
export function plannedCells(suites: readonly PlannedSuite[]): readonly PlannedCell[] {
  return suites.flatMap(({ arms, samples }) => inArmOrder(cellsOf(samples), arms));
}

/**
 * SHA-256 that two plans share only when they ask the same: ids and seeds of all samples, and the whole content of the first
 * trial of each cell, from which the other trials differ by what their seed draws.
 */
export function planDigest(suites: readonly PlannedSuite[], overrides: RunOptions["overrides"]): string {
  const hash = createHash("sha256").update(JSON.stringify(overrides));
  for (const { samples } of suites) {
    for (const sample of samples) {
      hash.update(sample.trial === 1 ? JSON.stringify(sample) : `${sample.id} ${sample.seed} ${sample.nonce ?? ""}\n`);
    }
  }
  return hash.digest("hex");
}

/** Samples gathered into cells, in the order in which the plan first meets them. */
export function cellsOf(samples: readonly PlannedSample[]): readonly PlannedCell[] {
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
    const probe = expectation.probe === undefined ? {} : { probe: expectation.probe.judgement };
    cells.set(id, { id, target, route, ...factors, choice, judge: expectation.judge, ...probe, trials: 1 });
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

/**
 * An arm that the server does not act on is sent once for the record: more trials of it would measure another arm. What goes
 * to a route that this kind of server does not have is not sent at all.
 */
export function onceWhereNotTestable(planned: readonly PlannedSuite[], met: TargetRecord): readonly PlannedSuite[] {
  const blocked = new Set(met.notTestable.map((entry) => entry.arm));
  const lacksNative = serverRecord(met.facts.kind).nativeChat === null;
  const impossible = ({ expectation }: PlannedSample): boolean => lacksNative && expectation.probe?.native === true;
  if (blocked.size === 0 && !planned.some(({ samples }) => samples.some(impossible))) return planned;
  return planned.map(({ samples, ...suite }) => ({
    ...suite,
    samples: samples.filter((sample) => !impossible(sample) && (!blocked.has(sample.arm) || sample.trial === 1)),
  }));
}

/** Requests of samples that the plan holds anyway, for the checks that generate; neutral ones where it holds none of that kind. */
export function checkRequests(samples: readonly PlannedSample[]): CheckRequests {
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
export function renderInputs(samples: readonly PlannedSample[]): readonly RenderInput[] {
  const inputs = new Map<string, RenderInput>();
  for (const { messages, tools } of samples) {
    if (tools === null) continue;
    const key = JSON.stringify(tools);
    if (!inputs.has(key)) inputs.set(key, { messages, tools });
  }
  return [...inputs.values()];
}
