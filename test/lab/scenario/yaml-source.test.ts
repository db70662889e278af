import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readYaml } from "../../../src/lab/scenario/yaml-source.ts";

const schema = z.strictObject({
  user: z.string(),
  count: z.number().int().positive().default(3),
  mode: z.enum(["fast", "slow"]).optional(),
  oracle: z
    .discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("exact"), value: z.string() }),
      z.strictObject({ kind: z.literal("hash"), of: z.string(), length: z.number() }),
    ])
    .optional(),
  pick: z
    .union([z.strictObject({ ids: z.array(z.string()) }), z.strictObject({ classes: z.array(z.string()) })])
    .optional(),
  size: z.union([z.number(), z.string().regex(/^x$/, "must be x")]).optional(),
  items: z.array(z.strictObject({ name: z.string() })).optional(),
  table: z.record(z.string(), z.strictObject({ port: z.number() })).optional(),
});

function problemsOf(text: string): readonly string[] {
  const result = readYaml(text, "a/b.yaml", schema);
  return result.ok ? [] : result.problems;
}

describe("readYaml", () => {
  it("shows where what a further check names stands, also under keys with dots and colons", () => {
    const text = "user: hi\ntable:\n  a.b:7b: { port: 1 }\n  a: { port: 2 }\nitems: [{ name: x }, { name: y }]\n";
    const check = () => ["table.a.b:7b.port: odd", "table.a: odd", "items[1].name: odd", "nothing of it"];
    expect(readYaml(text, "a/b.yaml", schema, check)).toEqual({
      ok: false,
      problems: [
        "a/b.yaml:3:19: table.a.b:7b.port: odd",
        "a/b.yaml:4:6: table.a: odd",
        "a/b.yaml:5:30: items[1].name: odd",
        "a/b.yaml:1:1: nothing of it",
      ],
    });
  });

  it("names the first mistake in the syntax and not its echoes", () => {
    expect(problemsOf("user: { a: b\nmode: [\n")).toHaveLength(1);
  });

  it("returns the value, defaults filled in", () => {
    expect(readYaml("user: hi\n", "a/b.yaml", schema)).toEqual({ ok: true, value: { user: "hi", count: 3 } });
    expect(readYaml('\uFEFF{"user": "hi", "count": 4}', "a/b.yaml", schema)).toEqual({
      ok: true,
      value: { user: "hi", count: 4 },
    });
  });

  it.each<[string, string, readonly string[]]>([
    ["a misspelt key, once", "# c\nusr: hi\n", ['a/b.yaml:2:1: unknown key "usr" (did you mean "user"?)']],
    [
      "a key like no other",
      "user: hi\nxyzzyx: 1\n",
      ['a/b.yaml:2:1: unknown key "xyzzyx" (known: count, mode, oracle, pick, size, items, table)'],
    ],
    ["a missing key", "count: 1\n", ['a/b.yaml:1:1: missing key "user"']],
    ["a wrong type", "user: 12\n", ['a/b.yaml:1:7: "user" must be text, not 12']],
    [
      "a placeholder without quotes",
      "user: {{nonce}}\n",
      ['a/b.yaml:1:7: "user" must be text, not a mapping; a text that begins with "{" needs quotes'],
    ],
    [
      "two documents",
      "user: a\n---\nuser: b\n",
      ["a/b.yaml:2:1: holds more than one document; keep one, without lines of ---"],
    ],
    ["an empty value", "user:\n", ['a/b.yaml:1:6: "user" must be text, not empty']],
    ["a number below its limit", "user: a\ncount: 0\n", ['a/b.yaml:2:8: "count" must be above 0, not 0']],
    ["a fraction", "user: a\ncount: 1.5\n", ['a/b.yaml:2:8: "count" must be a whole number, not 1.5']],
    [
      "a word that is no choice",
      "user: a\nmode: fats\n",
      ['a/b.yaml:2:7: "mode" cannot be "fats" (did you mean "fast"?) (one of fast, slow)'],
    ],
    [
      "an unknown kind",
      "user: a\noracle: { kind: hsh }\n",
      ['a/b.yaml:2:17: "oracle.kind" cannot be "hsh" (did you mean "hash"?) (one of exact, hash)'],
    ],
    ["a missing kind", "user: a\noracle: { of: x }\n", ['a/b.yaml:2:1: missing key "kind" in "oracle"']],
    [
      "a misspelt key of a kind",
      "user: a\noracle:\n  kind: hash\n  of: x\n  lenght: 3\n",
      ['a/b.yaml:5:3: unknown key "lenght" (did you mean "length"?)'],
    ],
    [
      "a misspelt alternative",
      "user: a\npick: { idz: [a] }\n",
      ['a/b.yaml:2:9: unknown key "idz" (did you mean "ids"?)'],
    ],
    [
      "a value that no alternative takes",
      "user: a\npick: 3\n",
      ['a/b.yaml:2:7: "pick" must be a mapping of keys to values'],
    ],
    ["a text that its alternative refuses", "user: a\nsize: y\n", ['a/b.yaml:2:7: "size": must be x']],
    [
      "a place in a list",
      "user: a\nitems:\n  - name: ok\n  - nam: x\n",
      ['a/b.yaml:4:5: unknown key "nam" (did you mean "name"?)'],
    ],
    [
      "a place under a free key",
      "user: a\ntable:\n  one: { port: x }\n",
      ['a/b.yaml:3:16: "table.one.port" must be a number, not the text "x"'],
    ],
    ["nothing at all", "# only a comment\n", ["a/b.yaml:1:1: is empty"]],
    [
      "a list instead of a mapping",
      "- a\n",
      ["a/b.yaml:1:1: the file must be a mapping of keys to values, not a list"],
    ],
  ])("names %s with its line and column", (_what, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it("lists all mistakes in the order of the lines", () => {
    expect(problemsOf("count: x\nusr: a\nmode: quick\n").map((line) => line.split(":")[1])).toEqual(["1", "2", "3"]);
  });

  it.each([
    ["an open quote", 'user: "hi\ncount: 1\n', /^a\/b\.yaml:\d+:\d+: /],
    ["a key given twice", "user: a\nuser: b\n", /^a\/b\.yaml:2:1: .*unique/],
    ["a tab as indentation", "user: a\noracle:\n\tkind: exact\n", /^a\/b\.yaml:3:\d+: /],
    ["two documents", "user: a\n---\nuser: b\n", /^a\/b\.yaml:\d+:\d+: .*more than one document/],
    ["an unknown tag", "user: !secret a\n", /^a\/b\.yaml:1:7: .*tag/],
    ["an anchor that is not there", "user: *gone\n", /^a\/b\.yaml:1:\d+: .*gone/],
  ])("names broken YAML with its line: %s", (_what, text, pattern) => {
    expect(problemsOf(text)[0]).toMatch(pattern);
  });

  it("does not unfold an alias bomb", () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]`,
    );
    const problems = problemsOf(`a0: &a0 [x]\n${levels.join("\n")}\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/alias/i);
  });

  it("keeps every problem on one line and shows control characters escaped", () => {
    for (const line of problemsOf('"\\u001b[31mred": 1\nuser: "a\\nb"\nmode: "x\\ny"\n')) {
      expect(line).not.toMatch(/[\u0000-\u001f]/);
    }
  });

  it("never throws and always gives lines with file and place", () => {
    const pieces = fc.constantFrom(
      "user",
      ":",
      " ",
      "\n",
      "-",
      "[",
      "]",
      "{",
      "}",
      '"',
      "*a",
      "&a ",
      "!x ",
      "count: 1",
      "|",
      "?",
      "#",
      "\t",
      "é",
      "素",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        for (const line of problemsOf(parts.join(""))) expect(line).toMatch(/^a\/b\.yaml:\d+:\d+: \S/);
      }),
      { numRuns: 500 },
    );
  });
});
