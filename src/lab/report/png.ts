import { drawChart } from "./chart.ts";
import { messagesFor } from "./messages/catalogue.ts";
import type { ReportModel } from "./model.ts";
import { matrixDrawing } from "./png/matrix-drawing.ts";
import { outcomesDrawing } from "./png/outcomes-drawing.ts";
import type { RenderOptions, Report } from "./report.ts";

/** Where the calls went, as stacked bars. */
const outcomesPng = {
  name: "png",
  fileName: "outcomes.png",
  describe: "where the calls went, as a picture",
  async *render(model: ReportModel, { lang }: RenderOptions) {
    yield await drawChart(outcomesDrawing(model, messagesFor(lang)));
  },
} as const satisfies Report;

/** The contract matrix as a picture, and beside it where the calls went: for a page that cannot hold a whole report. */
export const pngReport = {
  name: "png",
  fileName: "matrix.png",
  describe: "two pictures: the contract matrix, and where the calls went",
  also: [outcomesPng],
  async *render(model: ReportModel, { lang }: RenderOptions) {
    yield await drawChart(matrixDrawing(model, messagesFor(lang)));
  },
} as const satisfies Report;
