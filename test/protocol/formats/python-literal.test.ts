import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pythonLiteral, readKeywordArguments } from "../../../src/protocol/formats/python-literal.ts";
import type { JsonValue } from "../../../src/protocol/json.ts";

describe("the arguments of a Python call", () => {
  it.each<[string, JsonValue]>([
    ["()", {}],
    ["(a=1, b=-2.5, c=1e3, d=1_000)", { a: 1, b: -2.5, c: 1000, d: 1000 }],
    ["(a=True, b=False, c=None, d=true, e=null)", { a: true, b: false, c: null, d: true, e: null }],
    [`(a='it\\'s', b="say \\"hi\\"", c='''two\nlines''')`, { a: "it's", b: 'say "hi"', c: "two\nlines" }],
    [
      String.raw`(a="tab\tx", b="\u3042\x41\U0001F600", c=r"\d+", d="\d")`,
      { a: "tab\tx", b: "あA😀", c: "\\d+", d: "\\d" },
    ],
    ["(a=[1, 'x', (2, 3)], b={'k': {'n': None}, 1: 2,})", { a: [1, "x", [2, 3]], b: { k: { n: null }, "1": 2 } }],
    ["(a='one' 'two',\n  b=2,  # why\n)", { a: "onetwo", b: 2 }],
  ])("%s", (text, values) => {
    expect(readKeywordArguments(text)).toEqual({ kind: "keywords", values });
  });

  it.each([
    ['("Paris")', "positional"],
    ['(1, b="x")', "positional"],
    ["(x)", "code"],
    ["(a=x)", "code"],
    ["(a=1 + 2)", "code"],
    ["(a == 1)", "code"],
    ["(a=f(1))", "code"],
    ["(a='open)", "code"],
    ["(a=1) if x", "code"],
    [`(a=${"[".repeat(200)}${"]".repeat(200)})`, "code"],
  ])("%s is none that names its parameters by literals", (text, kind) => {
    expect(readKeywordArguments(text).kind).toBe(kind);
  });

  it("reads back every value that JSON can hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (given) => {
        const value = JSON.parse(JSON.stringify(given)) as JsonValue;
        expect(readKeywordArguments(`(a=${pythonLiteral(value)})`)).toEqual({ kind: "keywords", values: { a: value } });
      }),
    );
  });
});
