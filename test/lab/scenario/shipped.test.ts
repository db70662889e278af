import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scenarioJsonSchemas } from "../../../src/lab/scenario/json-schemas.ts";
import { findSuite, type LoadedScenarios, loadScenarios, shippedScenarios } from "../../../src/lab/scenario/load.ts";
import { planSamples } from "../../../src/lab/scenario/plan.ts";
import { requestFor } from "../../../src/lab/scenario/request.ts";
import { languages, type Scenario } from "../../../src/lab/scenario/scenario.ts";
import { placeholders } from "../../../src/lab/scenario/template.ts";
import appendix from "../../fixtures/scenario/seed-appendix.json" with { type: "json" };

let shipped: LoadedScenarios;
beforeAll(() => {
  shipped = loadScenarios([]);
});
const byId = (id: string): Scenario => {
  const found = shipped.scenarios.find((scenario) => scenario.id === id);
  if (found === undefined) throw new Error(`no scenario ${id}`);
  return found;
};
const ofClass = (language: string, scenarioClass: Scenario["class"]) =>
  shipped.scenarios.filter((scenario) => scenario.language === language && scenario.class === scenarioClass);

describe("the two questions of the published experiment", () => {
  const seeds = ["memorizable", "unmemorizable"] as const;
  const bodies = (id: string, suite: string) =>
    planSamples({
      target: "t",
      routes: ["direct"],
      suite: findSuite(shipped, suite),
      scenarios: shipped.scenarios,
      onlyScenarios: [id],
      agentShapes: shipped.agentShapes,
      trials: 1,
      shapes: ["small"],
      languages: ["ja"],
      seed: "any",
    }).map((sample) => ({
      arm: sample.arm,
      body: requestFor(sample, { model: "your-model", overrides: { body: {} }, extras: {} }),
    }));

  it.each(seeds)("%s: the native arm sends the appendix's body, word for word", (name) => {
    const native = bodies(`seed-${name}`, "contract-matrix").filter(({ arm }) => arm === "native");
    expect(native).toHaveLength(1);
    const { seed, ...body } = native[0]?.body ?? {};
    expect(seed).toBeTypeOf("number");
    expect(body).toEqual({
      model: "your-model",
      max_tokens: 512,
      temperature: 0.7,
      messages: [
        { role: "system", content: appendix.persona },
        { role: "user", content: appendix.users[name] },
      ],
      tools: appendix.tools,
      tool_choice: "auto",
      stream: false,
    });
  });

  it.each(seeds)("%s: the marker arm sends persona and rule joined as there, and no tools", (name) => {
    const marker = bodies(`seed-${name}`, "contract-matrix").filter(({ arm }) => arm === "marker");
    expect(marker).toHaveLength(1);
    const { seed: _seed, ...body } = marker[0]?.body ?? {};
    expect(body).toEqual({
      model: "your-model",
      max_tokens: 512,
      temperature: 0.7,
      messages: [
        { role: "system", content: appendix.persona + appendix.markerRule },
        { role: "user", content: appendix.users[name] },
      ],
      stream: false,
    });
  });
});

