import type { Calibration } from "../lab/calibration/calibration.ts";
import { openRun, type StoredRun } from "../lab/capture/open-run.ts";
import type { Classification } from "../lab/classify/classification.ts";
import { findReport, type ReportName } from "../lab/report/index.ts";
import { jsonSummary } from "../lab/report/json.ts";
import { buildReportModel, type ReportModel } from "../lab/report/model.ts";
import type { RenderOptions } from "../lab/report/report.ts";
import { saveReport } from "../lab/report/save.ts";
import type { RunResult } from "../lab/run.ts";
import type { Summary } from "../lab/stats/summary.ts";
import { storedVerdict } from "../lab/stored-verdict.ts";
import { UserError } from "./errors.ts";
import type { DisplayLanguage } from "./messages.ts";
import type { World } from "./world.ts";

/** What to make of a stored run: files of `formats` in `reportFolder`, and one thing on standard output. */
export interface Rendering {
  readonly folder: string;
  readonly formats: readonly ReportName[];
  readonly reportFolder: string;
  readonly show: "console" | "json" | "nothing";
  readonly language: DisplayLanguage;
  /** What a run left that this process has just made: what it has in hand is not read again, nor checked what it wrote. */
  readonly made?: Pick<RunResult, "judged" | "captures"> | undefined;
}

/** Renders a stored run. Resolves with the paths of the files written. @throws UserError, StoreError */
export async function renderRun(rendering: Rendering, world: World): Promise<readonly string[]> {
  const { folder, made } = rendering;
  const model = await reportModel(await openRun(folder, { trusted: made !== undefined }), made);
  const { terminal, columns } = world.stdout;
  const options: RenderOptions = {
    lang: rendering.language,
    colour: terminal !== null && !world.env["NO_COLOR"],
    width: columns,
  };
  const paths: string[] = [];
  for (const name of rendering.formats) {
    const report = findReport(name);
    if (report !== undefined)
      paths.push(...(await saveReport(report, model, { ...options, colour: false }, rendering.reportFolder)));
  }
  if (rendering.show === "json") world.stdout.write(`${JSON.stringify(jsonSummary(model, rendering.language))}\n`);
  if (rendering.show === "console") await show(model, options, world);
  return paths;
}

async function show(model: ReportModel, options: RenderOptions, world: World): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of findReport("console")?.render(model, options) ?? []) {
    world.stdout.write(typeof piece === "string" ? piece : decoder.decode(piece, { stream: true }));
  }
}

async function reportModel(stored: StoredRun, made: Rendering["made"]): Promise<ReportModel> {
  const summary = await stored.summary<Summary>();
  if (summary === null) {
    throw new UserError(
      `${stored.record.run} was never summed up (interrupted?); lab classify ${stored.record.run} does it`,
    );
  }
  const classifications = new Map<string, Classification>();
  if (made !== undefined) for (const { id, classification } of made.judged) classifications.set(id, classification);
  else for await (const judged of stored.classifications<Classification>()) classifications.set(judged.id, judged);
  return buildReportModel({
    record: stored.record,
    summary,
    captures: () => made?.captures ?? stored.captures(),
    classifications,
    verdict: await storedVerdict(stored),
    calibration: await stored.calibration<Calibration>(),
  });
}
