import { stringify } from "csv-stringify/sync";
import { formatOf } from "./axis-facts.ts";
import type { ReportModel } from "./model.ts";
import type { Report } from "./report.ts";
import type { SampleView } from "./sample-view.ts";

/** UTF-16 units of reply text in one cell; spreadsheets refuse cells beyond 32,767. */
const excerptLength = 2000;
/** Lines that are written together. */
const linesPerBlock = 100;
/** What makes a spreadsheet take a cell for a formula or a command, also in its full-width forms. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

const columns = [
  "id",
  "target",
  "route",
  "suite",
  "scenario",
  "arm",
  "contract",
  "class",
  "shape",
  "language",
  "stream",
  "trial",
  "measured",
  "reason",
  "headline",
  "axis",
  "format",
  "owner",
  "delivered",
  "attempted",
  "findings",
  "first_byte_ms",
  "total_ms",
  "served_calls",
  "text",
] as const;

/** One line a sample, for spreadsheets and notebooks; UTF-8 with a byte order mark, without which Excel misreads Japanese. */
export const csvReport = {
  name: "csv",
  fileName: "samples.csv",
  describe: "one line a sample with factors, outcome and an excerpt of the reply",
  async *render(model: ReportModel) {
    yield stringify([[...columns]], { bom: true, record_delimiter: "\r\n" });
    let lines: (string | number)[][] = [];
    const block = () => stringify(lines, { record_delimiter: "\r\n" });
    for await (const sample of model.samples()) {
      lines.push(lineOf(sample).map(guardedCell));
      if (lines.length < linesPerBlock) continue;
      yield block();
      lines = [];
    }
    if (lines.length > 0) yield block();
  },
} as const satisfies Report;

/** A cell that a spreadsheet shows instead of obeying: a text that begins like a formula gets an apostrophe before it. */
export function guardedCell(value: string | number): string | number {
  return typeof value === "string" && formulaStart.test(value) ? `'${value}` : value;
}

function lineOf(sample: SampleView): readonly (string | number)[] {
  const { row } = sample;
  return [
    row.id,
    row.target,
    row.route,
    row.suite,
    row.scenario,
    row.arm,
    row.contract,
    row.class,
    row.shape,
    row.language,
    row.stream ? "true" : "false",
    row.trial,
    row.measured ? "true" : "false",
    row.reason ?? "",
    row.headline ?? "",
    row.axis ?? "",
    sample.replies.map((reply) => formatOf(reply.judgement)).find((format) => format !== null) ?? "",
    row.owner ?? "",
    row.delivered ?? "",
    row.attempted ?? "",
    row.findings.join(" "),
    milliseconds(row.firstByteMs),
    milliseconds(row.totalMs),
    sample.replies
      .flatMap((reply) => reply.calls.map((call) => `${call.name}(${call.argumentsText})`))
      .join("\n")
      .slice(0, excerptLength),
    textOf(sample).slice(0, excerptLength),
  ];
}

/** What the reply says: its visible text, else what only the raw channel or the error shows. */
function textOf({ replies }: SampleView): string {
  const texts = replies.flatMap((reply) => reply.texts);
  for (const field of ["content", "raw", "error", "reasoning", "body"] as const) {
    const found = texts.filter((text) => text.field === field && text.text.trim() !== "");
    if (found.length > 0) return found.map((text) => text.text).join("\n");
  }
  return "";
}

function milliseconds(value: number | null): string | number {
  return value === null ? "" : Math.round(value * 10) / 10;
}
