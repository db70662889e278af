import type { Calibration } from "../calibration/calibration.ts";
import { bodyUnits, heldUnits } from "../capture/body.ts";
import type { Capture } from "../capture/capture.ts";
import type { RunRecord, TargetRecord } from "../capture/run-record.ts";
import type { Classification } from "../classify/classification.ts";
import type { Diagnosis } from "../diagnose/diagnosis.ts";
import { chooseModel, type ModelChoice } from "../gate/choose-model.ts";
import type { SwapCard } from "../gate/swap-card.ts";
import { swapsWithin } from "../gate/swaps-within.ts";
import type { GateVerdict } from "../gate/verdict.ts";
import type { Exclusion, Summary } from "../stats/summary.ts";
import { type DiagnosisView, diagnosisViews } from "./diagnosis-view.ts";
import { createQuotePicker, type Quote, type QuotePicker } from "./quotes.ts";
import { type SampleRow, sampleRow } from "./sample-row.ts";
import { type SampleView, sampleView } from "./sample-view.ts";
import { type TableView, tablesOf } from "./tables.ts";

/** A run as it lies on disk. `captures` may be asked for more than once and streams each time. */
export interface ReportSource {
  readonly record: RunRecord;
  readonly summary: Summary;
  captures(): AsyncIterable<Capture> | Iterable<Capture>;
  readonly classifications: ReadonlyMap<string, Classification>;
  /** What a gate said of the run; absent or null where it was never gated. */
  readonly verdict?: GateVerdict | null | undefined;
  /** What its scripted models showed; absent or null where the run is no calibration. */
  readonly calibration?: Calibration | null | undefined;
}

/** One target as every report tells it. */
export interface TargetView {
  readonly name: string;
  /** Null where the run record does not know the target. */
  readonly record: TargetRecord | null;
  /** Why the target could not be met; null where it could. */
  readonly unmet: string | null;
  readonly planned: number;
  readonly measured: number;
  /** Most important first. */
  readonly diagnoses: readonly DiagnosisView[];
  readonly tables: readonly TableView[];
  readonly quotes: readonly Quote[];
}

/** The view model of a run: what all reports show, and the samples as a stream. */
export interface ReportModel {
  readonly record: RunRecord;
  readonly summary: Summary;
  readonly targets: readonly TargetView[];
  readonly rows: readonly SampleRow[];
  readonly exclusions: readonly Exclusion[];
  readonly verdict: GateVerdict | null;
  readonly calibration: Calibration | null;
  /** Old against new, where a run measured two targets. */
  readonly swaps: readonly SwapCard[];
  /** Which model to take, where the run was made for that. */
  readonly choice: ModelChoice | null;
  samples(): AsyncIterable<SampleView>;
}

/** Reads a run once and builds what reports show. Of a large run texts are read again, one sample at a time, when a report asks. */
export async function buildReportModel(source: ReportSource): Promise<ReportModel> {
  const { record, summary, classifications } = source;
  const rows: SampleRow[] = [];
  let held: SampleView[] | null = [];
  let units = 0;
  const cut = new Set(summary.exclusions.flatMap(({ id, reason }) => (reason === "context_invalid" ? [id] : [])));
  const pickers = new Map<string, QuotePicker>();
  for await (const capture of source.captures()) {
    const judged = classifications.get(capture.id);
    const row = stillMeasured(sampleRow(capture, judged), cut);
    rows.push(row);
    const picker = pickers.get(row.target) ?? createQuotePicker();
    pickers.set(row.target, picker);
    const kinds = picker.wants(row);
    units += bodyUnits(capture);
    if (units > heldUnits) held = null;
    if (held === null && kinds.length === 0) continue;
    const view = sampleView(capture, judged);
    held?.push(view);
    if (kinds.length > 0) picker.take(kinds, view);
  }
  return {
    record,
    summary,
    rows,
    exclusions: summary.exclusions,
    verdict: source.verdict ?? null,
    calibration: source.calibration ?? null,
    swaps: swapsWithin(record, summary),
    choice: chooseModel(record, summary),
    targets: targetNames(record, summary).map((name) => targetView(name, record, summary, rows, pickers.get(name))),
    async *samples() {
      if (held !== null) yield* held;
      else for await (const capture of source.captures()) yield sampleView(capture, classifications.get(capture.id));
    },
  };
}

function targetView(
  name: string,
  record: RunRecord,
  summary: Summary,
  allRows: readonly SampleRow[],
  picker: QuotePicker | undefined,
): TargetView {
  const rows = allRows.filter((row) => row.target === name);
  const cells = summary.cells.filter((cell) => cell.target === name);
  const target = record.targets.find((candidate) => candidate.name === name) ?? null;
  const diagnoses: readonly Diagnosis[] = summary.diagnoses.filter((diagnosis) => diagnosis.target === name);
  return {
    name,
    record: target,
    unmet: record.unmet.find((entry) => entry.target === name)?.line ?? null,
    planned: cells.reduce((sum, cell) => sum + cell.planned, 0),
    measured: cells.reduce((sum, cell) => sum + cell.measured, 0),
    diagnoses: diagnosisViews(diagnoses, rows, target?.facts.kind ?? "openai"),
    tables: tablesOf(cells, rows),
    quotes: picker?.quotes ?? [],
  };
}

/** What the whole run showed of one sample, its own reply need not show. */
function stillMeasured(row: SampleRow, cut: ReadonlySet<string>): SampleRow {
  return row.measured && cut.has(row.id) ? { ...row, measured: false, reason: "context_invalid" } : row;
}

/** Targets in the order of the plan, then those that it does not know. */
function targetNames(record: RunRecord, summary: Summary): string[] {
  return [
    ...new Set([
      ...record.plan.cells.map((cell) => cell.target),
      ...record.targets.map((target) => target.name),
      ...record.unmet.map((entry) => entry.target),
      ...summary.cells.map((cell) => cell.target),
      ...summary.diagnoses.map((diagnosis) => diagnosis.target),
    ]),
  ];
}
