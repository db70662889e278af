import type { JsonValue } from "../protocol/json.ts";
import type { TargetFacts } from "../protocol/servers/server.ts";
import { type Capture, schemaVersion } from "./capture/capture.ts";
import type { Classification } from "./classify/classification.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import type { LoadedScenarios } from "./scenario/load.ts";
import type { Example, Expectation, Scenario } from "./scenario/scenario.ts";

/** A server of which nothing is known: examples are judged by their words alone. */
export const exampleFacts: TargetFacts = {
  kind: "openai",
  version: null,
  model: "example",
  toolParser: { state: "unknown", name: null, source: "unknown" },
  reasoningParser: { state: "unknown", name: null, source: "unknown" },
  contextLength: null,
  toolsInPrompt: "unknown",
  systemInPrompt: "unknown",
};

/**
 * A suite that cannot fail is refused: each scenario's own examples go through the judgement that replies will go through,
 * and it must tell them apart. Returns a line for each scenario whose judgement cannot, none when all is well.
 */
export function checkScenarios(loaded: Pick<LoadedScenarios, "scenarios">): readonly string[] {
  return loaded.scenarios.flatMap((scenario) => {
    const { good, bad, nearMiss } = scenario.examples;
    const problems: string[] = [];
    const expect = (name: string, example: Example, wanted: "yes" | "no"): void => {
      const judged = judgeExample(scenario, example);
      if (judged.delivered !== wanted) {
        problems.push(
          `scenario ${scenario.id}: examples.${name} should ${wanted === "yes" ? "count as delivered" : "not count as delivered"}, but is judged ${judged.headline}; change the example or the scenario`,
        );
      }
    };
    expect("good", good, "yes");
    expect("bad", bad, "no");
    // Where no call is wanted, a reply that only speaks of the tool is as good as any other.
    expect("nearMiss", nearMiss, scenario.wanted === null ? "yes" : "no");
    return problems;
  });
}

function judgeExample(scenario: Scenario, example: Example): Classification {
  const marker = example.call === undefined && example.text?.includes(`{{${scenario.marker.name}:`) === true;
  const expectation: Expectation = {
    tools: marker ? [] : scenario.tools,
    contract: marker ? "marker" : "native",
    wanted: scenario.wanted,
    markerRule: marker ? { name: scenario.marker.name } : null,
    memorizable: scenario.class === "memorizable",
    oracle: [],
    nonce: null,
    judge: scenario.wanted === null ? "no_call" : "call",
  };
  return classifyCapture(exampleCapture(scenario, expectation, replyBody(example)), exampleFacts);
}

function replyBody({ text, call }: Example): JsonValue {
  const calls =
    call === undefined
      ? {}
      : {
          tool_calls: [
            {
              id: "call_1",
              type: "function",
              function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
            },
          ],
        };
  return {
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text ?? null, ...calls },
        finish_reason: call === undefined ? "stop" : "tool_calls",
      },
    ],
  };
}

function exampleCapture(scenario: Scenario, expectation: Expectation, body: JsonValue): Capture {
  const at = "1970-01-01T00:00:00.000Z";
  return {
    schemaVersion,
    id: `${scenario.id}/example`,
    target: "example",
    kind: "openai",
    route: "direct",
    suite: "example",
    scenario: scenario.id,
    shape: "small",
    language: scenario.language,
    class: scenario.class,
    contract: expectation.contract,
    arm: "example",
    stream: false,
    trial: 1,
    seed: 1,
    expectation,
    request: {
      choice: "auto",
      namedTool: null,
      maxTokens: scenario.maxTokens,
      sources: [
        { role: "system", text: scenario.system },
        { role: "user", text: scenario.user },
      ],
    },
    exchanges: [
      {
        hop: "subject",
        purpose: "sample",
        turn: 1,
        attempt: 1,
        method: "POST",
        path: "/v1/chat/completions",
        request: null,
        sentHeaders: {},
        startedAt: at,
        status: 200,
        headers: { "content-type": "application/json" },
        body: { utf8: JSON.stringify(body) },
        chunks: [],
        timing: { headMs: 0, firstByteMs: 0, endMs: 0 },
        end: { kind: "complete" },
      },
    ],
    startedAt: at,
  };
}