describe("the shipped scenarios", () => {
  it("use one persona, marker rule and tool a language", () => {
    for (const language of languages) {
      const inLanguage = shipped.scenarios.filter((scenario) => scenario.language === language);
      expect(new Set(inLanguage.map((scenario) => scenario.system)).size, language).toBe(1);
      const python = inLanguage.filter((scenario) => scenario.marker.name === "PYTHON");
      expect(new Set(python.map((scenario) => JSON.stringify([scenario.marker, scenario.tools]))).size, language).toBe(
        1,
      );
    }
    expect(byId("sha256-nonce-ja").system).toBe(appendix.persona);
    expect(byId("sha256-nonce-ja").marker.rule).toBe(appendix.markerRule);
    expect(byId("sha256-nonce-ja").tools).toEqual(appendix.tools);
  });

  it.each(languages)(
    "%s: hold at least six matched pairs, the known question being the other with its inputs named",
    (language) => {
      const paired = shipped.scenarios.filter(
        (scenario) => scenario.language === language && scenario.pair !== undefined,
      );
      const pairs = groupByPair(paired);
      expect(pairs.size).toBeGreaterThanOrEqual(6);
      for (const [pair, members] of pairs) {
        expect(members.map((member) => member.class).sort(), pair).toEqual(["memorizable", "unmemorizable"]);
        const [known, nonce] = [...members].sort((left, right) => left.class.localeCompare(right.class));
        if (known === undefined || nonce === undefined) throw new Error("unreachable");
        expect(known.oracle.kind, pair).toBe(nonce.oracle.kind);
        expect(known.maxTokens, pair).toBe(nonce.maxTokens);
        expect(placeholders(known.user), pair).toEqual([]);
        expect(placeholders(nonce.user).length, pair).toBeGreaterThan(0);
        // The same words around the inputs: what is left of the nonce question stands in the known one.
        const frame = nonce.user.split(/「?\{\{[^}]*\}\}」?(?:という文字列)?|(?:the string )"\{\{nonce\}\}"/);
        for (const part of frame) expect(known.user, pair).toContain(part.replace(/^the string "|"$/g, "").trim());
      }
    },
  );

  it("change with every trial where the class is unmemorizable, the published question excepted", () => {
    for (const scenario of shipped.scenarios) {
      if (scenario.id === "seed-unmemorizable") continue;
      expect(placeholders(scenario.user).length > 0, scenario.id).toBe(scenario.class === "unmemorizable");
    }
  });

  it.each(languages)("%s: have near questions, a picture to draw and a greeting", (language) => {
    expect(ofClass(language, "near").length).toBeGreaterThanOrEqual(2);
    expect(ofClass(language, "impossible").map((each) => [each.wanted, each.marker.name, each.oracle.kind])).toEqual([
      ["generate_image", "IMAGE", "none"],
    ]);
    expect(ofClass(language, "irrelevant").map((each) => [each.wanted, each.oracle.kind])).toEqual([[null, "none"]]);
  });

  it("have, where the question looks known, an answer that differs from the known one it looks like", () => {
    const lookAlikes = { "prime-sum-near": "76127", "factorial-near": "648", "sha256-near": "ba7816bf8f" };
    const plan = planSamples({
      target: "t",
      routes: ["direct"],
      suite: findSuite(shipped, "contract-matrix"),
      scenarios: shipped.scenarios,
      onlyScenarios: Object.keys(lookAlikes).flatMap((name) => languages.map((language) => `${name}-${language}`)),
      agentShapes: shipped.agentShapes,
      trials: 1,
      shapes: ["small"],
      languages,
      seed: "any",
    });
    for (const sample of plan) {
      const known = lookAlikes[sample.scenario.replace(/-(ja|en)$/, "") as keyof typeof lookAlikes];
      expect(sample.expectation.oracle.length, sample.id).toBeGreaterThan(0);
      expect(sample.expectation.oracle, sample.id).not.toContain(known);
    }
  });

  it("ship examples whose kind fits: good calls the wanted tool, bad and near miss do not", () => {
    for (const { id, wanted, examples } of shipped.scenarios) {
      if (wanted === null) {
        expect(examples.good.call, id).toBeUndefined();
        expect(examples.bad.call, id).toBeDefined();
      } else {
        expect(examples.good.call?.tool, id).toBe(wanted);
        expect(examples.bad.call, id).toBeUndefined();
        expect(examples.bad.text, id).toBeTruthy();
      }
      expect(examples.nearMiss.call, id).toBeUndefined();
      expect(examples.nearMiss.text, id).toMatch(/run_python|generate_image|```python/);
    }
  });

  it("give their example calls arguments that the tool's own schema accepts", () => {
    for (const { id, tools, examples } of shipped.scenarios) {
      for (const { call } of [examples.good, examples.bad]) {
        if (call === undefined) continue;
        const tool = tools.find((each) => each.function.name === call.tool);
        const accepts = new Ajv2020().compile(tool?.function.parameters ?? false);
        expect(accepts(call.arguments), id).toBe(true);
      }
    }
  });
});

describe("the agent shapes", () => {
  it.each(languages)(
    "%s: is long, has more than thirty tools with usable schemas, and a call with its result",
    (language) => {
      const shape = shipped.agentShapes.find((each) => each.language === language);
      if (shape === undefined) throw new Error(`no agent shape for ${language}`);
      expect(new TextEncoder().encode(shape.system).length).toBeGreaterThan(3000);
      expect(shape.tools.length).toBeGreaterThan(30);
      expect(new Set(shape.tools.map((tool) => tool.function.name)).size).toBe(shape.tools.length);
      for (const tool of shape.tools) {
        expect(() => new Ajv2020({ validateFormats: false }).compile(tool.function.parameters ?? false)).not.toThrow();
        expect(tool.function.description, tool.function.name).toBeTruthy();
      }
      const call = shape.history.flatMap((message) => message.tool_calls ?? [])[0];
      const declared = shape.tools.find((tool) => tool.function.name === call?.function.name);
      const accepts = new Ajv2020({ validateFormats: false }).compile(declared?.function.parameters ?? false);
      expect(accepts(JSON.parse(call?.function.arguments ?? "null"))).toBe(true);
      const result = shape.history.find((message) => message.role === "tool");
      expect(result?.tool_call_id).toBe(call?.id);
      expect(() => JSON.parse(String(result?.content))).not.toThrow();
    },
  );

  it("offer the same tools in both languages, and none that competes with a measured one", () => {
    const [first, second] = languages.map((language) =>
      shipped.agentShapes.find((shape) => shape.language === language),
    );
    const skeleton = (value: unknown) =>
      JSON.stringify(value, (key, inner: unknown) => (key === "description" && typeof inner === "string" ? "" : inner));
    expect(skeleton(first?.tools)).toBe(skeleton(second?.tools));
    for (const tool of first?.tools ?? []) {
      expect(tool.function.name).not.toMatch(/python|code|shell|bash|exec|calc|hash|image|draw|generate/);
    }
  });
});

describe("the JSON Schemas", () => {
  const kinds = { ja: "scenario", en: "scenario", suites: "suite", agent: "agent-shape" } as const;
  const schemas = scenarioJsonSchemas();

  it.each(Object.entries(kinds))("accept every file in %s and refuse it with a key too many", (folder, kind) => {
    const accepts = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schemas[kind] ?? false);
    const files = readdirSync(join(shippedScenarios, folder));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const data: unknown = parse(readFileSync(join(shippedScenarios, folder, file), "utf8"));
      expect(accepts(data), `${file}: ${JSON.stringify(accepts.errors)}`).toBe(true);
      expect(accepts({ ...(data as object), usr: "x" }), file).toBe(false);
    }
  });

  it.each(Object.keys(schemas))("%s: the copy in scenarios/schemas is what the code writes", (kind) => {
    const copy: unknown = JSON.parse(readFileSync(join(shippedScenarios, "schemas", `${kind}.schema.json`), "utf8"));
    expect(copy, "write the output of `lab scenarios schema` there").toEqual(JSON.parse(JSON.stringify(schemas[kind])));
  });
});

function groupByPair(scenarios: readonly Scenario[]): Map<string | undefined, Scenario[]> {
  const groups = new Map<string | undefined, Scenario[]>();
  for (const scenario of scenarios) groups.set(scenario.pair, [...(groups.get(scenario.pair) ?? []), scenario]);
  return groups;
}
