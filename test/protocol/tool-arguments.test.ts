import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/protocol/chat.ts";
import type { JsonObject } from "../../src/protocol/json.ts";
import { argumentsFit, checkArguments } from "../../src/protocol/tool-arguments.ts";

function tool(parameters?: JsonObject): Tool {
  return { type: "function", function: { name: "f", ...(parameters === undefined ? {} : { parameters }) } };
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

describe("checking arguments", () => {
  it.each([
    ["missing_required", object({ a: { type: "string" } }, { required: ["a"] }), {}, "/a"],
    ["unknown_argument", object({}, { additionalProperties: false }), { b: 1 }, "/b"],
    ["wrong_type", object({ a: { type: "integer" } }), { a: "1" }, "/a"],
    ["not_in_enum", object({ a: { enum: ["x"] } }), { a: "y" }, "/a"],
    ["constraint", object({ a: { type: "integer", minimum: 3 } }), { a: 1 }, "/a"],
    ["constraint", object({ a: { type: "string", pattern: "^[a-z]+$" } }), { a: "A1" }, "/a"],
  ] as const)("names %s with its path", (problem, schema, value, path) => {
    expect(checkArguments(tool(schema), value)).toMatchObject([{ problem, path }]);
  });

  it("finds nothing wrong with fitting arguments, and nothing to check without a schema", () => {
    expect(checkArguments(tool(object({ a: { type: "string" } }, { required: ["a"] })), { a: "x" })).toEqual([]);
    expect(checkArguments(tool(), { anything: 1 })).toEqual([]);
    expect(checkArguments(tool(), [1])).toMatchObject([{ problem: "not_an_object" }]);
  });

  it.each([
    ["a dangling reference", object({ a: { $ref: "#/$defs/nowhere" } })],
    ["a type that does not exist", object({ a: { type: "strng" } })],
    ["nesting without end", JSON.parse(`${'{"properties":{"a":'.repeat(80)}{}${"}}".repeat(80)}`) as JsonObject],
  ])("does not blame the arguments for a schema nobody can use: %s", (_what, schema) => {
    const problems = checkArguments(tool(schema), { a: 1 });
    expect(problems).toMatchObject([{ problem: "schema_unusable" }]);
    expect(argumentsFit(problems)).toBe(true);
  });

  it("accepts schemas of older drafts and of several tools under one id", () => {
    const draft4 = {
      $schema: "http://json-schema.org/draft-04/schema#",
      $id: "same",
      ...object({ a: { type: "string" } }),
    };
    expect(checkArguments(tool(draft4), { a: "x" })).toEqual([]);
    expect(checkArguments(tool({ ...draft4, $id: "same", properties: { a: { type: "number" } } }), { a: 1 })).toEqual(
      [],
    );
  });

  it("follows a schema that refers to itself", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" }, n: { type: "integer" } } };
    expect(checkArguments(tool(tree), { child: { child: { n: "1" } } })).toMatchObject([
      { problem: "wrong_type", path: "/child/child/n" },
    ]);
  });

  it("checks a pattern that would explode a backtracking engine in linear time", () => {
    // With backtracking this takes longer than the universe is old: the test ends only if the engine is linear.
    const schema = object({ a: { type: "string", pattern: "^(a+)+$" } });
    expect(checkArguments(tool(schema), { a: `${"a".repeat(5000)}!` })).toMatchObject([{ problem: "constraint" }]);
  });

  it("leaves a pattern unchecked that only a backtracking engine can read", () => {
    expect(checkArguments(tool(object({ a: { type: "string", pattern: "^(?=x)y" } })), { a: "z" })).toEqual([]);
  });
});
