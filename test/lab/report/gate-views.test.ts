import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { compareForView } from "../../../src/lab/gate/comparison-view.ts";
import { defaultPolicy } from "../../../src/lab/gate/policy.ts";
import type { RunSide } from "../../../src/lab/gate/run-side.ts";
import { comparisonPage } from "../../../src/lab/report/gate/comparison-page.ts";
import { comparisonConsole, gateConsole } from "../../../src/lab/report/gate/console.ts";
import { htmlReport } from "../../../src/lab/report/html.ts";
import { reportLanguages } from "../../../src/lab/report/messages/messages.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { renderToString } from "../../../src/lab/report/report.ts";
import { earlier, judge, later, withCells, withSummary } from "../gate/sides.ts";
import { tellRun } from "./sample-run.ts";

const evil = "a<script>alert(1)</script>\u001b[2J\u202e";

function named(side: RunSide): RunSide {
  const targets = side.record.targets.map((target) => ({ ...target, name: evil, model: evil }));
  const renamed = withCells(side, (cell) => ({
    ...cell,
    target: evil,
    delivered: cell.arm === "auto" ? 0 : cell.delivered,
  }));
  return { ...renamed, record: { ...renamed.record, targets } };
}

describe.each(reportLanguages)("verdicts and comparisons in %s", (lang) => {
  const options = { policy: defaultPolicy, treatment: ["model"], targets: [] } as const;
  const view = compareForView({ name: "old", side: earlier() }, { name: evil, side: named(later()) }, options);

  it("show hostile names as what they are, on a page without scripts", () => {
    const page = comparisonPage(view, lang);
    expect(page).not.toMatch(/<script|[\u001b\u202e]/);
    expect(page).toContain("a&lt;script&gt;alert(1)");
    expect(page).not.toMatch(/undefined|NaN|\[object/);
  });

  it("keep within a terminal of 80 columns, and send it nothing that it would obey", () => {
    const terminal = { lang, colour: false, width: 80 };
    for (const text of [comparisonConsole(view, terminal), gateConsole(judge(later()), terminal)]) {
      expect(text).not.toMatch(/[\u001b\u202e]|undefined|NaN/);
      for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(80);
    }
  });

  it("stand at the head of the run's own page", async () => {
    const verdict = judge(withSummary(later(), { measured: 3 }));
    const model = await buildReportModel({ ...tellRun(), verdict });
    const page = await renderToString(htmlReport, model, { lang, colour: false, width: 80 });
    expect(page.indexOf('id="gate"')).toBeGreaterThan(0);
    expect(page.indexOf('id="gate"')).toBeLessThan(page.indexOf('id="verdict"'));
  });
});
