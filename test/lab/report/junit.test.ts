import { describe, expect, it } from "vitest";
import { gateJunit, junitReport } from "../../../src/lab/report/junit.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { plainOptions, renderToString } from "../../../src/lab/report/report.ts";
import { judge, later, withSummary } from "../gate/sides.ts";
import { tellRun } from "./sample-run.ts";

/** Throws where elements do not nest, attributes are not quoted, or a bare special character stands in a text. */
function elements(
  xml: string,
): readonly { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const open: string[] = [];
  const rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  for (const [, text = "", tag = ""] of rest.matchAll(/([^<]*)<([^>]*)>/g)) {
    if (/&(?!#\d+;)|[>]/.test(text)) throw new Error(`bare character in ${JSON.stringify(text)}`);
    const closing = /^\/(\w[\w-]*)$/.exec(tag)?.[1];
    if (closing !== undefined) {
      if (open.pop() !== closing) throw new Error(`</${closing}> closes nothing`);
      continue;
    }
    const [, name = "", attributes = "", single = ""] =
      /^(\w[\w-]*)((?:\s+\w+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)(\/?)$/.exec(tag) ?? [];
    if (name === "") throw new Error(`no tag: <${tag}>`);
    found.push({
      name,
      attributes: Object.fromEntries(
        [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
      ),
    });
    if (single === "") open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is never closed`);
  return found;
}

describe("JUnit XML", () => {
  it("is well formed whatever targets and servers are called, and its counts are those of its cases", async () => {
    const run = tellRun();
    const hostile = "x\"><testcase name='&]]>\u0000\u001b[31m";
    const cells = run.summary.cells.map((cell) => ({ ...cell, scenario: `${cell.scenario}${hostile}` }));
    const model = await buildReportModel({ ...run, summary: { ...run.summary, cells }, verdict: judge(later()) });
    const all = elements(await renderToString(junitReport, model, plainOptions));
    const suites = all.filter(({ name }) => name === "testsuite");
    expect(suites.length).toBe(model.targets.length + 1);
    const counted = (key: string) => suites.reduce((sum, { attributes }) => sum + Number(attributes[key]), 0);
    const number = (name: string) => all.filter((element) => element.name === name).length;
    expect([counted("tests"), counted("failures"), counted("errors"), counted("skipped")]).toEqual([
      number("testcase"),
      number("failure"),
      number("error"),
      number("skipped"),
    ]);
    expect(number("error")).toBeGreaterThan(0);
  });

  it("never fails a cell for its rate: that is the gate's word", async () => {
    const model = await buildReportModel(tellRun());
    expect(
      elements(await renderToString(junitReport, model, plainOptions)).some(({ name }) => name === "failure"),
    ).toBe(false);
  });

  it.each([
    ["invalid", withSummary(later(), { measured: 3 }), "error"],
    ["pass", later(), "system-out"],
  ])("tells a verdict that is %s", (kind, side, element) => {
    const verdict = judge(side);
    expect(verdict.kind).toBe(kind);
    const all = elements(gateJunit(verdict, "en"));
    expect(all.some(({ name }) => name === element)).toBe(true);
    expect(all.filter(({ name }) => name === "testcase")).toHaveLength(verdict.checks.length);
  });
});
