import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { Calibration, ConformanceCell, SetUpCalibration } from "../../../src/lab/calibration/calibration.ts";
import { calibrationConsole } from "../../../src/lab/report/calibration/console.ts";
import { calibrationSection } from "../../../src/lab/report/calibration/html.ts";
import { serversPage } from "../../../src/lab/report/calibration/markdown.ts";
import { asCalibrated, cellsOf, toTable } from "../../../src/lab/report/calibration/table.ts";
import { accuracyRows, conformanceView, missLines, pairWord } from "../../../src/lab/report/calibration/view.ts";
import { calibrationWords } from "../../../src/lab/report/calibration/words.ts";
import { plainOptions } from "../../../src/lab/report/report.ts";

const words = calibrationWords("en");
const cell = (
  script: string,
  asked: ConformanceCell["asked"],
  stream: boolean,
  outcome: ConformanceCell["outcome"],
  beside = false,
): ConformanceCell => ({ script, asked, stream, outcome, beside });

const setUp: SetUpCalibration = {
  setUp: { id: "hermes", server: "vllm", parser: true, format: "hermes", tools: "whole", grammar: "forced" },
  target: "hermes",
  version: "0.32.0",
  start: "vllm serve MODEL",
  cells: [
    cell("hermes", "auto", false, "call"),
    cell("hermes", "auto", true, "call"),
    cell("xml", "auto", false, "leaked"),
    cell("xml", "auto", true, "swallowed"),
    cell("xml", "required", false, "mangled", true),
    cell("xml", "no_tools", false, "leaked"),
    cell("direct", "required", false, "forced"),
  ],
  side: [
    {
      question: "parallel_tool_calls",
      script: "two-hermes",
      stream: false,
      outcome: "mangled",
      calls: 1,
      finish: "tool_calls",
    },
    { question: "max_tokens", script: "hermes", stream: false, outcome: "leaked", calls: 0, finish: "length" },
  ],
  checked: [
    {
      id: "hermes/1",
      script: "xml",
      suite: "parser-mismatch",
      arm: "auto",
      stream: false,
      truth: { axes: ["leaked"], owners: ["server_parser"], findings: [], because: "the call stands in the content" },
      judged: { axis: "none", owner: "<b>model</b>", findings: ["direct_answer"] },
      axisRight: false,
      ownerRight: false,
      findingsRight: false,
    },
    {
      id: "hermes/2",
      script: "xml",
      suite: "parser-mismatch",
      arm: "auto",
      stream: true,
      truth: { axes: ["swallowed"], owners: ["server_parser"], findings: null, because: "nowhere" },
      judged: { axis: "swallowed", owner: "server_parser", findings: [] },
      axisRight: true,
      ownerRight: true,
      findingsRight: null,
    },
  ],
  unmet: null,
};

const calibration: Calibration = {
  schemaVersion: 1,
  run: "r",
  scripts: [
    { script: "direct", format: null, holds: "text" },
    { script: "hermes", format: "hermes", holds: "call" },
    { script: "xml", format: "qwen3_coder", holds: "call" },
  ],
  setUps: [setUp, { ...setUp, setUp: { ...setUp.setUp, id: "dead" }, cells: [], side: [], checked: [], unmet: "died" }],
};

describe("the conformance matrix", () => {
  it("has a row a format, both modes in a cell, and says what differs", () => {
    const view = conformanceView(setUp, calibration.scripts, words);
    const xml = view.rows.find(({ label }) => label === "qwen3_coder");
    expect(pairWord(xml?.cells.auto ?? { whole: null, streamed: null })).toBe("leaked / swallowed");
    expect(pairWord(xml?.cells.no_tools ?? { whole: null, streamed: null })).toBe("leaked");
    expect(pairWord(xml?.cells.named ?? { whole: null, streamed: null })).toBe("–");
    expect(view.differences).toBe("Streamed and whole replies differ for 1 of 3 scripts under auto: xml.");
    expect(view.behaviours.map(({ label, answer }) => [label, pairWord(answer)])).toEqual([
      ["required, and the model answers in words", "forced call"],
      ["parallel_tool_calls: false, and the model calls twice", "1 call (tool_calls)"],
      ["max_tokens ends inside a call", "leaked (length)"],
    ]);
  });

  it("is the same again from what is kept beside the documentation", () => {
    const [kept] = toTable(calibration).setUps;
    if (kept === undefined) throw new Error("nothing kept");
    const order = (cells: readonly ConformanceCell[]) => cells.map((each) => JSON.stringify(each)).sort();
    expect(order(cellsOf(kept))).toEqual(order(setUp.cells));
    const views = [setUp, asCalibrated(kept)].map((each) => conformanceView(each, calibration.scripts, words));
    expect(views[1]?.rows.find(({ label }) => label === "qwen3_coder")?.cells.auto).toEqual(
      views[0]?.rows.find(({ label }) => label === "qwen3_coder")?.cells.auto,
    );
  });
});

describe("the accuracy", () => {
  it("counts samples and distinct cells, and findings only where they can be known", () => {
    expect(accuracyRows(calibration, words)).toEqual([
      { label: "vllm hermes", samples: 2, distinct: 1, axis: 1, owner: 1, findings: 0, findingsOf: 1 },
      { label: "all", samples: 2, distinct: 1, axis: 1, owner: 1, findings: 0, findingsOf: 1 },
    ]);
  });

  it("lists every miss with what was judged, what is true, and why", () => {
    expect(missLines(calibration, words)).toEqual([
      "vllm hermes xml auto: axis none, is leaked; owner <b>model</b>, is server_parser; findings [direct_answer], is [] (the call stands in the content)",
    ]);
  });
});

describe("reports of a calibration", () => {
  it("claim nothing of the lab where nothing was measured", () => {
    const nothing = { ...calibration, setUps: calibration.setUps.filter(({ unmet }) => unmet !== null) };
    const text = calibrationConsole(nothing, plainOptions);
    const page = calibrationSection(nothing, "en")?.safe ?? "";
    for (const report of [text, page]) {
      expect(report).toContain("died");
      expect(report).not.toContain(words.misses(0));
      expect(report).not.toContain(words.accuracyTitle);
    }
    expect(page.trim()).toMatch(/<\/section>$/);
  });

  it("say the same in a terminal, in a page and in the documentation", () => {
    const text = calibrationConsole(calibration, plainOptions);
    expect(text).toContain("leaked / swallowed");
    expect(text).toContain("1 miss:");
    expect(text).toContain("died");
    expect(calibrationConsole(calibration, { ...plainOptions, lang: "ja" })).toContain("漏れ / 消失");
    const page = serversPage([toTable(calibration)]);
    expect(page).toContain("| qwen3_coder | leaked / swallowed |");
    expect(page).toContain("| all | 2 | 1 | 50.0 % | 50.0 % | 0.0 % |");
  });

  it("break long misses at the width of a terminal", () => {
    const lines = calibrationConsole(calibration, { ...plainOptions, width: 80 }).split("\n");
    const from = lines.indexOf("1 miss:");
    expect(lines.slice(from + 1).filter((line) => line !== "").length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(80);
  });

  it("let no text of a server into a page as markup", () => {
    const section = calibrationSection(calibration, "en")?.safe ?? "";
    expect(section).toContain("&lt;b&gt;model");
    expect(section).not.toContain("<b>");
    expect(serversPage([toTable(calibration)])).not.toContain("<b>");
    expect(calibrationSection(null, "en")).toBeNull();
  });
});
