import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { defaultPolicy, policyJsonSchema, policySchema } from "../../../src/lab/gate/policy.ts";
import { readYaml } from "../../../src/lab/scenario/yaml-source.ts";

function problems(text: string): readonly string[] {
  const read = readYaml(text, "gate.yaml", policySchema);
  return read.ok ? [] : read.problems;
}

describe("a policy file", () => {
  it("may say anything or nothing of what can be said", () => {
    expect(problems("alpha: 0.01\n")).toEqual([]);
    expect(policySchema.parse({})).toEqual(defaultPolicy);
  });

  it.each([
    ["floor: []\n", /^gate\.yaml:1:1: unknown key "floor" \(did you mean "floors"\?\)/],
    [
      "floors:\n  - { arm: native, atleast: 0.8 }\n",
      /^gate\.yaml:2:\d+: unknown key "atleast" \(did you mean "atLeast"\?\)/,
    ],
    ["alpha: 2\n", /^gate\.yaml:1:8: "alpha"/],
    ["drop: { tolerated: 0.5, ruledOut: 0.2 }\n", /^gate\.yaml:1:\d+: "drop" must rule out more/],
    ["safety: [{ counter: lies, atMost: 0 }]\n", /^gate\.yaml:1:\d+: "safety\[0\]\.counter" cannot be "lies"/],
    ["safety: [{ counter: quoted_call }]\n", /^gate\.yaml:1:\d+: "safety\[0\]" needs atMost, rise or both/],
    ["onInconclusive: maybe\n", /^gate\.yaml:1:\d+: "onInconclusive" cannot be "maybe"/],
    ["trials: { minimum: 0 }\n", /^gate\.yaml:1:\d+: "trials\.minimum"/],
    ["", /^gate\.yaml:1:1: is empty/],
    ["a: [", /^gate\.yaml:1:\d+: /],
  ])("with a mistake is refused by file and line: %j", (text, line) => {
    expect(problems(text)[0]).toMatch(line);
  });

  it("has a JSON Schema that agrees with the reader", () => {
    const validate = new Ajv2020({ strict: false }).compile(policyJsonSchema());
    expect(
      validate({ floors: [{ arm: "native", atLeast: 0.8 }], safety: [{ counter: "quoted_call", atMost: 0.1 }] }),
    ).toBe(true);
    expect(validate({ floors: [{ arm: "native" }] })).toBe(false);
    expect(validate({ flors: [] })).toBe(false);
  });
});

describe("the files that are shipped", () => {
  const text = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");

  it("hold the schema as the reader has it", () => {
    expect(JSON.parse(text("scenarios/schemas/gate-policy.schema.json"))).toEqual(policyJsonSchema());
  });

  it("hold an example policy that is one, and whose defaults are the defaults", () => {
    const read = readYaml(text("examples/ci/gate.yaml"), "gate.yaml", policySchema);
    if (!read.ok) throw new Error(read.problems.join("\n"));
    const { floors, safety, coverage, ...rest } = read.value;
    const { floors: none, safety: counters, coverage: all, ...defaults } = defaultPolicy;
    expect(rest).toEqual(defaults);
    expect([none, coverage.measured, coverage.baselineCells]).toEqual([[], all.measured, all.baselineCells]);
    expect(safety.map(({ counter }) => counter).sort()).toEqual(counters.map(({ counter }) => counter).sort());
    expect(floors).toHaveLength(1);
  });
});
