import type { RunRecord } from "../../../src/lab/capture/run-record.ts";
import type { Headline } from "../../../src/lab/classify/classification.ts";
import type { RunSide } from "../../../src/lab/gate/run-side.ts";
import type { Contract, ScenarioClass } from "../../../src/lab/scenario/scenario.ts";
import { wilson } from "../../../src/lab/stats/proportions.ts";
import type { Cell, Summary } from "../../../src/lab/stats/summary.ts";

/** Stated rates of a simulated model: delivered, by contract and class of the question; claims among what was not delivered. */
export interface World {
  readonly name: string;
  readonly native: Readonly<Record<Exclude<ScenarioClass, "irrelevant">, number>>;
  readonly marker: number;
  readonly claims: number;
}

export const worlds: readonly World[] = [
  {
    name: "keeps every contract",
    native: { memorizable: 1, near: 1, unmemorizable: 1, impossible: 1 },
    marker: 1,
    claims: 0,
  },
  {
    name: "skips what it knows, and claims",
    native: { memorizable: 0.35, near: 0.7, unmemorizable: 0.97, impossible: 1 },
    marker: 0.97,
    claims: 0.8,
  },
  {
    name: "calls every other time",
    native: { memorizable: 0.5, near: 0.5, unmemorizable: 0.5, impossible: 0.5 },
    marker: 0.5,
    claims: 0.3,
  },
  {
    name: "mostly calls",
    native: { memorizable: 0.8, near: 0.85, unmemorizable: 0.9, impossible: 0.95 },
    marker: 0.85,
    claims: 0.2,
  },
];

export interface DrawOptions {
  readonly world: World;
  readonly trials: number;
  /** Correlation of the repeats of one case within a run: each run draws the case's rate anew around the stated one. */
  readonly correlation: number;
  /** The server reads another format than the model writes: whole calls under auto come back as text. */
  readonly parserSwapped?: boolean;
  readonly random: () => number;
  readonly run?: string;
  readonly createdAt?: string;
  /** Leaves out the suite with many scenarios. */
  readonly fewScenarios?: boolean;
}

const scenarios: readonly {
  readonly id: string;
  readonly language: "ja" | "en";
  readonly class: Exclude<ScenarioClass, "irrelevant">;
}[] = [
  ...(["ja", "en"] as const).flatMap((language) => [
    ...named("known", 6, language, "memorizable"),
    ...named("near", 3, language, "near"),
    ...named("nonce", 6, language, "unmemorizable"),
    ...named("picture", 1, language, "impossible"),
  ]),
  { id: "seed-memorizable", language: "ja", class: "memorizable" },
  { id: "seed-unmemorizable", language: "ja", class: "unmemorizable" },
];

function named(id: string, count: number, language: "ja" | "en", scenarioClass: Exclude<ScenarioClass, "irrelevant">) {
  return Array.from({ length: count }, (_, index) => ({
    id: `${id}-${index + 1}-${language}`,
    language,
    class: scenarioClass,
  }));
}

