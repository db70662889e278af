import type { Plugin } from "chart.js";
import { type Contract, contracts, type ScenarioClass, scenarioClasses } from "../../scenario/scenario.ts";
import { plainView, tallyNotes } from "../cell-words.ts";
import { chartFont, type Drawing } from "../chart.ts";
import type { Messages } from "../messages/messages.ts";
import type { ReportModel } from "../model.ts";
import { fraction, interval } from "../numbers.ts";
import type { MatrixView } from "../tables.ts";
import type { CellView } from "../tally.ts";
import { visibleText } from "../terminal-text.ts";
import { blank, ink, muted, rateColour } from "./palette.ts";

/** One column of the picture: a contract of a target. */
interface Column {
  readonly group: string;
  readonly contract: Contract;
  readonly view: MatrixView;
}

const columnWidth = 190;
const rowHeight = 66;
const labelWidth = 170;
const headHeight = 112;
const footHeight = 34;
/** More columns than this would make a picture that nobody can open; the page has them all. */
const mostColumns = 24;

/** The contract matrix of all targets as one chart: a stacked bar a row, its stretches coloured by rate. */
export function matrixDrawing(model: ReportModel, messages: Messages): Drawing {
  const columns = columnsOf(model, messages).slice(0, mostColumns);
  const rows = scenarioClasses.filter((name) =>
    columns.some(({ view }) => view.rows.some((row) => row.class === name)),
  );
  const width = labelWidth + Math.max(3, columns.length) * columnWidth + 24;
  const height = headHeight + Math.max(1, rows.length) * rowHeight + footHeight;
  return {
    width,
    height,
    configuration: {
      type: "bar",
      data: {
        labels: rows.map((name) => messages.classes[name]),
        datasets: columns.map((column) => ({
          data: rows.map(() => 1),
          backgroundColor: rows.map((name) => colourOf(viewAt(column, name))),
          borderColor: "#ffffff",
          borderWidth: 3,
          borderSkipped: false,
          barPercentage: 1,
          categoryPercentage: 1,
        })),
      },
      options: {
        indexAxis: "y",
        layout: { padding: { top: headHeight, bottom: footHeight, right: 24, left: 4 } },
        font: { family: chartFont },
        plugins: { legend: { display: false }, tooltip: { enabled: false } },
        scales: {
          x: { stacked: true, display: false, min: 0, max: Math.max(3, columns.length) },
          y: {
            stacked: true,
            grid: { display: false },
            border: { display: false },
            ticks: { display: false },
            afterFit: (scale) => {
              scale.width = labelWidth;
            },
          },
        },
      },
      plugins: [texts(model, columns, rows, messages)],
    },
  };
}

function columnsOf(model: ReportModel, messages: Messages): readonly Column[] {
  return model.targets.flatMap((target) =>
    target.unmet !== null
      ? []
      : target.tables
          .filter((table): table is MatrixView => table.kind === "matrix")
          .flatMap((view) =>
            contracts.map((contract) => ({
              group: [
                visibleText(target.name),
                ...(view.route === "direct" ? [] : [view.route]),
                ...(view.shape === "small" ? [] : [messages.shapes[view.shape]]),
              ].join(" / "),
              contract,
              view,
            })),
          ),
  );
}

function viewAt({ view, contract }: Column, name: ScenarioClass): CellView {
  return view.rows.find((row) => row.class === name)?.cells[contract] ?? { kind: "not_asked" };
}

function colourOf(view: CellView): string {
  if (view.kind !== "rated" || view.tally.delivered.of === 0) return blank;
  return rateColour(view.tally.delivered.rate ?? 0);
}

/** What a chart has no element for: the numbers in the cells, the heads of the columns, the title. */
function texts(
  model: ReportModel,
  columns: readonly Column[],
  rows: readonly ScenarioClass[],
  messages: Messages,
): Plugin {
  return {
    id: "matrix-texts",
    afterDraw({ ctx, chartArea, scales }) {
      const [x, y] = [scales["x"], scales["y"]];
      if (x === undefined || y === undefined) return;
      const write = (
        text: string,
        left: number,
        top: number,
        size: number,
        colour: string,
        width: number,
        bold = false,
      ) => {
        ctx.font = `${bold ? "bold " : ""}${size}px "${chartFont}"`;
        ctx.fillStyle = colour;
        ctx.fillText(
          shortened(text, width, (part) => ctx.measureText(part).width),
          left,
          top,
        );
      };
      ctx.save();
      ctx.textBaseline = "alphabetic";
      ctx.textAlign = "left";
      write(messages.words.matrixTitle, 16, 34, 20, ink, chartArea.right - 16, true);
      write(visibleText(model.record.run), 16, 56, 12, muted, chartArea.right - 16);
      for (const [row, name] of rows.entries())
        write(messages.classes[name], 16, y.getPixelForValue(row) + 5, 14, ink, labelWidth - 24);
      for (const [index, column] of columns.entries()) {
        const left = x.getPixelForValue(index) + 12;
        if (columns[index - 1]?.view !== column.view) {
          const together = columns.filter(({ view }) => view === column.view).length;
          write(column.group, left, headHeight - 32, 14, ink, together * columnWidth - 20, true);
        }
        write(messages.contracts[column.contract], left, headHeight - 10, 12.5, muted, columnWidth - 20);
        for (const [row, name] of rows.entries()) {
          const view = viewAt(column, name);
          const middle = y.getPixelForValue(row);
          if (view.kind !== "rated") {
            write(plainView(view, messages), left, middle + 5, 13, muted, columnWidth - 20);
            continue;
          }
          const { delivered } = view.tally;
          write(fraction(delivered), left, middle - 2, 20, ink, columnWidth - 20, true);
          const notes = [interval(delivered, "–") ?? "", ...tallyNotes(view, messages)].filter((note) => note !== "");
          write(notes.join(", "), left, middle + 19, 12, muted, columnWidth - 20);
        }
      }
      if (columns.length === 0) write(messages.words.notAsked, 16, headHeight + 30, 14, muted, chartArea.right);
      write(messages.words.matrixFoot, 16, chartArea.bottom + 24, 12, muted, chartArea.right - 16);
      ctx.restore();
    },
  };
}

/** A text cut to a width in pixels. */
export function shortened(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const characters = Array.from(text.slice(0, 400));
  while (characters.length > 1 && measure(`${characters.join("")}…`) > width) characters.pop();
  return `${characters.join("")}…`;
}
