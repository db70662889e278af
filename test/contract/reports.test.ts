import { describe, expect, it } from "vitest";
import { reports } from "../../src/lab/report/index.ts";
import { reportLanguages } from "../../src/lab/report/messages/messages.ts";
import { buildReportModel, type ReportSource } from "../../src/lab/report/model.ts";
import { renderToString } from "../../src/lab/report/report.ts";
import { tellRun } from "../lab/report/sample-run.ts";

/** The sample run before anything was asked: what a run is that was stopped at once. */
function emptyRun(): ReportSource {
  const run = tellRun();
  return {
    record: { ...run.record, targets: [], plan: { ...run.record.plan, samples: 0, cells: [] } },
    summary: { ...run.summary, planned: 0, measured: 0, cells: [], diagnoses: [], exclusions: [] },
    captures: async function* () {},
    classifications: new Map(),
  };
}

/** What a picture says cannot be searched. */
function isPicture(fileName: string): boolean {
  return fileName.endsWith(".png");
}

it("no two reports share a name or a file", () => {
  expect(new Set(reports.map(({ name }) => name)).size).toBe(reports.length);
  expect(new Set(reports.map(({ fileName }) => fileName)).size).toBe(reports.length);
});

describe.each(reports)("report $name", (report) => {
  describe.each(reportLanguages)("in %s", (lang) => {
    const options = { lang, colour: false, width: 80 };

    it("tells a run with hostile replies, and every target of it", async () => {
      const model = await buildReportModel(tellRun());
      const text = await renderToString(report, model, options);
      if (isPicture(report.fileName)) return;
      for (const { name } of model.targets) expect(text).toContain(name);
      if (report.fileName.endsWith(".html")) expect(text).not.toContain("<script>alert");
      // A spreadsheet takes its cells as they are; whatever is read by people shows what would act.
      if (report.name !== "csv") expect(text).not.toMatch(/[\u001b\u009b\u202e\u2066\u200b]/);
    });

    it("is the same each time", async () => {
      const model = await buildReportModel(tellRun());
      expect(await renderToString(report, model, options)).toBe(await renderToString(report, model, options));
    });

    it("tells a run in which nothing was asked", async () => {
      const text = await renderToString(report, await buildReportModel(emptyRun()), options);
      expect(text.trim()).not.toBe("");
      expect(text.replace(/<script>.*?<\/script>/gs, "")).not.toMatch(/undefined|NaN|\[object Object\]/);
    });
  });
});
