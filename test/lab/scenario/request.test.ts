import { beforeAll, describe, expect, it } from "vitest";
import { findSuite, loadScenarios } from "../../../src/lab/scenario/load.ts";
import { type PlannedSample, planSamples } from "../../../src/lab/scenario/plan.ts";
import { overrideProblems, type RequestOverrides, requestFor } from "../../../src/lab/scenario/request.ts";

let samples: readonly PlannedSample[];
beforeAll(() => {
  const shipped = loadScenarios([]);
  samples = planSamples({
    target: "t",
    routes: ["direct"],
    suite: findSuite(shipped, "parser-mismatch"),
    scenarios: shipped.scenarios,
    agentShapes: shipped.agentShapes,
    trials: 1,
    shapes: ["small"],
    languages: ["ja"],
    seed: "run",
  });
});

function request(
  arm: string,
  stream: boolean,
  overrides: Partial<RequestOverrides> = {},
  extras: Readonly<Record<string, unknown>> = {},
) {
  const sample = samples.find((each) => each.arm === arm && each.stream === stream);
  if (sample === undefined) throw new Error(`no sample for ${arm}`);
  return requestFor(sample, { model: "m", overrides: { body: {}, ...overrides }, extras });
}

describe("requestFor", () => {
  it("carries max_tokens and the sample's seed, and asks for usage where it streams", () => {
    for (const sample of samples) {
      const body = requestFor(sample, { model: "m", overrides: { body: {} }, extras: {} });
      expect(body).toMatchObject({
        model: "m",
        max_tokens: 512,
        temperature: 0.7,
        seed: sample.seed,
        stream: sample.stream,
      });
      expect(body["stream_options"]).toEqual(sample.stream ? { include_usage: true } : undefined);
      expect(body.tools).toHaveLength(1);
    }
  });

  it("sends the choice of the arm, a named one as an object", () => {
    expect(request("none", false).tool_choice).toBe("none");
    expect(request("named", true).tool_choice).toEqual({ type: "function", function: { name: "run_python" } });
  });

  it("lets the user set temperature, budget, thinking and further keys", () => {
    const overrides = { temperature: 0, maxTokens: 99, thinking: "off", body: { num_ctx: 8192, top_p: 0.5 } } as const;
    expect(request("auto", false, overrides)).toMatchObject({
      temperature: 0,
      max_tokens: 99,
      num_ctx: 8192,
      top_p: 0.5,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(request("auto", false)).not.toHaveProperty("chat_template_kwargs");
  });

  it("puts the server kind's extras before the user's keys and joins template arguments", () => {
    const body = { cache_prompt: true, chat_template_kwargs: { style: "x", enable_thinking: false } };
    const extras = { cache_prompt: false, verbose: true, chat_template_kwargs: { kept: 1 } };
    expect(request("auto", false, { thinking: "on", body }, extras)).toMatchObject({
      cache_prompt: true,
      verbose: true,
      chat_template_kwargs: { kept: 1, style: "x", enable_thinking: false },
    });
  });

  it("never lets a fixed key change a factor of the plan, and says so beforehand", () => {
    const body = { stream: true, tool_choice: "required", tools: [], seed: 1, model: "other", messages: [] };
    expect(request("none", false, { body })).toEqual(request("none", false));
    const problems = overrideProblems({ ...body, top_p: 1 });
    expect(problems).toHaveLength(6);
    expect(problems[0]).toMatch(/^--body stream: /);
    expect(overrideProblems({ top_p: 1, max_tokens: 5 })).toEqual([]);
  });
});
