import { describe, expect, it } from "vitest";
import { readNegativeIntent } from "../../../src/adapter/intent/negative-intent.ts";

describe("negative intent", () => {
  it.each([
    ["実行しないで", { kind: "blanket", everything: false }],
    ["Don't run anything.", { kind: "blanket", everything: false }],
    ["Don't run it, just edit the file.", { kind: "blanket", everything: false }],
    ["実行しないで、説明だけして", { kind: "blanket", everything: true }],
    ["Explain `ls`, but don't run it.", { kind: "blanket", everything: true }],
    ["Fix a.ts. Don't run anything.", { kind: "blanket", everything: false }],
    ["Explain `npm test`, don't run `npm test`.", { kind: "blanket", everything: true }],
    ["don't run the tests, just edit a.ts", { kind: "bound", bans: [{ deed: "run", object: "the tests" }] }],
    ["テストは実行しないで、a.tsを直して", { kind: "bound", bans: [{ deed: "run", object: "テスト" }] }],
    ["Don't touch package.json", { kind: "bound", bans: [{ deed: "change", object: "package.json" }] }],
    ["コミットはしないで", { kind: "bound", bans: [{ deed: "commit", object: "" }] }],
    ["run the tests", { kind: "none" }],
    ["", { kind: "none" }],
  ])("%j", (turn, expected) => {
    expect(readNegativeIntent(turn)).toMatchObject(expected);
  });

  it.each([
    ["Fix a.ts but leave b.ts alone", "b.ts"],
    ["Fix a.ts, keep b.ts unchanged.", "b.ts"],
    ["It is unnecessary to run the tests", "the tests"],
    ["You needn't run the tests", "the tests"],
    ["We mustn’t run the tests", "the tests"],
    ["dont run the tests", "the tests"],
    ["Never run the tests", "the tests"],
    ["Quit running the tests", "the tests"],
    ["Stop running the tests", "the tests"],
    ["Skip running the tests", "the tests"],
    ["Avoid running the tests", "the tests"],
    ["Refrain from running the tests", "the tests"],
    ["Hold off on running the tests", "the tests"],
    ["Forget about running the tests", "the tests"],
    ["Answer without running the tests", "the tests"],
    ["The tests must not be run", "the tests"],
  ])("bans in the words of %j", (turn, object) => {
    expect(readNegativeIntent(turn)).toMatchObject({ kind: "bound", bans: [{ object }] });
  });

  it.each([
    "I'll run it myself",
    "I can run this on my own",
    "Dry-run only",
    "read-only please",
    "no tool calls",
    "Answer instead of running commands",
    "Nothing should be executed.",
  ])("bans everything in the words of %j", (turn) => {
    expect(readNegativeIntent(turn).kind).toBe("blanket");
  });

  it("gives the user's own words, quotations included", () => {
    expect(readNegativeIntent("`npm install` は実行しないで、a.tsを直して")).toEqual({
      kind: "bound",
      bans: [{ deed: "run", object: "npm install", phrase: "`npm install` は実行しないで" }],
    });
    expect(readNegativeIntent("I'd rather you didn't run `a b`.")).toMatchObject({ bans: [{ object: "a b" }] });
  });

  it("is found at both ends of a long turn", () => {
    const filler = "The log follows. ".repeat(2_000);
    expect(readNegativeIntent(`${filler} Don't run anything.`).kind).toBe("blanket");
    expect(readNegativeIntent(`Don't run anything. ${filler}`).kind).toBe("blanket");
  });

  it.each([
    "```\ndo not run this\n```\nFix it.",
    "> do not run this\n\nFix it.",
    '"Do not run" is shown. Why?',
    "「実行しないで」の英訳は？",
    "Tell Bob 'please never run npm test' and run the linter.",
    "He wrote “do not run npm test” in the readme. Run the linter.",
    "Run it as `do not run this` says.",
  ])("is not read from a quotation: %j", (turn) => {
    expect(readNegativeIntent(turn)).toEqual({ kind: "none" });
  });
});
