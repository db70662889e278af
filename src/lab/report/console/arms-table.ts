import { plainView, tallyNotes } from "../cell-words.ts";
import { type Messages, type Outcome, outcomes } from "../messages/messages.ts";
import { fraction, interval } from "../numbers.ts";
import type { ArmCell, ArmsView } from "../tables.ts";
import type { Colors } from "./colors.ts";
import { placeTitle, rateStyle } from "./matrix-table.ts";
import { cell, type TableCell, tableLines } from "./table.ts";
import { columns, pad, wrap } from "./terminal-layout.ts";

/** Outcomes with a column of their own; all others share the last one. */
const own: readonly Outcome[] = ["delivered", "leaked", "swallowed"];
const indent = 2;
const gap = 2;
/** A longer title stands above its table: as a column it would push the last one over the edge. */
const longestTitle = 15;
const narrowestLastColumn = 14;

/** The arms of a suite, whole and streamed, with what became of the calls. */
export function armsLines(view: ArmsView, messages: Messages, colors: Colors, width: number): string[] {
  const { words } = messages;
  const title = placeTitle(view);
  const above = columns(title) > longestTitle;
  const titles = [words.mode, words.delivered, messages.outcomes.leaked, messages.outcomes.swallowed];
  const header = [cell(above ? "" : title, colors.bold), ...titles.map((text) => cell(text, colors.dim))];
  const rows = view.rows.flatMap((row) => {
    const name = row.irrelevant ? [`${row.arm},`, messages.classes.irrelevant] : [row.arm];
    const modes = [
      { label: words.whole, arm: row.whole },
      { label: words.streamed, arm: row.streamed },
    ].filter((mode): mode is { label: string; arm: ArmCell } => mode.arm !== null);
    return modes.map(({ label, arm }, index) => ({
      counted: [
        // The second line of a name stands beside the second mode, where there is one.
        (index < modes.length - 1 ? name.slice(index, index + 1) : name.slice(index)).map((text) => ({ text })),
        cell(label, colors.dim),
        ...armCells(arm, messages, colors),
      ],
      rest: otherOutcomes(arm, messages),
    }));
  });
  const used = [header, ...rows.map(({ counted }) => counted)];
  const room = Math.max(narrowestLastColumn, width - indent - widthOf(used));
  const table = [
    [...header, cell(words.other, colors.dim)],
    ...rows.map(({ counted, rest }) => (rest === null ? counted : [...counted, lastCell(rest, room, colors)])),
  ];
  return [
    ...(above ? [`${" ".repeat(indent)}${colors.bold(title)}`] : []),
    ...tableLines(table, indent, gap),
    ...reasons(view, messages, colors, width),
  ];
}

/** Columns that these cells take, with a gap behind each. */
function widthOf(rows: readonly (readonly TableCell[])[]): number {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, lines] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, ...lines.map((line) => columns(line.text)));
    }
  }
  return widths.reduce((sum, width) => sum + width + gap, 0);
}

/** How often the call arrived, leaked and vanished; one word where there is nothing to count. */
function armCells(arm: ArmCell, messages: Messages, colors: Colors): TableCell[] {
  const { view, outcomes: counts } = arm;
  if (view.kind !== "rated" && view.kind !== "unrated") return [cell(plainView(view, messages), colors.dim)];
  const delivered =
    view.kind === "rated"
      ? `${pad(fraction(view.tally.delivered), 5)} ${interval(view.tally.delivered) ?? ""}`.trimEnd()
      : plainView(view, messages);
  const count = (outcome: Outcome) => {
    const found = counts.get(outcome) ?? 0;
    return cell(found === 0 ? "-" : String(found), found === 0 ? colors.dim : colors.yellow);
  };
  return [cell(delivered, rateStyle(view, colors)), count("leaked"), count("swallowed")];
}

/** Outcomes without a column of their own and what could not be counted; null where nothing was. */
function otherOutcomes(arm: ArmCell, messages: Messages): readonly string[] | null {
  const { view, outcomes: counts } = arm;
  if (view.kind !== "rated" && view.kind !== "unrated") return null;
  return [
    ...outcomes
      .filter((outcome) => !own.includes(outcome) && counts.has(outcome))
      .map((outcome) => messages.words.counted(counts.get(outcome) ?? 0, messages.outcomes[outcome])),
    ...tallyNotes({ ...view, kind: "unrated" }, messages),
  ];
}

/** Several things in the narrow last column: side by side where they fit, else each on a line of its own. */
function lastCell(parts: readonly string[], room: number, colors: Colors): TableCell {
  if (parts.length === 0) return cell("-", colors.dim);
  const line = parts.join(", ");
  if (columns(line) <= room) return [{ text: line }];
  return parts
    .map((part, index) => (index < parts.length - 1 ? `${part},` : part))
    .flatMap((part) => wrap(part, room).map((text) => ({ text })));
}

/** Why arms could not be tested, once for each reason. */
function reasons(view: ArmsView, messages: Messages, colors: Colors, width: number): string[] {
  const byReason = new Map<string, Set<string>>();
  for (const row of view.rows) {
    for (const arm of [row.whole, row.streamed]) {
      if (arm?.view.kind !== "not_testable") continue;
      byReason.set(arm.view.reason, (byReason.get(arm.view.reason) ?? new Set()).add(row.arm));
    }
  }
  return [...byReason].flatMap(([reason, arms]) =>
    wrap(
      `${[...arms].join(", ")}: ${messages.words.notTestable}${reason === "" ? "" : ` (${reason})`}`,
      width - indent,
    ).map((line) => colors.dim(`${" ".repeat(indent)}${line}`)),
  );
}
