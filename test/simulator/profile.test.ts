import { describe, expect, it } from "vitest";
import { checkProfile, profileJsonSchema, profileSchema } from "../../src/simulator/profile.ts";

const vllm = { kind: "vllm", parser: "hermes" };

function problemsOf(server: object, model: object): string[] {
  return checkProfile(profileSchema.parse({ server, models: { m: model } }));
}

describe("profiles are refused with a line that says where and what", () => {
  const call = { call: { tool: "t", arguments: {} } };
  it.each<[string, object, object, RegExp]>([
    [
      "a parser that was not measured",
      { kind: "vllm", parser: "pythonic" },
      { format: "hermes" },
      /^server: vllm parser pythonic was not measured; measured: hermes, qwen3_coder, llama3_json, none$/,
    ],
    [
      "a template that was not measured",
      { kind: "ollama", template: "gemma" },
      { format: "hermes" },
      /^server: ollama template gemma was not measured/,
    ],
    [
      "a reasoning parser with the wrong parser",
      { kind: "vllm", parser: "qwen3_coder", reasoningParser: "qwen3" },
      { format: "hermes" },
      /^server: reasoningParser qwen3 with parser qwen3_coder was not measured/,
    ],
    [
      "a reasoning parser where there is no such option",
      { kind: "llama-server", reasoningParser: "qwen3" },
      { format: "hermes" },
      /^server: reasoningParser qwen3: llama-server has no such option/,
    ],
    [
      "a broken pattern",
      vllm,
      { format: "hermes", rules: [{ when: { user: "(" }, cards: [{ text: "x" }] }] },
      /^models\.m\.rules\[0\]\.when\.user: .*Unterminated group/,
    ],
    [
      "an empty card",
      vllm,
      { format: "hermes", rules: [{ cards: [{ n: 2 }] }] },
      /^models\.m\.rules\[0\]\.cards\[0\]: the card is empty/,
    ],
    [
      "call and calls",
      vllm,
      { format: "hermes", rules: [{ cards: [{ ...call, calls: [{ tool: "t" }] }] }] },
      /cards\[0\]: give call or calls, not both$/,
    ],
    [
      "call and marker",
      vllm,
      { format: "hermes", default: { ...call, marker: "A: b" } },
      /^models\.m\.default: a card is a call or a marker, not both$/,
    ],
    [
      "a cell that was not measured",
      { kind: "ollama", template: "native" },
      { format: "qwen3_coder", rules: [{ cards: [call] }] },
      /^models\.m\.rules\[0\]\.cards\[0\]: ollama, template native was not measured with calls in qwen3_coder, tool_choice auto, not streamed/,
    ],
    [
      "text behind a call where that was not measured",
      { kind: "ollama", template: "qwen3-coder" },
      { format: "qwen3_coder", rules: [{ cards: [{ ...call, after: "x" }] }] },
      /cards\[0\]\.after: text behind a call was not measured/,
    ],
    [
      "a mix of formats that fare differently",
      vllm,
      { format: "hermes", rules: [{ cards: [{ calls: [{ tool: "t" }, { tool: "t", format: "qwen3_coder" }] }] }] },
      /treats the formats hermes and qwen3_coder differently/,
    ],
    [
      "call markup written as text",
      vllm,
      { format: "hermes", rules: [{ cards: [{ text: "<tool_call>\n{}" }] }] },
      /text with call markup would be read by vllm, parser hermes .* write it as `call`/,
    ],
  ])("%s", (_name, server, model, message) => {
    const problems = problemsOf(server, model);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it("a rule that cannot reach the unmeasured cell is accepted", () => {
    const rule = { when: { tools: false }, cards: [{ call: { tool: "t", arguments: {} } }] };
    expect(problemsOf({ kind: "ollama", template: "native" }, { format: "qwen3_coder", rules: [rule] })).toEqual([]);
  });

  it.each([
    ["at the top", { server: vllm, models: { m: { format: "hermes" } }, extra: 1 }, ["extra"]],
    ["in the server", { server: { ...vllm, port: 1 }, models: { m: { format: "hermes" } } }, ["port"]],
    ["in a card", { server: vllm, models: { m: { format: "hermes", rules: [{ cards: [{ txt: "x" }] }] } } }, ["txt"]],
    [
      "in when",
      { server: vllm, models: { m: { format: "hermes", rules: [{ when: { users: "x" }, cards: [{ text: "x" }] }] } } },
      ["users"],
    ],
  ])("a wrong key %s is named", (_name, profile, keys) => {
    const result = profileSchema.safeParse(profile);
    expect(result.success).toBe(false);
    expect(result.error?.issues[0]).toMatchObject({ code: "unrecognized_keys", keys });
  });

  it.each([
    ["an unknown format", { server: vllm, models: { m: { format: "yaml" } } }],
    ["an unknown kind", { server: { kind: "sglang" }, models: { m: { format: "hermes" } } }],
    ["no model", { server: vllm, models: {} }],
    ["a rule without cards", { server: vllm, models: { m: { format: "hermes", rules: [{ cards: [] }] } } }],
    [
      "no copies of a card",
      { server: vllm, models: { m: { format: "hermes", rules: [{ cards: [{ n: 0, text: "x" }] }] } } },
    ],
  ])("%s is refused", (_name, profile) => {
    expect(profileSchema.safeParse(profile).success).toBe(false);
  });
});

describe("profiles written from the description are accepted", () => {
  it("the example of the design", () => {
    const profile = profileSchema.parse({
      server: {
        kind: "vllm",
        version: "0.32.0",
        parser: "hermes",
        reasoningParser: null,
        contextLength: 8192,
        chunk: 7,
      },
      models: {
        thinkingcap: {
          format: "qwen3_coder",
          rules: [
            {
              when: { user: "素数", tools: true },
              draw: "deck",
              cards: [
                { n: 2, call: { tool: "run_python", arguments: { task: "1から1000までの素数の和" } } },
                { n: 1, text: "76127だよ！" },
              ],
            },
            {
              when: { user: "素数", tools: false },
              draw: "deck",
              cards: [{ n: 3, before: "計算するね。", marker: "PYTHON: 1から1000までの素数の和" }],
            },
          ],
          forced: { tool: "run_python", arguments: { task: "…" } },
        },
      },
    });
    expect(checkProfile(profile)).toEqual([]);
  });

  it.each([
    ["none instead of null", { kind: "vllm", parser: "none", chunk: "random" }],
    ["a version that YAML reads as a number", { kind: "vllm", version: 0.33 }],
    ["Ollama's parser by its own name", { kind: "ollama", parser: "qwen3-coder" }],
    ["the format's name for a template", { kind: "llama-server", template: "qwen3_coder" }],
    ["nothing but the kind", { kind: "openai" }],
  ])("%s", (_name, server) => {
    expect(
      problemsOf(server, { format: "qwen3_coder", rules: [{ cards: [{ call: { tool: "t" } }, { text: "x" }] }] }),
    ).toEqual([]);
  });

  it("the JSON Schema names every key with its meaning", () => {
    const schema = JSON.stringify(profileJsonSchema());
    for (const key of ["contextLength", "reasoningParser", "draw", "marker", "forced", "default"])
      expect(schema).toContain(`"${key}"`);
    expect(schema).toContain("without replacement");
    expect(profileJsonSchema()["additionalProperties"]).toBe(false);
  });
});
