import type { Lang } from "./messages/messages.ts";
import type { ReportModel } from "./model.ts";

/** How a report is to be written. `width` is the terminal's width in columns; only the console report reads `colour` and `width`. */
export interface RenderOptions {
  readonly lang: Lang;
  readonly colour: boolean;
  readonly width: number;
}

/** What a file without a terminal gets. */
export const plainOptions: RenderOptions = { lang: "en", colour: false, width: 80 };

/** One way to show a run. `fileName` is its name inside a folder of reports; `render` yields it piece by piece, so that a big run never stands in memory whole. */
export interface Report {
  readonly name: string;
  readonly fileName: string;
  readonly describe: string;
  /** Further files of the same report. */
  readonly also?: readonly Report[] | undefined;
  render(model: ReportModel, options: RenderOptions): AsyncIterable<string | Uint8Array>;
}

/** A whole report as one text; for tests and small outputs. Binary pieces are decoded as UTF-8. */
export async function renderToString(report: Report, model: ReportModel, options: RenderOptions): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of report.render(model, options)) {
    text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  return text;
}
