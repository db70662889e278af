import { plainView, tallyNotes } from "../cell-words.ts";
import { type Messages, type Outcome, outcomes } from "../messages/messages.ts";
import { fraction, interval } from "../numbers.ts";
import type { ArmCell, ArmsView } from "../tables.ts";
import type { Colors } from "./colors.ts";
import { placeTitle, rateStyle } from "./matrix-table.ts";
import { cell, type TableCell, tableLines } from "./table.ts";
import { pad, wrap } from "./terminal-layout.ts";

/** Outcomes with a column of their own; all others share the last one. */
const own: readonly Outcome[] = ["delivered", "leaked", "swallowed"];
const lastColumn = 20;

/** The arms of a suite, whole and streamed, with what became of the calls. */
export function armsLines(view: ArmsView, messages: Messages, colors: Colors): string[] {
  const { words } = messages;
  const titles = [words.mode, words.delivered, messages.outcomes.leaked, messages.outcomes.swallowed, words.other];
  const header = [cell(placeTitle(view), colors.bold), ...titles.map((title) => cell(title, colors.dim))];
  const rows = view.rows.flatMap((row) => {
    const name = row.irrelevant ? [`${row.arm},`, messages.classes.irrelevant] : [row.arm];
    const modes = [
      { label: words.whole, arm: row.whole },
      { label: words.streamed, arm: row.streamed },
    ].filter((mode): mode is { label: string; arm: ArmCell } => mode.arm !== null);
    return modes.map(({ label, arm }, index) => [
      // The second line of a name stands beside the second mode, where there is one.
      (index < modes.length - 1 ? name.slice(index, index + 1) : name.slice(index)).map((text) => ({ text })),
      cell(label, colors.dim),
      ...armCells(arm, messages, colors),
    ]);
  });
  return [...tableLines([header, ...rows], 2), ...reasons(view, messages, colors)];
}

function armCells({ view, outcomes: counts }: ArmCell, messages: Messages, colors: Colors): TableCell[] {
  const { words } = messages;
  if (view.kind === "not_testable" || view.kind === "not_measured" || view.kind === "not_asked") {
    return [cell(plainView(view, messages), colors.dim)];
  }
  const rated = view.kind === "rated";
  const delivered = rated
    ? `${pad(fraction(view.tally.delivered), 5)} ${interval(view.tally.delivered) ?? ""}`.trimEnd()
    : plainView(view, messages);
  const count = (outcome: Outcome) => {
    const found = counts.get(outcome) ?? 0;
    return cell(found === 0 ? "-" : String(found), found === 0 ? colors.dim : colors.yellow);
  };
  const rest = [
    ...outcomes
      .filter((outcome) => !own.includes(outcome) && counts.has(outcome))
      .map((outcome) => words.counted(counts.get(outcome) ?? 0, messages.outcomes[outcome])),
    ...tallyNotes({ ...view, kind: "unrated" }, messages),
  ].join(", ");
  return [
    cell(delivered, rateStyle(view, colors)),
    count("leaked"),
    count("swallowed"),
    rest === "" ? cell("-", colors.dim) : wrap(rest, lastColumn).map((text) => ({ text })),
  ];
}

/** Why arms could not be tested, once for each reason. */
function reasons(view: ArmsView, messages: Messages, colors: Colors): string[] {
  const byReason = new Map<string, Set<string>>();
  for (const row of view.rows) {
    for (const arm of [row.whole, row.streamed]) {
      if (arm?.view.kind !== "not_testable") continue;
      byReason.set(arm.view.reason, (byReason.get(arm.view.reason) ?? new Set()).add(row.arm));
    }
  }
  return [...byReason].flatMap(([reason, arms]) =>
    wrap(`${[...arms].join(", ")}: ${messages.words.notTestable}${reason === "" ? "" : ` (${reason})`}`, 76).map(
      (line) => colors.dim(`  ${line}`),
    ),
  );
}
