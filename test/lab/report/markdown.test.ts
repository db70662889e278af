import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gateMarkdown } from "../../../src/lab/report/gate/markdown.ts";
import { fitted, markdownText } from "../../../src/lab/report/gate/markdown-text.ts";
import { markdownLimit, markdownReport } from "../../../src/lab/report/markdown.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { plainOptions, renderToString } from "../../../src/lab/report/report.ts";
import { judge, later, withCells } from "../gate/sides.ts";
import { tellRun } from "./sample-run.ts";

describe("the summary for a pull request", () => {
  it("stays within its limit however many targets and cells there are, and says that something is missing", async () => {
    const run = tellRun();
    const names = Array.from({ length: 400 }, (_, index) => `target-${index}-${"日本語".repeat(20)}`);
    const cells = names.flatMap((target) => run.summary.cells.slice(0, 8).map((cell) => ({ ...cell, target })));
    const model = await buildReportModel({ ...run, summary: { ...run.summary, cells } });
    const text = await renderToString(markdownReport, model, { ...plainOptions, lang: "ja" });
    expect(Buffer.byteLength(text, "utf8")).toBeLessThanOrEqual(markdownLimit);
    expect(text).toMatch(/HTML レポートにすべてあります/);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });

  it("puts the gate's word first and folds its details", async () => {
    const broken = withCells(later(), (cell) => ({ ...cell, delivered: 0, counts: { leaked_call: cell.measured } }));
    const model = await buildReportModel({ ...tellRun(), verdict: judge(broken) });
    const text = await renderToString(markdownReport, model, plainOptions);
    expect(text).toMatch(/^## ❌ Gate: Regression\n\n.+0\/40 delivered/);
    expect(text.indexOf("<details>")).toBeGreaterThan(text.indexOf("| line |"));
  });

  it("names nothing by a mark-up that a name brought along", () => {
    const evil = "@team <img src=x onerror=alert(1)> | `` ** [x](http://e.example) ~~ #1 $x$ ![y](z)\n## h";
    const side = withCells(later(), (cell) => ({ ...cell, target: evil, delivered: 0 }));
    const text = gateMarkdown(judge(side, later()), "en").join("\n\n");
    expect(text).not.toMatch(/<img|@team|\[x\]\(|http:\/\/e\.example|\n## h/);
  });

  it("escapes so that no text can open anything", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(markdownText(text)).not.toMatch(/[<>@`*[\]|~$\\{}\n\r]/);
      }),
    );
    expect(markdownText("qwen3_coder 10-20 % (auto)")).toBe("qwen3_coder 10-20 % (auto)");
  });

  it("leaves out whole parts, never halves", () => {
    expect(fitted(["one", "x".repeat(50), "two"], 30, "…")).toBe("one\n\ntwo\n\n…\n");
    expect(fitted(["one", "two"], 30, "…")).toBe("one\n\ntwo\n");
  });
});
