import type { ProbeFaultCode } from "../classify/classification.ts";
import type { Shape } from "../scenario/scenario.ts";
import { exactBounds } from "../stats/binomial-bounds.ts";
import { median } from "../stats/proportions.ts";
import type { Cell } from "../stats/summary.ts";
import type { Messages } from "./messages/messages.ts";
import { type CellView, cellView } from "./tally.ts";

/** A suite of conversations of one target and route: how many passed, and what was seen in the others. */
export interface ProbesView {
  readonly kind: "probes";
  readonly suite: string;
  readonly route: string;
  readonly shape: Shape;
  readonly rows: readonly ProbeRow[];
}

export interface ProbeRow {
  /** The arm; the scenario where the suite has one arm only. */
  readonly label: string;
  readonly view: CellView;
  readonly faults: ReadonlyMap<ProbeFaultCode, number>;
  /** Samples that failed without a fault of their suite: a call was lost, cut or refused on the way. */
  readonly blocked: number;
  readonly tokens: { readonly first: number; readonly last: number | null } | null;
}

/** Whether cells are those of conversations. */
export function isProbe(cells: readonly Cell[]): boolean {
  return cells.some(({ faults }) => faults !== undefined);
}

/** The table of one suite, target, route and shape. */
export function probesOf(
  cells: readonly Cell[],
  place: { readonly suite: string; readonly route: string; readonly shape: Shape },
): ProbesView {
  const oneArm = new Set(cells.map(({ arm }) => arm)).size === 1;
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const label = oneArm ? cell.scenario : cell.arm;
    groups.set(label, [...(groups.get(label) ?? []), cell]);
  }
  return { kind: "probes", ...place, rows: [...groups].map(([label, group]) => rowOf(label, group)) };
}

function rowOf(label: string, cells: readonly Cell[]): ProbeRow {
  const faults = new Map<ProbeFaultCode, number>();
  for (const cell of cells) {
    for (const [code, count] of Object.entries(cell.faults ?? {}))
      faults.set(code as ProbeFaultCode, (faults.get(code as ProbeFaultCode) ?? 0) + count);
  }
  const failed = cells.reduce((sum, cell) => sum + cell.measured - cell.delivered - cell.undecidable, 0);
  const named = [...faults.values()].reduce((sum, count) => sum + count, 0);
  const fact = (name: string): number | null => median(cells.flatMap(({ facts }) => facts?.[name] ?? []));
  const first = fact("promptTokensFirst") ?? fact("wantedTokens");
  const last = fact("promptTokensLast") ?? fact("promptTokens");
  return {
    label,
    view: cellView(cells),
    faults,
    blocked: Math.max(0, failed - named),
    tokens: first === null ? null : { first, last },
  };
}

/** What was seen, or how much could hide where nothing was: zero in n still leaves room. */
export function seenWords({ faults, blocked, view }: ProbeRow, messages: Messages): readonly string[] {
  const { words } = messages;
  const parts = [
    ...[...faults].map(([code, count]) => words.counted(count, messages.faults[code])),
    ...(blocked > 0 ? [words.counted(blocked, words.blocked)] : []),
  ];
  if (parts.length > 0 || view.kind !== "rated" || view.tally.measured === 0) return parts;
  return [words.noneSeen(Math.ceil(100 * exactBounds(0, view.tally.measured, 0.95).high))];
}

/** Prompt tokens of the first and the last request. */
export function tokenWords({ tokens }: ProbeRow): string {
  if (tokens === null) return "-";
  const { first, last } = tokens;
  return last === null ? String(Math.round(first)) : `${Math.round(first)} → ${Math.round(last)}`;
}
