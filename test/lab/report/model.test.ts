import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bodyText } from "../../../src/lab/capture/body.ts";
import { csvReport } from "../../../src/lab/report/csv.ts";
import { reportNames, reports } from "../../../src/lab/report/index.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { plainOptions, type Report } from "../../../src/lab/report/report.ts";
import { saveReport } from "../../../src/lab/report/save.ts";
import { cellView } from "../../../src/lab/report/tally.ts";
import { wilsonWithUndecided } from "../../../src/lab/stats/proportions.ts";
import type { Cell } from "../../../src/lab/stats/summary.ts";
import { tellRun } from "./sample-run.ts";

async function story() {
  const model = await buildReportModel(tellRun());
  const target = (name: string) => model.targets.find((candidate) => candidate.name === name);
  return { model, target };
}

function cellOf(changes: Partial<Cell>): Cell {
  const [first] = tellRun().summary.cells;
  if (first === undefined) throw new Error("the story has cells");
  return { ...first, ...changes };
}

/** The story, with how often its captures were read; `padding` lengthens each reply. */
async function readings(padding: string) {
  const told = tellRun();
  let read = 0;
  const model = await buildReportModel({
    ...told,
    async *captures() {
      read += 1;
      for await (const capture of told.captures())
        yield {
          ...capture,
          exchanges: capture.exchanges.map((exchange) => ({
            ...exchange,
            body: { utf8: bodyText(exchange.body) + padding },
          })),
        };
    },
  });
  const ids = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const sample of model.samples()) found.push(sample.row.id);
    return found;
  };
  return { first: await ids(), second: await ids(), read: () => read, rows: model.rows.map(({ id }) => id) };
}

describe("report model", () => {
  it("reads a small run once, however many reports ask for its samples", async () => {
    const { first, second, read, rows } = await readings("");
    expect(first).toEqual(rows);
    expect(second).toEqual(rows);
    expect(read()).toBe(1);
  });

  it("reads a large run again for each report, and holds no texts", async () => {
    const { first, second, read, rows } = await readings(" ".repeat(1_000_000));
    expect(first).toEqual(rows);
    expect(second).toEqual(rows);
    expect(read()).toBe(3);
  });

  it("has the targets in the run's order", async () => {
    expect((await story()).model.targets.map((target) => target.name)).toEqual([
      "agents-a1",
      "thinkingcap-hermes",
      "small-ollama",
    ]);
  });

  it("shows a suite that compares contracts as a matrix and any other by arms", async () => {
    const { target } = await story();
    expect(target("thinkingcap-hermes")?.tables.map((table) => [table.suite, table.kind])).toEqual([
      ["contract-matrix", "matrix"],
      ["parser-mismatch", "arms"],
    ]);
  });

  it("counts what became of the calls, whole and streamed", async () => {
    const table = (await story()).target("thinkingcap-hermes")?.tables.find((candidate) => candidate.kind === "arms");
    const auto = table?.rows.find((row) => row.arm === "auto");
    expect([...(auto?.whole?.outcomes ?? [])]).toEqual([
      ["leaked", 5],
      ["no_call", 1],
    ]);
    expect([...(auto?.streamed?.outcomes ?? [])]).toEqual([
      ["swallowed", 5],
      ["no_call", 1],
    ]);
  });

  it("keeps the irrelevant prompt apart from the arm it was sent with", async () => {
    const table = (await story()).target("thinkingcap-hermes")?.tables.find((candidate) => candidate.kind === "arms");
    const required = table?.rows.filter((row) => row.arm === "required") ?? [];
    expect(required.map((row) => [row.irrelevant, row.whole?.view.kind])).toEqual([
      [false, "rated"],
      [true, "unrated"],
    ]);
  });

  it("quotes each kind of reply once, however often the model repeats itself", async () => {
    const { target } = await story();
    expect(target("agents-a1")?.quotes.map((quote) => [quote.kind, quote.marked])).toEqual([
      ["provenance_claim", "計算はPythonで正確に求めた"],
    ]);
    expect(target("thinkingcap-hermes")?.quotes.map((quote) => quote.kind)).toEqual([
      "leaked",
      "swallowed",
      "value_ahead",
    ]);
  });

  it("names a target that could not be met, with its reason", async () => {
    const run = tellRun();
    const model = await buildReportModel({
      ...run,
      record: { ...run.record, unmet: [{ target: "gone", line: "connection refused" }] },
    });
    expect(model.targets.find((target) => target.name === "gone")?.unmet).toBe("connection refused");
  });

  it("shows a capture without a judgement as not judged, and loses no sample", async () => {
    const run = tellRun();
    const model = await buildReportModel({ ...run, classifications: new Map() });
    expect(model.rows).toHaveLength(run.captureList.length);
    expect(new Set(model.rows.map((row) => row.headline))).toEqual(new Set([null]));
  });
});

describe("a cell's view", () => {
  it.each([
    ["not_asked", [] as Cell[]],
    ["not_measured", [cellOf({ planned: 3, measured: 0 })]],
    ["not_testable", [cellOf({ notTestable: "ignored here", rated: false })]],
    ["unrated", [cellOf({ rated: false })]],
    ["rated", [cellOf({})]],
  ])("is %s", (kind, cells) => {
    expect(cellView(cells).kind).toBe(kind);
  });

  it("pools counts and computes the interval anew, undecided ones widening it upwards", () => {
    const cells = [
      cellOf({ deliveredRate: wilsonWithUndecided(1, 0, 3), undecidable: 0 }),
      cellOf({ deliveredRate: wilsonWithUndecided(2, 1, 3), undecidable: 1 }),
    ];
    const view = cellView(cells);
    expect(view.kind === "rated" && view.tally.delivered).toEqual(wilsonWithUndecided(3, 1, 6));
  });
});

describe("reports", () => {
  it("have names and files of their own", () => {
    expect(new Set(reportNames).size).toBe(reports.length);
    expect(new Set(reports.map((report) => report.fileName)).size).toBe(reports.length);
  });

  it.each(reports.map((report) => [report.name, report] as const))(
    "%s can be written for a run in which nothing was measured",
    async (_, report) => {
      const run = tellRun();
      const model = await buildReportModel({
        ...run,
        classifications: new Map(),
        summary: { ...run.summary, measured: 0, cells: [], diagnoses: [], exclusions: [] },
        async *captures() {},
      });
      let length = 0;
      for await (const piece of (report as Report).render(model, plainOptions)) length += piece.length;
      expect(length).toBeGreaterThan(50);
    },
  );

  it("are saved whole or not at all", async () => {
    const folder = await mkdtemp(join(tmpdir(), "harness-lab-report-"));
    try {
      const model = await buildReportModel(tellRun());
      const [path = ""] = await saveReport(csvReport, model, plainOptions, folder);
      expect((await readFile(path, "utf8")).split("\r\n").length).toBeGreaterThan(70);
      const broken: Report = {
        ...csvReport,
        fileName: "broken.csv",
        async *render() {
          yield "half";
          throw new Error("the disk of captures went away");
        },
      };
      await expect(saveReport(broken, model, plainOptions, folder)).rejects.toThrow("went away");
      expect(await readdir(folder)).toEqual(["samples.csv"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
