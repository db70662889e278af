import type { ChatMessage, Tool, ToolChoice } from "../../protocol/chat.ts";
import { expectationFor } from "./expectation.ts";
import { suggestion } from "./nearest.ts";
import type { AgentShape, Arm, Expectation, Language, SampleFactors, Scenario, Shape, Suite } from "./scenario.ts";
import { ScenarioProblems } from "./scenario-problems.ts";
import { fillTemplate, placeholders, type TrialValues } from "./template.ts";
import { orderKey, sampleSeed, trialValues } from "./trial-values.ts";

/** One sample of a plan: what to send and how to judge what comes back. */
export interface PlannedSample extends SampleFactors {
  /** `target/route/suite/scenario/arm/body|stream/shape/trial`: readable, unique in a run, the same in every plan of it. */
  readonly id: string;
  readonly target: string;
  readonly route: string;
  /** From 1. */
  readonly trial: number;
  /** 1 to 2^31 - 1; sent with the request, and what the trial's values derive from. */
  readonly seed: number;
  /** What stood in for `{{nonce}}`; null where the scenario has none. */
  readonly nonce: string | null;
  readonly expectation: Expectation;
  readonly messages: readonly ChatMessage[];
  /** null: no `tools` key at all (the marker contract). */
  readonly tools: readonly Tool[] | null;
  readonly toolChoice: ToolChoice | null;
  readonly maxTokens: number;
  /** null: not sent, the server's default holds. */
  readonly temperature: number | null;
  /** Further keys of the body, from a user's own request. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface PlanOptions {
  readonly target: string;
  /** Ids of the routes that every cell is sent through. */
  readonly routes: readonly string[];
  readonly suite: Suite;
  readonly scenarios: readonly Scenario[];
  /** Takes the place of the suite's own choice of scenarios; what the suite has under `also` stays. */
  readonly onlyScenarios?: readonly string[] | undefined;
  readonly agentShapes: readonly AgentShape[];
  readonly trials: number;
  readonly shapes: readonly Shape[];
  readonly languages: readonly Language[];
  readonly seed: string;
}

/** A sample before its trial is drawn; `fill` makes the rest once the trial's values are known. */
export interface Cell {
  readonly route: string;
  readonly factors: SampleFactors;
  /** Whether a nonce of the trial may stand in what is asked: then no other trial may have it. */
  readonly usesNonce: boolean;
  fill(values: TrialValues): Omit<PlannedSample, keyof SampleFactors | "id" | "target" | "route" | "trial" | "seed">;
}

/**
 * The samples of one suite on one target, in running order: randomised complete blocks, so that drift of the server falls
 * on all cells alike. Throws {@link ScenarioProblems} for scenario ids and agent shapes that do not exist.
 */
export function planSamples(options: PlanOptions): readonly PlannedSample[] {
  const { suite, shapes, routes } = options;
  const cells = meetings(options).flatMap(({ scenario, arms }) =>
    arms.flatMap((arm) =>
      suite.stream.flatMap((stream) =>
        shapes.flatMap((shape) => routes.flatMap((route) => cell(options, scenario, arm, stream, shape, route))),
      ),
    ),
  );
  return runningOrder(cells, options);
}

/** Draws every trial of every cell: each trial is a block that holds all cells once, in random order fixed by the run seed. */
export function runningOrder(
  cells: readonly Cell[],
  { target, trials, seed: runSeed }: Pick<PlanOptions, "target" | "trials" | "seed">,
): readonly PlannedSample[] {
  const used = new Set<number | string>();
  const drawn = new Map<string, { readonly seed: number; readonly values: TrialValues }>();
  const draw = (id: string, usesNonce: boolean) => {
    // The same sample on another route: the same question with the same seed, so that only the way differs.
    const before = drawn.get(id);
    if (before !== undefined) return before;
    // Two samples with one seed or one nonce could share a cached answer; a collision is drawn again.
    for (let attempt = 0; ; attempt++) {
      const seed = sampleSeed(runSeed, id, attempt);
      const values = trialValues(seed);
      if (used.has(seed) || (usesNonce && used.has(values.nonce))) continue;
      used.add(seed);
      if (usesNonce) used.add(values.nonce);
      drawn.set(id, { seed, values });
      return { seed, values };
    }
  };
  return Array.from({ length: trials }, (_, index) => index + 1).flatMap((trial) =>
    cells
      .map((each) => {
        const id = sampleId(target, each.route, each.factors, trial);
        return { cell: each, id, order: orderKey(runSeed, id) };
      })
      .sort((left, right) => (left.order < right.order ? -1 : 1))
      .map(({ id, cell: { route, factors, usesNonce, fill } }): PlannedSample => {
        const { seed, values } = draw(route === "direct" ? id : sampleId(target, "direct", factors, trial), usesNonce);
        const filled = fill(values);
        // Member by member: an object of this size that is spread out of two others costs six times as much, thousands of times.
        return {
          suite: factors.suite,
          scenario: factors.scenario,
          shape: factors.shape,
          language: factors.language,
          class: factors.class,
          contract: factors.contract,
          arm: factors.arm,
          stream: factors.stream,
          id,
          target,
          route,
          trial,
          seed,
          nonce: filled.nonce,
          expectation: filled.expectation,
          messages: filled.messages,
          tools: filled.tools,
          toolChoice: filled.toolChoice,
          maxTokens: filled.maxTokens,
          temperature: filled.temperature,
          extra: filled.extra,
        };
      }),
  );
}

