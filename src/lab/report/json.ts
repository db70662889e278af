import type { Cell } from "../stats/summary.ts";
import type { DiagnosisView } from "./diagnosis-view.ts";
import { diagnosisSentence, messagesFor } from "./messages/catalogue.ts";
import type { Lang } from "./messages/messages.ts";
import type { ReportModel } from "./model.ts";
import type { RenderOptions, Report } from "./report.ts";

/** The run as one JSON object: the same that `--json` prints. */
export const jsonReport = {
  name: "json",
  fileName: "report.json",
  describe: "cells and diagnoses as one JSON object, the same as --json prints",
  async *render(model: ReportModel, { lang }: RenderOptions) {
    yield `${JSON.stringify(jsonSummary(model, lang), null, 2)}\n`;
  },
} as const satisfies Report;

/** The object that `--json` prints: `run`, `cells` and `diagnoses` with their documented keys first, further keys after them. */
export function jsonSummary(model: ReportModel, lang: Lang) {
  return {
    run: model.record.run,
    cells: model.summary.cells.map(jsonCell),
    diagnoses: model.targets.flatMap((target) => target.diagnoses.map((view) => jsonDiagnosis(view, lang))),
    planned: model.summary.planned,
    measured: model.summary.measured,
    exclusions: model.exclusions.map(({ id, reason, detail }) => ({ id, reason, detail })),
    ...(model.choice === null ? {} : { choice: model.choice }),
    ...(model.summary.adapters === undefined ? {} : { adapters: model.summary.adapters }),
    ...(model.summary.lost === undefined ? {} : { lost: model.summary.lost }),
  };
}

function jsonCell(cell: Cell) {
  return {
    target: cell.target,
    route: cell.route,
    suite: cell.suite,
    scenario: cell.scenario,
    arm: cell.arm,
    contract: cell.contract,
    class: cell.class,
    shape: cell.shape,
    language: cell.language,
    stream: cell.stream,
    planned: cell.planned,
    measured: cell.measured,
    attempted: cell.attempted,
    delivered: cell.delivered,
    counts: cell.counts,
    undecidable: cell.undecidable,
    rated: cell.rated,
    notTestable: cell.notTestable,
    deliveredInterval: cell.deliveredRate.of === 0 ? null : [cell.deliveredRate.low, cell.deliveredRate.high],
    attemptedInterval: cell.attemptedRate.of === 0 ? null : [cell.attemptedRate.low, cell.attemptedRate.high],
    medianMs: cell.medianMs,
    ...(cell.faults === undefined ? {} : { faults: cell.faults, facts: cell.facts ?? {} }),
  };
}

function jsonDiagnosis({ diagnosis, facts }: DiagnosisView, lang: Lang) {
  return {
    target: diagnosis.target,
    owner: diagnosis.owner,
    fix: diagnosis.fix === null ? null : diagnosis.fix.option,
    samples: diagnosis.samples,
    code: diagnosis.code,
    route: diagnosis.route,
    of: diagnosis.of,
    certainty: diagnosis.certainty,
    sentence: diagnosisSentence(facts, messagesFor(lang)),
    details: diagnosis.details,
  };
}
