import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/protocol/chat.ts";
import type { JsonObject, JsonValue } from "../../../src/protocol/json.ts";
import { resolveName } from "../../../src/protocol/repair/call-name.ts";
import { fitCall } from "../../../src/protocol/repair/fit-call.ts";
import { endsInsideString, repairJson } from "../../../src/protocol/repair/json-text.ts";
import { repairSafety } from "../../../src/protocol/repair/repair.ts";
import { argumentsFit, checkArguments } from "../../../src/protocol/tool-arguments.ts";

function tool(name: string, properties: JsonObject = {}, required: readonly string[] = []): Tool {
  return { type: "function", function: { name, parameters: { type: "object", properties, required: [...required] } } };
}

const text = { type: "string" };
const tools: readonly Tool[] = [
  tool("search", { query: text, limit: { type: "integer" }, tags: { type: "array" } }, ["query"]),
  tool("send", { to: text, body: text }, ["to", "body"]),
  tool("run_code", { code: text }, ["code"]),
  tool("stop"),
];

const names = (repairs: readonly { readonly name: string }[] | undefined): readonly string[] | undefined =>
  repairs?.map((repair) => repair.name);

describe("text that is nearly JSON", () => {
  it.each([
    ["trailing commas", '{"a": [1, 2,], "b": 1,}', { a: [1, 2], b: 1 }, ["trailing_comma"]],
    ["Python's words", '{"a": True, "b": None}', { a: true, b: null }, ["python_literals"]],
    ["Python's quotes, an apostrophe escaped", "{'a': 'it\\'s'}", { a: "it's" }, ["single_quotes"]],
    ["bare keys", '{a: 1, b_c: "x"}', { a: 1, b_c: "x" }, ["unquoted_keys"]],
    [
      "comments, and slashes inside strings",
      '{"a": "x//y", // why\n "b": 1 /* z */}',
      { a: "x//y", b: 1 },
      ["json_comments"],
    ],
    ["raw line breaks", '{"a": "x\ny"}', { a: "x\ny" }, ["raw_control_characters"]],
    ["backslashes that escape nothing", '{"a": "C:\\data\\plan"}', { a: "C:\\data\\plan" }, ["invalid_escapes"]],
    [
      "fullwidth punctuation outside strings only",
      '｛"a"：1，"b"："c：d"｝',
      { a: 1, b: "c：d" },
      ["fullwidth_punctuation"],
    ],
    ["a bracket too many", '{"a": 1}}', { a: 1 }, ["extra_outer_brace"]],
    ["the word of a code fence", 'json\n{"a": 1}', { a: 1 }, ["fence_word"]],
    ["a code fence", '```json\n{"a": 1}\n```', { a: 1 }, ["fence_word"]],
    [
      "quotation marks that escape nothing",
      '{"a": "he said "no" and left"}',
      { a: 'he said "no" and left' },
      ["unescaped_quotes"],
    ],
  ] as const)("is read with what it took: %s", (_what, given, value, repairs) => {
    const read = repairJson(given);
    expect(read?.value).toEqual(value);
    expect(names(read?.repairs)).toEqual(repairs);
    for (const repair of read?.repairs ?? []) expect(repair.before === repair.after).toBe(false);
  });

  it.each([
    ["an open string", '{"a": "b'],
    ["an open string behind an escape", '{"a": "b\\"'],
    ["a list in an object, both open", '{"a": [1'],
    ["a literal that is not over", '{"a": tru'],
    ["a key without a value", '{"a":'],
    ["a bracket that opens and nothing more", "{"],
    ["plain words", "ls -la"],
    ["nothing", ""],
  ])("stays unread: %s", (_what, given) => {
    expect(repairJson(given)).toBeNull();
    expect(repairJson(given, { stopped: true, behind: "text" })).toBeNull();
  });

  it("leaves aside only what it was told may stand behind the value", () => {
    const withMarkup = '{"a": 1}</tool_call>';
    const withProse = '{"a": 1} and so on';
    expect(repairJson(withMarkup)).toBeNull();
    expect(names(repairJson(withMarkup, { behind: "markup" })?.repairs)).toEqual(["markup_behind"]);
    expect(repairJson(withProse, { behind: "markup" })).toBeNull();
    expect(names(repairJson(withProse, { behind: "text" })?.repairs)).toEqual(["text_behind"]);
  });

  it("is not touched where it is JSON", () => {
    fc.assert(
      fc.property(fc.json(), (given) => {
        expect(repairJson(given)).toEqual({ value: JSON.parse(given) as JsonValue, repairs: [] });
      }),
    );
  });

  it("is never completed where it was cut: one closing bracket at most, and only of a text that ended by itself", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    fc.assert(
      fc.property(object, fc.nat(), (value, at) => {
        const whole = JSON.stringify(value);
        const cut = whole.slice(0, at % whole.length);
        expect(repairJson(cut)).toBeNull();
        const read = repairJson(cut, { stopped: true });
        if (endsInsideString(cut)) expect(read).toBeNull();
        if (read !== null) {
          expect(names(read.repairs)).toEqual(["missing_outer_brace"]);
          // Nothing is made up but the bracket.
          expect([`${cut}}`, `${cut}]`].map((text) => repairJson(text)?.value)).toContainEqual(read.value);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("ends on nesting and length without end", () => {
    expect(repairJson("[".repeat(100_000))).toBeNull();
    expect(repairJson(`{"a": "${"\\".repeat(100_001)}`)).toBeNull();
    expect(repairJson(" ".repeat(200_000))).toBeNull();
  });
});

describe("names", () => {
  it.each([
    ["functions.search", ["search"], "namespace_in_name"],
    ["functions.search:0", ["search"], "namespace_in_name"],
    ["functions_run_code_12", ["run_code"], "namespace_in_name"],
    ["tools/send", ["send"], "namespace_in_name"],
    ["search</arg_value>", ["search"], "marker_in_name"],
    ["send<|channel|>commentary", ["send"], "marker_in_name"],
    ["searchsearchsearch", ["search", "search", "search"], "doubled_name"],
    ["searchsend", ["search", "send"], "doubled_name"],
  ] as const)("%s is read as %j", (written, wanted, repair) => {
    const resolved = resolveName(written, tools);
    expect(resolved?.names).toEqual(wanted);
    expect(names(resolved?.repairs)).toContain(repair);
  });

  it.each(["find", "Search", "sear", "search2", "web.search", "my_search", "", "<|call|>"])(
    "%j is nobody's",
    (written) => {
      expect(resolveName(written, tools)).toBeNull();
    },
  );

  it("are never invented", () => {
    const declared = new Set(tools.map((one) => one.function.name));
    const near = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom("search", "send", "functions.", "<|x|>", ":0", "_1", "stop", " "))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(near, (written) => {
        for (const name of resolveName(written, tools)?.names ?? []) expect(declared.has(name)).toBe(true);
      }),
    );
  });
});

describe("arguments", () => {
  const held = (name: string, given: JsonValue, jsonText = true) =>
    fitCall({ name, arguments: given, untyped: false, stopped: true, jsonText }, tools);

  it.each([
    ["search", '{"query": "x"}', { query: "x" }, []],
    ["search", '{"query": "x", "limit": "5"}', { query: "x", limit: 5 }, ["types_by_schema"]],
    ["search", '{"query": "x", "tags": "[\\"a\\"]"}', { query: "x", tags: ["a"] }, ["types_by_schema"]],
    ["search", '{"query": "x", "limit": null}', { query: "x" }, ["null_dropped"]],
    ["search", '{"query": 12}', { query: "12" }, ["number_as_text"]],
    ["search", '"{\\"query\\": \\"x\\"}"', { query: "x" }, ["escaped_twice"]],
    ["search", "plain words", { query: "plain words" }, ["single_parameter"]],
    ["stop", "", {}, ["empty_arguments"]],
    ["run_code", '{"code": "a = 1\\\\nprint(a)"}', { code: "a = 1\nprint(a)" }, ["newlines_escaped_twice"]],
    ["run_code", '{"code": "print(\'a\\\\nb\')"}', { code: "print('a\\nb')" }, []],
    ["send", '{"to": "a", "body": "{\\"x\\": 1}"}', { to: "a", body: '{"x": 1}' }, []],
  ] as const)("%s %s", (name, given, value, repairs) => {
    const [fitted] = held(name, given);
    expect(fitted).toMatchObject({ kind: "fits", name, arguments: value });
    expect(fitted?.kind === "fits" ? names(fitted.repairs) : null).toEqual(repairs);
  });

  it.each([
    ["search", "{}", "unfit"],
    ["search", "", "unfit"],
    ["search", '{"query": {"type": "string"}}', "unfit"],
    ["search", '{"query": "x', "unfit"],
    ["send", "to whom it may concern", "ambiguous"],
    ["send", '["a", "b"]', "ambiguous"],
    ["lookup", '{"query": "x"}', "undeclared"],
    ["call_8f2a1c", '{"query": "x"}', "ambiguous"],
  ] as const)("%s %s is %s", (name, given, kind) => {
    expect(held(name, given).map((fitted) => fitted.kind)).toEqual([kind]);
  });

  it("that several calls ran together in are several calls", () => {
    expect(held("search", '{"query": "a"}{"query": "b"}')).toMatchObject([
      { kind: "fits", arguments: { query: "a" } },
      { kind: "fits", arguments: { query: "b" } },
    ]);
    expect(held("searchstop", '{"query": "a"} {}')).toMatchObject([
      { name: "search" },
      { name: "stop", arguments: {} },
    ]);
  });

  it("written as text inside a written call were escaped once too often", () => {
    const [fitted] = held("search", '{"query": "x"}', false);
    expect(fitted?.kind === "fits" ? names(fitted.repairs) : null).toEqual(["escaped_twice"]);
  });

  it("fit the schema whenever they are said to, and take no guess", () => {
    const given = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((json) => JSON.stringify(json)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...tools), given, (one, value) => {
        for (const fitted of held(one.function.name, value)) {
          if (fitted.kind !== "fits") continue;
          expect(argumentsFit(checkArguments(one, fitted.arguments))).toBe(true);
          for (const repair of fitted.repairs) {
            expect(repair.safety).toBe(repairSafety[repair.name]);
            expect(repair.safety).not.toBe("semantic");
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