function sampleId(target: string, route: string, factors: SampleFactors, trial: number): string {
  const { suite, scenario, arm, stream, shape } = factors;
  return [target, route, suite, scenario, arm, stream ? "stream" : "body", shape, trial].join("/");
}

/** Which scenarios meet which arms. */
function meetings(options: PlanOptions): readonly { readonly scenario: Scenario; readonly arms: readonly Arm[] }[] {
  const { suite, scenarios, onlyScenarios, languages } = options;
  const byId = (id: string): Scenario => {
    const found = scenarios.find((scenario) => scenario.id === id);
    if (found !== undefined) return found;
    const known = scenarios.map((scenario) => scenario.id);
    throw new ScenarioProblems([`unknown scenario ${JSON.stringify(id)}${suggestion(id, known)}`]);
  };
  const inLanguages = (list: readonly Scenario[]) => list.filter((scenario) => languages.includes(scenario.language));

  const also = suite.also.map((extra) => ({
    scenario: byId(extra.scenario),
    arms: suite.arms.filter((arm) => extra.arms.includes(arm.id)),
  }));
  const isExtra = (scenario: Scenario) => also.some((extra) => extra.scenario.id === scenario.id);

  const asked = onlyScenarios === undefined ? null : [...new Set(onlyScenarios)].map(byId);
  const own = inLanguages(asked ?? suiteScenarios(suite, scenarios, byId));
  const chosen = own.length === 0 && asked === null ? inLanguages(suite.fallback.map(byId)) : own;
  const extras = also.filter(({ scenario }) => chosen.some((each) => each.language === scenario.language));
  return [
    ...chosen.filter((scenario) => !isExtra(scenario)).map((scenario) => ({ scenario, arms: suite.arms })),
    ...extras,
  ];
}

function suiteScenarios(
  { scenarios: choice }: Suite,
  scenarios: readonly Scenario[],
  byId: (id: string) => Scenario,
): readonly Scenario[] {
  if ("ids" in choice) return choice.ids.map(byId);
  return scenarios.filter((scenario) => choice.classes.includes(scenario.class));
}

/** One cell, or none where a scenario that wants no tool meets an arm that must name one. */
function cell(
  { suite, agentShapes }: PlanOptions,
  scenario: Scenario,
  arm: Arm,
  stream: boolean,
  shape: Shape,
  route: string,
): readonly Cell[] {
  const toolChoice = choiceOf(arm, scenario);
  if (toolChoice === undefined) return [];
  const dress = shape === "agent" ? agentShapeOf(agentShapes, scenario.language) : null;
  const tools = arm.contract === "native" ? dressedTools(scenario, dress) : null;
  const factors: SampleFactors = {
    suite: suite.id,
    scenario: scenario.id,
    shape,
    language: scenario.language,
    class: scenario.class,
    contract: arm.contract,
    arm: arm.id,
    stream,
  };
  const usesNonce = placeholders(scenario.system + scenario.user).includes("{{nonce}}");
  const filled: Cell["fill"] = (values) => {
    const messages = dressedMessages(scenario, arm, dress, values);
    const nonce = usesNonce ? values.nonce : null;
    return {
      nonce,
      expectation: expectationFor(scenario, { contract: arm.contract, tools: tools ?? [], messages, nonce, values }),
      messages,
      tools,
      toolChoice,
      maxTokens: scenario.maxTokens,
      temperature: scenario.temperature,
      extra: {},
    };
  };
  // Where nothing is drawn, all trials are one.
  const varies = placeholders(JSON.stringify(scenario)).length > 0;
  let same: ReturnType<Cell["fill"]> | null = null;
  const fill: Cell["fill"] = (values) => {
    if (varies) return filled(values);
    same ??= filled(values);
    return same;
  };
  return [{ route, factors, usesNonce, fill }];
}

/** null: no `tool_choice` is sent; undefined: the arm cannot be run with this scenario. */
function choiceOf(arm: Arm, scenario: Scenario): ToolChoice | null | undefined {
  if (arm.contract === "marker" || arm.choice === undefined) return null;
  if (arm.choice !== "named") return arm.choice;
  return scenario.wanted === null ? undefined : { type: "function", function: { name: scenario.wanted } };
}

function agentShapeOf(agentShapes: readonly AgentShape[], language: Language): AgentShape {
  const found = agentShapes.find((shape) => shape.language === language);
  if (found !== undefined) return found;
  throw new ScenarioProblems([
    `no agent shape for the language ${language}: add agent/${language}.yaml to the scenarios`,
  ]);
}

function dressedMessages(
  scenario: Scenario,
  arm: Arm,
  dress: AgentShape | null,
  values: TrialValues,
): readonly ChatMessage[] {
  const persona = fillTemplate(scenario.system, values);
  const rule = arm.contract === "marker" ? scenario.marker.rule : "";
  const system = `${dress === null ? persona : `${persona}\n\n${dress.system}`}${rule}`;
  return [
    { role: "system", content: system },
    ...(dress?.history ?? []),
    { role: "user", content: fillTemplate(scenario.user, values) },
  ];
}

/** The scenario's tools stand in the middle of the agent's: neither first nor last, where models look most. */
function dressedTools(scenario: Scenario, dress: AgentShape | null): readonly Tool[] {
  const own = scenario.tools.map((tool) => tool.function.name);
  const others = (dress?.tools ?? []).filter((tool) => !own.includes(tool.function.name));
  const middle = Math.floor(others.length / 2);
  return [...others.slice(0, middle), ...scenario.tools, ...others.slice(middle)];
}
