import type { ChatMessage, Tool } from "../../protocol/chat.ts";
import { filler, fillerMark, shortFiller } from "./dialogue.ts";
import type { Cell, PlannedSample } from "./plan.ts";
import { runningOrder } from "./plan.ts";
import type { Probe } from "./probe.ts";
import type { ProbeArm, ProbeItem, ProbeSuite } from "./probe-suite.ts";
import type { AgentShape, Expectation, Language, SampleFactors, Shape } from "./scenario.ts";
import { ScenarioProblems } from "./scenario-problems.ts";
import { fillTemplate, type TrialValues } from "./template.ts";

export interface ProbePlanOptions {
  readonly target: string;
  readonly routes: readonly string[];
  readonly suite: ProbeSuite;
  /** Only these items; undefined = all. */
  readonly onlyScenarios?: readonly string[] | undefined;
  readonly agentShapes: readonly AgentShape[];
  readonly trials: number;
  readonly shapes: readonly Shape[];
  readonly languages: readonly Language[];
  readonly seed: string;
}

/** The samples of a suite of conversations on one target, in running order. Throws {@link ScenarioProblems} where an agent shape is missing. */
export function planProbes(options: ProbePlanOptions): readonly PlannedSample[] {
  const { suite, routes } = options;
  // Where the length of the prompt is what is looked at, an agent's long prompt would be in the way.
  const shapes: readonly Shape[] = suite.judgement === "context" ? ["small"] : options.shapes;
  const cells = probeItems(options).flatMap((item) =>
    suite.arms
      .filter((arm) => item.arms === undefined || item.arms.includes(arm.id))
      .flatMap((arm) =>
        suite.stream.flatMap((stream) =>
          shapes.flatMap((shape) =>
            // A server's own chat endpoint is behind no adapter.
            routes
              .filter((route) => route === "direct" || !arm.native)
              .map((route) => probeCell(options, item, arm, stream, shape, route)),
          ),
        ),
      ),
  );
  return runningOrder(cells, options);
}

/** The items that a run asks. A suite that compares languages asks all of its own. */
export function probeItems({
  suite,
  onlyScenarios,
  languages,
}: Pick<ProbePlanOptions, "suite" | "onlyScenarios" | "languages">): readonly ProbeItem[] {
  const compares = suite.judgement === "language" && languages.length > 1;
  const named = onlyScenarios === undefined ? null : suite.items.filter(({ id }) => onlyScenarios.includes(id));
  // A choice of scenarios that names none of this suite's is about the other suites.
  const chosen = named === null || named.length === 0 ? suite.items : named;
  return chosen.filter((item) => compares || languages.includes(item.language));
}

function probeCell(
  { suite, agentShapes }: ProbePlanOptions,
  item: ProbeItem,
  arm: ProbeArm,
  stream: boolean,
  shape: Shape,
  route: string,
): Cell {
  const dress = shape === "agent" ? shapeFor(agentShapes, item.language) : null;
  const others = typeof arm.tools === "number" || dress !== null ? shapeFor(agentShapes, item.language).tools : [];
  const tools = toolsOf(item, arm, others, dress !== null);
  const factors: SampleFactors = {
    suite: suite.id,
    scenario: item.id,
    shape,
    language: item.language,
    class: item.call === null ? "irrelevant" : item.class,
    contract: "native",
    arm: arm.id,
    stream,
  };
  return {
    route,
    factors,
    usesNonce: true,
    fill: (values) => ({
      nonce: null,
      expectation: expectationOf(suite, item, arm, tools ?? [], values),
      messages: messagesOf(item, arm, dress, values),
      tools,
      toolChoice: tools === null ? null : arm.choice,
      maxTokens: suite.maxTokens,
      temperature: suite.temperature,
      extra: {},
    }),
  };
}

/** Chinese has no shape of its own; a client's system prompt and tools are often in English there, too. */
function shapeFor(agentShapes: readonly AgentShape[], language: Language): AgentShape {
  const found =
    agentShapes.find((shape) => shape.language === language) ?? agentShapes.find((shape) => shape.language === "en");
  if (found !== undefined) return found;
  throw new ScenarioProblems([
    `no agent shape for the language ${language}: add agent/${language}.yaml to the scenarios`,
  ]);
}

/** The item's own tools stand in the middle; null: no `tools` key at all. */
function toolsOf(item: ProbeItem, arm: ProbeArm, others: readonly Tool[], dressed: boolean): readonly Tool[] | null {
  if (arm.tools === "none") return null;
  const own = item.tools.map((tool) => tool.function.name);
  const further = others.filter((tool) => !own.includes(tool.function.name));
  const room = typeof arm.tools === "number" ? Math.max(0, arm.tools - own.length) : dressed ? further.length : 0;
  const taken = further.slice(0, room);
  const middle = Math.floor(taken.length / 2);
  return [...taken.slice(0, middle), ...item.tools, ...taken.slice(middle)];
}

function messagesOf(
  item: ProbeItem,
  arm: ProbeArm,
  dress: AgentShape | null,
  values: TrialValues,
): readonly ChatMessage[] {
  const persona = fillTemplate(item.system, values);
  const history = arm.history === undefined ? [] : (item.histories[arm.history] ?? []);
  return [
    { role: "system", content: dress === null ? persona : `${persona}\n\n${dress.system}` },
    ...(dress?.history ?? []),
    ...(JSON.parse(fillTemplate(JSON.stringify(history), values)) as ChatMessage[]),
    { role: "user", content: userText(item, values).replace(fillerMark, filler(shortFiller)) },
  ];
}

function userText(item: ProbeItem, values: TrialValues): string {
  return fillTemplate(item.user, values);
}

function expectationOf(
  suite: ProbeSuite,
  item: ProbeItem,
  arm: ProbeArm,
  tools: readonly Tool[],
  values: TrialValues,
): Expectation {
  const filled = (text: string) => fillTemplate(text, values);
  const user = userText(item, values);
  const call = arm.tools === "none" || arm.choice === "none" ? null : item.call;
  const probe: Probe = {
    judgement: suite.judgement,
    results: item.results.map(({ tool, when, text }) => ({ tool, when: when ?? null, text: filled(text) })),
    call,
    answer: item.answer.map(filled),
    never: item.never.map(filled),
    sign: item.sign ?? null,
    language: item.language,
    carried: item.carried === undefined ? null : filled(item.carried),
    mostTurns: suite.mostTurns,
    variant: arm.history ?? arm.id,
    toolCount: tools.length,
    followUp: user.includes(fillerMark) ? user : item.followUp === undefined ? null : filled(item.followUp),
    size: arm.size === undefined ? null : { share: arm.size.share ?? null, most: arm.size.most },
    native: arm.native,
  };
  return {
    tools,
    contract: "native",
    wanted: call,
    markerRule: null,
    memorizable: false,
    oracle: [],
    nonce: null,
    judge: call === null ? "no_call" : "call",
    probe,
  };
}
