import { plainView, tallyNotes } from "../cell-words.ts";
import type { Messages } from "../messages/messages.ts";
import { fraction, interval } from "../numbers.ts";
import type { MatrixView } from "../tables.ts";
import type { CellView } from "../tally.ts";
import type { Colors } from "./colors.ts";
import { type CellLine, cell, type TableCell, tableLines } from "./table.ts";
import { columns, pad } from "./terminal-layout.ts";

/** The 2x2 and its further rows: class of the question by contract, each cell delivered/measured with its interval. */
export function matrixLines(view: MatrixView, messages: Messages, colors: Colors, width: number): string[] {
  const roomy = setMatrix(view, messages, colors, false);
  return roomy.every((line) => columns(line) <= width) ? roomy : setMatrix(view, messages, colors, true);
}

/** The title of a table: its suite, and what else sets it apart. */
export function placeTitle(view: { readonly suite: string; readonly route: string; readonly shape: string }): string {
  const apart = [view.route === "direct" ? "" : view.route, view.shape === "small" ? "" : view.shape];
  return [view.suite, ...apart].filter((part) => part !== "").join(" / ");
}

function setMatrix(view: MatrixView, messages: Messages, colors: Colors, narrow: boolean): string[] {
  const header = [
    cell(placeTitle(view), colors.bold),
    ...view.contracts.map((contract) => cell(messages.contracts[contract], colors.dim)),
  ];
  const rows = view.rows.map((row) => [
    cell(messages.classes[row.class]),
    ...view.contracts.map((contract) => matrixCell(row.cells[contract], messages, colors, narrow)),
  ]);
  return tableLines([header, ...rows], 2);
}

function matrixCell(view: CellView, messages: Messages, colors: Colors, narrow: boolean): TableCell {
  if (view.kind !== "rated") return cell(plainView(view, messages), colors.dim);
  const { tally } = view;
  const rate = `${pad(fraction(tally.delivered), 5)} ${pad(interval(tally.delivered) ?? "", 8)}`;
  const notes = tallyNotes(view, messages);
  const style = rateStyle(view, colors);
  if (notes.length === 0) return cell(rate.trimEnd(), style);
  if (!narrow) return cell(`${rate}  ${notes.join(", ")}`, style);
  return [{ text: rate.trimEnd(), style }, ...notes.map((text): CellLine => ({ text, style }))];
}

/** Green for all delivered, yellow where the harness lost some, plain where the model did not try. */
export function rateStyle(view: CellView, colors: Colors): ((text: string) => string) | undefined {
  if (view.kind !== "rated") return colors.dim;
  const { delivered, attempted } = view.tally;
  if (delivered.count < attempted.count) return colors.yellow;
  return delivered.count === delivered.of ? colors.green : undefined;
}