/** Draws a whole run as the summary that it would leave: the plan of `lab run`, counts from the stated rates. */
export function drawRun(options: DrawOptions): RunSide {
  const { world, trials, random, parserSwapped = false } = options;
  const draw = (rate: number) => correlatedCount(rate, trials, options.correlation, random);
  const cell = (
    scenario: (typeof scenarios)[number],
    suite: string,
    arm: string,
    contract: Contract,
    stream: boolean,
    rate: number,
    reads: boolean,
  ): Cell => {
    const called = draw(rate);
    const claimed = contract === "native" ? draw(world.claims * (1 - rate)) : 0;
    const claims = Math.min(trials - called, claimed);
    const delivered = reads ? called : 0;
    const kept: Headline = contract === "marker" ? "marker_call" : "structured_call";
    const lost: Headline = stream ? "swallowed_call" : "leaked_call";
    const counts: Partial<Record<Headline, number>> = {};
    for (const [headline, count] of [
      [reads ? kept : lost, called],
      ["fabricated_provenance", claims],
      ["direct_answer", trials - called - claims],
    ] as const) {
      if (count > 0) counts[headline] = count;
    }
    return {
      target: "model",
      route: "direct",
      suite,
      scenario: scenario.id,
      arm,
      contract,
      class: scenario.class,
      shape: "small",
      language: scenario.language,
      stream,
      planned: trials,
      measured: trials,
      attempted: called,
      delivered,
      undecidable: 0,
      counts,
      findings: claims > 0 ? { provenance_claim: claims } : {},
      rated: true,
      notTestable: null,
      deliveredRate: wilson(delivered, trials),
      attemptedRate: wilson(called, trials),
      medianMs: 100,
    };
  };
  const matrix = scenarios.flatMap((scenario) => [
    cell(scenario, "contract-matrix", "marker", "marker", false, world.marker, true),
    cell(scenario, "contract-matrix", "native", "native", false, world.native[scenario.class], !parserSwapped),
  ]);
  const modes = scenarios
    .filter(({ id }) => id.startsWith("seed-"))
    .flatMap((scenario) =>
      [false, true].flatMap((stream) => [
        cell(scenario, "parser-mismatch", "auto", "native", stream, world.native[scenario.class], !parserSwapped),
        cell(scenario, "parser-mismatch", "required", "native", stream, 1, true),
        cell(scenario, "parser-mismatch", "named", "native", stream, 1, true),
      ]),
    );
  const cells = options.fewScenarios ? modes : [...matrix, ...modes];
  const planned = cells.reduce((sum, each) => sum + each.planned, 0);
  const run = options.run ?? "later";
  const summary: Summary = {
    schemaVersion: 1,
    run,
    planned,
    measured: planned,
    cells,
    diagnoses: [],
    exclusions: [],
  };
  return { summary, proof: null, record: recordOf(run, options.createdAt ?? "2026-01-02T00:00:00.000Z", planned) };
}

/** The record of a run of one target, with nothing remarkable about it. */
export function recordOf(run: string, createdAt: string, samples: number): RunRecord {
  return {
    schemaVersion: 1,
    run,
    createdAt,
    finishedAt: createdAt,
    lab: { version: "1.0.0", node: "v20" },
    seed: run,
    plan: {
      suites: ["contract-matrix", "parser-mismatch"],
      scenarios: [],
      trials: 0,
      shapes: ["small"],
      languages: ["ja", "en"],
      concurrency: 4,
      raw: "auto",
      request: {},
      samples,
      cells: [],
    },
    routes: [{ id: "direct", treatment: "direct" }],
    targets: [
      {
        name: "model",
        model: "model",
        baseUrl: "http://127.0.0.1:8000/v1",
        facts: {
          kind: "vllm",
          version: "0.32.0",
          model: "model",
          toolParser: { state: "active", name: null, source: "metric" },
          reasoningParser: { state: "unknown", name: null, source: "unknown" },
          contextLength: 32_768,
          toolsInPrompt: "whole",
          systemInPrompt: "kept",
        },
        fingerprint: {
          identity: { model: "model", context_length: 32_768, tool_parser: "active" },
          incidental: { version: "0.32.0" },
        },
        raw: { inBand: { body: [], stream: [] }, side: { body: [], stream: [] } },
        notTestable: [],
        evidence: [],
      },
    ],
    unmet: [],
  };
}

/** A beta-binomial count: mean `rate`, correlation of any two repeats `correlation`. */
export function correlatedCount(rate: number, trials: number, correlation: number, random: () => number): number {
  const own = correlation === 0 || rate <= 0 || rate >= 1 ? rate : beta(rate, correlation, random);
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (random() < own) count += 1;
  return count;
}

function beta(mean: number, correlation: number, random: () => number): number {
  const weight = 1 / correlation - 1;
  const [left, right] = [gamma(mean * weight, random), gamma((1 - mean) * weight, random)];
  return left + right === 0 ? mean : left / (left + right);
}

/** Marsaglia and Tsang 2000; shapes below one by their boost. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * normal ** 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
