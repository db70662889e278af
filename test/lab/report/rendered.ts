import { findReport } from "../../../src/lab/report/index.ts";
import type { Lang } from "../../../src/lab/report/messages/messages.ts";
import { buildReportModel } from "../../../src/lab/report/model.ts";
import { renderToString } from "../../../src/lab/report/report.ts";
import { tellRun } from "./sample-run.ts";

/** One report of the sample run as text. */
export async function rendered(name: string, lang: Lang = "en", colour = false): Promise<string> {
  const report = findReport(name);
  if (report === undefined) throw new Error(`no report ${name}`);
  return renderToString(report, await buildReportModel(tellRun()), { lang, colour, width: 80 });
}
