import { consoleReport } from "./console.ts";
import { csvReport } from "./csv.ts";
import { htmlReport } from "./html.ts";
import { jsonReport } from "./json.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { pngReport } from "./png.ts";
import type { Report } from "./report.ts";

/** Every report the lab can write; the names that a command line offers come from here. */
export const reports = [
  consoleReport,
  htmlReport,
  csvReport,
  jsonReport,
  junitReport,
  markdownReport,
  pngReport,
] as const satisfies readonly Report[];
export type ReportName = (typeof reports)[number]["name"];
export const reportNames: readonly ReportName[] = reports.map((report) => report.name);

/** The report of a name, or undefined where there is none. */
export function findReport(name: string): Report | undefined {
  return reports.find((report) => report.name === name);
}
