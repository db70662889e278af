import { plainView, tallyNotes } from "../cell-words.ts";
import type { Messages } from "../messages/messages.ts";
import { fraction, interval } from "../numbers.ts";
import { type ProbeRow, type ProbesView, seenWords, tokenWords } from "../probe-tables.ts";
import type { Colors } from "./colors.ts";
import { placeTitle, rateStyle } from "./matrix-table.ts";
import { cell, type TableCell, tableLines } from "./table.ts";
import { columns, pad, wrap } from "./terminal-layout.ts";

const narrowestLastColumn = 20;

/** A suite of conversations: how many passed, what was seen, how the prompt grew. */
export function probesLines(view: ProbesView, messages: Messages, colors: Colors, width: number): string[] {
  const { words } = messages;
  const header = ["", words.passed, words.promptTokens].map((text) => cell(text, colors.dim));
  const rows = view.rows.map((row) => ({ counted: countedCells(row, messages, colors), row }));
  const used = [header, ...rows.map(({ counted }) => counted)].reduce<number[]>((widths, row) => {
    row.forEach((lines, index) => {
      widths[index] = Math.max(widths[index] ?? 0, ...lines.map(({ text }) => columns(text)));
    });
    return widths;
  }, []);
  const room = Math.max(narrowestLastColumn, width - 2 - used.reduce((sum, each) => sum + each + 2, 0));
  return [
    `  ${colors.bold(placeTitle(view))}`,
    ...tableLines(
      [
        [...header, cell(words.seen, colors.dim)],
        ...rows.map(({ counted, row }) => [...counted, seenCell(row, messages, room, colors)]),
      ],
      2,
    ),
  ];
}

function countedCells(row: ProbeRow, messages: Messages, colors: Colors): readonly TableCell[] {
  const { view } = row;
  if (view.kind !== "rated")
    return [cell(row.label), cell(plainView(view, messages), colors.dim), cell("-", colors.dim)];
  const rate = `${pad(fraction(view.tally.delivered), 5)} ${interval(view.tally.delivered) ?? ""}`.trimEnd();
  return [cell(row.label), cell(rate, rateStyle(view, colors)), cell(tokenWords(row), colors.dim)];
}

function seenCell(row: ProbeRow, messages: Messages, room: number, colors: Colors): TableCell {
  const { view } = row;
  if (view.kind !== "rated") return cell("");
  const notes = tallyNotes({ ...view, kind: "unrated" }, messages);
  const style = row.faults.size + row.blocked > 0 ? colors.yellow : colors.dim;
  return wrap([...seenWords(row, messages), ...notes].join(", "), room).map((text) => ({ text, style }));
}
