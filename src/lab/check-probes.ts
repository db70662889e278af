import type { JsonValue } from "../protocol/json.ts";
import { type Capture, type Exchange, schemaVersion } from "./capture/capture.ts";
import { exampleFacts } from "./check-scenarios.ts";
import type { Classification } from "./classify/classification.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import type { LoadedScenarios } from "./scenario/load.ts";
import type { PlannedSample } from "./scenario/plan.ts";
import { planProbes } from "./scenario/probe-plan.ts";
import type { ExampleReply, ProbeExample, ProbeItem, ProbeSuite } from "./scenario/probe-suite.ts";
import { spokenLanguages } from "./scenario/scenario.ts";
import { fillTemplate } from "./scenario/template.ts";
import { trialValues } from "./scenario/trial-values.ts";

/** Tokens that the examples' server holds: sizes of a suite are shares of this. */
const exampleContext = 8192;

/**
 * A suite that cannot fail is refused: the examples of each item go through the judgement of its suite, which must pass the good
 * one, fail the bad one, and know the nearly right from the nearly wrong. Returns a line for each that it does not.
 */
export function checkProbes({
  probes,
  agentShapes,
}: Pick<LoadedScenarios, "probes" | "agentShapes">): readonly string[] {
  return probes.flatMap((suite) => {
    const samples = planProbes({
      target: "example",
      routes: ["direct"],
      suite,
      agentShapes,
      trials: 1,
      shapes: ["small"],
      languages: spokenLanguages,
      seed: "example",
    });
    return suite.items.flatMap((item) => checkItem(suite, item, samples));
  });
}

function checkItem(suite: ProbeSuite, item: ProbeItem, samples: readonly PlannedSample[]): readonly string[] {
  const { good, bad, nearMiss } = item.examples;
  const expected = [
    ["good", good, true],
    ["bad", bad, false],
    ["nearMiss", nearMiss, nearMiss.passes],
  ] as const;
  return expected.flatMap(([name, example, passes]) => {
    const arm = example.arm ?? (item.arms ?? suite.arms.map(({ id }) => id))[0];
    const sample = samples.find((each) => each.scenario === item.id && each.arm === arm);
    if (sample === undefined)
      return [`suite ${suite.id}: ${item.id}: examples.${name} names no arm of the item: ${arm}`];
    const { delivered, probe } = judgeExample(sample, example);
    if ((delivered === "yes") === passes) return [];
    const seen = probe?.faults.map(({ code }) => code).join(", ") ?? "";
    return [
      `suite ${suite.id}: ${item.id}: examples.${name} should ${passes ? "pass" : "not pass"}, but is judged ${delivered}${seen === "" ? "" : ` (${seen})`}; change the example or the item`,
    ];
  });
}

function judgeExample(sample: PlannedSample, example: ProbeExample): Classification {
  return classifyCapture(exampleCapture(sample, example), { ...exampleFacts, contextLength: exampleContext });
}

function exampleCapture(sample: PlannedSample, { replies }: ProbeExample): Capture {
  const at = "1970-01-01T00:00:00.000Z";
  const { suite, scenario, shape, language, contract, arm, stream, trial, seed, expectation, messages } = sample;
  const values = trialValues(seed);
  const filled = (reply: ExampleReply): ExampleReply =>
    JSON.parse(fillTemplate(JSON.stringify(reply), values)) as ExampleReply;
  const { toolChoice } = sample;
  return {
    schemaVersion,
    id: sample.id,
    target: "example",
    kind: "openai",
    route: "direct",
    suite,
    scenario,
    shape,
    language,
    class: sample.class,
    contract,
    arm,
    stream,
    trial,
    seed,
    expectation,
    request: {
      choice: typeof toolChoice === "string" ? toolChoice : "auto",
      namedTool: null,
      maxTokens: sample.maxTokens,
      sources: messages.map(({ role, content }) => ({ role, text: typeof content === "string" ? content : "" })),
    },
    exchanges: replies.map(filled).map(
      (reply, index): Exchange => ({
        hop: "subject",
        purpose: "sample",
        turn: index + 1,
        attempt: 1,
        method: "POST",
        path: "/v1/chat/completions",
        request: null,
        sentHeaders: {},
        startedAt: at,
        status: reply.error === undefined ? 200 : 400,
        headers: { "content-type": "application/json" },
        body: { utf8: JSON.stringify(replyBody(reply, index)) },
        chunks: [],
        timing: { headMs: 0, firstByteMs: 0, endMs: 0 },
        end: { kind: "complete" },
      }),
    ),
    startedAt: at,
  };
}

function replyBody({ text, calls, promptTokens, error }: ExampleReply, turn: number): JsonValue {
  if (error !== undefined) return { error: { message: error, type: "invalid_request_error", param: null, code: null } };
  const served = calls?.map((call, index) => ({
    id: `call${turn}${index}`,
    type: "function",
    function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
  }));
  return {
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text ?? null, ...(served === undefined ? {} : { tool_calls: served }) },
        finish_reason: served === undefined ? "stop" : "tool_calls",
      },
    ],
    ...(promptTokens === undefined ? {} : { usage: { prompt_tokens: promptTokens, completion_tokens: 20 } }),
  };
}
