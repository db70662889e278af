import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { createColors } from "../../../src/lab/report/console/colors.ts";
import { quoteLine } from "../../../src/lab/report/console/quote-line.ts";
import { findReport } from "../../../src/lab/report/index.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { renderToString } from "../../../src/lab/report/report.ts";
import { oneLineOption } from "../../../src/lab/report/terminal-text.ts";
import { rendered } from "./rendered.ts";
import { tellRun } from "./sample-run.ts";

describe.each(["en", "ja"] as const)("console report in %s", (lang) => {
  it("tells the run as the golden file has it", async () => {
    await expect(await rendered("console", lang)).toMatchFileSnapshot(`../../golden/report-${lang}.txt`);
  });

  it("keeps every line within 80 columns, wide characters counted as two", async () => {
    const tooWide = (await rendered("console", lang)).split("\n").filter((line) => stringWidth(line) > 80);
    expect(tooWide).toEqual([]);
  });

  it("takes the same columns with colour as without", async () => {
    const plain = (await rendered("console", lang)).split("\n").map((line) => stringWidth(line));
    const coloured = (await rendered("console", lang, true)).split("\n");
    const quotes = coloured.map((line) => line.includes("\u001b[7m"));
    coloured.forEach((line, index) => {
      if (quotes[index] !== true) expect(stringWidth(line.trimEnd())).toBe(plain[index]);
    });
  });
});

describe("console report", () => {
  it("sends nothing of a model's controls to the terminal", async () => {
    expect(await rendered("console")).not.toMatch(/[^\n\P{Cc}]|[\u202a-\u202e\u2066-\u2069\u200b]/u);
    expect(await rendered("console")).toContain("\\x1b[31mred\\x1b[0m");
  });

  it("never breaks an id: it could not be copied", async () => {
    const text = JSON.stringify(tellRun());
    const [first = ""] = tellRun().summary.diagnoses.flatMap(({ samples }) => samples);
    const long = `${first}/${"very-long-scenario-name/".repeat(5)}1`;
    const source = tellRun();
    const diagnoses = source.summary.diagnoses.map((each) => ({
      ...each,
      samples: each.samples.map((id) => (id === first ? long : id)),
    }));
    expect(text).toContain(first);
    const model = await buildReportModel({ ...source, summary: { ...source.summary, diagnoses } });
    const report = findReport("console");
    if (report === undefined) throw new Error("no console report");
    const shown = await renderToString(report, model, { lang: "en", colour: false, width: 80 });
    expect(shown.split("\n").map((line) => line.trim())).toContain(long);
  });

  it("colours only where colour is allowed", async () => {
    expect(await rendered("console", "en", true)).toContain("\u001b[");
    expect(await rendered("console", "en", false)).not.toContain("\u001b");
  });

  it("shows what was not measured and not testable as such, never as zero", async () => {
    const text = await rendered("console");
    expect(text).toMatch(/^ {2}unmemorizable {4}1\/1 .* not measured$/m);
    expect(text).toMatch(/^ {2}required +whole +not testable here$/m);
    expect(text).not.toMatch(/\b0\/0\b/);
  });

  it("shows attempts where they differ from what was delivered, and only there", async () => {
    const lines = (await rendered("console")).split("\n").filter((line) => /^ {2}(un)?memorizable /.test(line));
    expect(lines.filter((line) => line.includes("attempted"))).toHaveLength(3);
    expect(lines).toContain("  memorizable      3/3   44-100 %   0/3   0-56 %    attempted 2/3");
  });
});

describe("console report of a target that could not be met", () => {
  it("says why once, and shows no table of nothing", async () => {
    const run = tellRun();
    const line = "http://127.0.0.1:9/v1: nothing listens on 127.0.0.1:9; start the server";
    const target = "small-ollama";
    const cells = run.summary.cells.filter((cell) => cell.target === target);
    const source = {
      ...run,
      record: {
        ...run.record,
        targets: run.record.targets.filter(({ name }) => name !== target),
        unmet: [{ target, line }],
      },
      summary: {
        ...run.summary,
        diagnoses: [],
        cells: cells.map((cell) => ({ ...cell, measured: 0, notTestable: null })),
        exclusions: cells.map(({ scenario }) => ({ id: scenario, reason: "target_not_met", detail: line })),
      },
      captures: async function* () {},
    };
    const report = findReport("console");
    if (report === undefined) throw new Error("no console report");
    const options = { lang: "en" as const, colour: false, width: 80 };
    const text = await renderToString(report, await buildReportModel(source), options);
    const own = text.slice(text.indexOf("\nsmall-ollama\n"));
    expect(own.replace(/\s+/g, " ").split(line)).toHaveLength(2);
    expect(own).not.toMatch(/target_not_met|contract-matrix|parser-mismatch/);
    expect(own).toContain(`${cells.length}  target could not be met\n`);
  });
});

describe("a remedy of several lines", () => {
  it("stands on one line, its parts told apart", () => {
    expect(oneLineOption("RENDERER x\nPARSER x\u001b")).toBe("RENDERER x, PARSER x\\x1b");
  });
});

describe("quote line", () => {
  const quote = { kind: "value_ahead", id: "a", cutBefore: true, cutAfter: true } as const;
  it.each([
    ["short", { before: "先頭は ", marked: "e3b0", after: " だよ" }],
    ["long evidence", { before: "x".repeat(60), marked: "長い".repeat(100), after: "y".repeat(100) }],
    ["evidence at the very end", { before: "前置き".repeat(20), marked: "42", after: "" }],
    ["escapes that grow", { before: "\u001b".repeat(60), marked: "\u001b[31m", after: "\u202e".repeat(80) }],
  ])("stays on one line of the given width: %s", (_, texts) => {
    const line = quoteLine({ ...quote, ...texts }, 76, createColors(false));
    expect(stringWidth(line)).toBeLessThanOrEqual(76);
    expect(line).toMatch(/>>.+<</);
    expect(line).not.toContain("\n");
  });
});
