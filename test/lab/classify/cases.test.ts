import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../../src/lab/classify/case-file.ts";
import { judgeCase, type MarkedCase, markCase, scoreCases } from "../../../src/lab/classify/score-cases.ts";
import { readCaseFolder } from "./case-folder.ts";

const folders = ["cases", "recorded", "neighbours"] as const;
const cases = new Map(folders.map((folder) => [folder, readCaseFolder(folder)]));

/** Labels that the rules leave unmet, with the reason. Nothing else may be wrong. */
const knownWrong: Readonly<Record<string, string>> = {
  "rec-ollama-hermes-textxml-named-stream-01 without raw":
    "what is left of the text announces a call; under a named choice the missing call outranks the announcement",
  "rec-vllm-hermes-qwen3-code-required-stream-01 without raw":
    "arguments that stop inside a string look cut; only the model's own words show that the parser did it",
};

function mark(file: CaseFile, withRaw: boolean): MarkedCase {
  const line = judgeCase(file, withRaw);
  const marks = markCase(file, line, withRaw);
  if (marks === null) throw new Error(`${file.id} has no label`);
  return { file, line, marks };
}

describe.each(folders)("labelled replies: %s", (folder) => {
  const files = cases.get(folder) ?? [];

  it("is the whole set", () => {
    const least = { cases: 191, recorded: 174, neighbours: 200 };
    expect(files.length).toBeGreaterThanOrEqual(least[folder]);
  });

  describe.each([
    ["with the raw text", true],
    ["without raw", false],
  ] as const)("%s", (way, withRaw) => {
    it.each(files.map((file) => [file.id, file] as const))("%s is judged as its label says", (id, file) => {
      const { line, marks } = mark(file, withRaw);
      const { verdict, unsafe, calls, leakFormat, validity, residualContent } = marks;
      expect(unsafe, `hands on ${JSON.stringify(line.calls)}`).toBe(false);
      const wrong = [
        verdict ? "" : `verdict ${line.verdict}, not ${marks.wanted}`,
        calls === false ? `calls ${JSON.stringify(line.calls)}` : "",
        leakFormat === false ? `format ${line.leakFormat}` : "",
        validity === false ? `validity ${line.validity}` : "",
        residualContent === false ? `text ${JSON.stringify(line.residualContent)}` : "",
      ].filter((word) => word !== "");
      const isKnown = knownWrong[`${id} ${way}`] !== undefined;
      expect(wrong.length > 0, wrong.join("; ")).toBe(isKnown);
    });
  });
});

describe("the score", () => {
  it("counts each kind of mark among the labels that speak of it, and names what was mistaken for what", () => {
    const [first, second] = [...(cases.get("cases") ?? [])].filter((file) => file.expected?.verdict === "leaked_call");
    if (first === undefined || second === undefined) throw new Error("no leaked calls among the cases");
    const right = mark(first, true);
    const relabelled = { ...second, fault: "made_up", expected: { verdict: "prose_command" as const, calls: [] } };
    const score = scoreCases([right, mark(relabelled, true)]);
    expect(score.verdict).toEqual({ right: 1, of: 2 });
    expect(score.handsOnNothing).toEqual({ right: 0, of: 1 });
    expect(score.confusion.find((row) => row.fault === "made_up")?.mistaken).toEqual([
      { wanted: "prose_command", given: "leaked_call", count: 1 },
    ]);
  });

  it("takes another name of the same wire form, and no other format", () => {
    const file = (cases.get("cases") ?? []).find((one) => one.expected?.leakFormat === "minimax_m1");
    if (file?.expected === undefined) throw new Error("no such case");
    const line = judgeCase(file, true);
    expect(markCase({ ...file, expected: { ...file.expected, leakFormat: "jamba" } }, line, true)?.leakFormat).toBe(
      true,
    );
    expect(markCase({ ...file, expected: { ...file.expected, leakFormat: "hermes" } }, line, true)?.leakFormat).toBe(
      false,
    );
  });
});

describe("the rules", () => {
  const sources = readdirSync(new URL("../../../src/", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(`../../../src/${name}`, import.meta.url), "utf8"));

  it("know no case: neither its name nor its words", () => {
    const found = [...(cases.get("cases") ?? []), ...(cases.get("recorded") ?? [])].flatMap((file) => {
      const words = [file.id, ...spokenWords(file)];
      return words
        .filter((word) => sources.some((source) => source.includes(word)))
        .map((word) => `${file.id}: ${word}`);
    });
    expect(found).toEqual([]);
  });
});

/** Stretches of twelve characters or more that the case says in words: user turns and replies, without wire markers. */
function spokenWords(file: CaseFile): readonly string[] {
  const texts = file.request.messages
    .filter((message) => message.role !== "system")
    .map((message) => (typeof message.content === "string" ? message.content : ""));
  const said = JSON.stringify(file.response).match(/"content":"((?:[^"\\]|\\.)*)"/g) ?? [];
  return (
    [...texts, ...said.map((part) => part.slice('"content":"'.length, -1).replace(/\\n/g, "\n").replace(/\\"/g, '"'))]
      .flatMap((text) => text.split(/[\n"`<>{}[\]|]+/))
      .map((part) => part.trim())
      .filter((part) => part.length >= 12 && /\s|[\u3040-\u30ff\u4e00-\u9fff]/.test(part))
      // What is left of markup: attributes, keys and line labels of the formats.
      .filter((part) => !/(?:name=|^, arguments:|Action Input:)$/.test(part))
  );
}
