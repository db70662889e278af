import { wilsonWithUndecided } from "../stats/proportions.ts";
import type { Cell, Rate } from "../stats/summary.ts";

/** What cells that are shown as one hold together. */
export interface Tally {
  readonly planned: number;
  readonly measured: number;
  readonly undecidable: number;
  readonly delivered: Rate;
  readonly attempted: Rate;
}

/** One cell as it is shown; what was not measured, not testable or not asked is never a zero. */
export type CellView =
  | { readonly kind: "rated"; readonly tally: Tally }
  /** Measured, but of an arm that enters no rate. */
  | { readonly kind: "unrated"; readonly tally: Tally }
  | { readonly kind: "not_testable"; readonly reason: string }
  | { readonly kind: "not_measured"; readonly planned: number }
  | { readonly kind: "not_asked" };

/** The view of cells that stand in one place of a table; counts are pooled, intervals computed anew from the pooled counts. */
export function cellView(cells: readonly Cell[]): CellView {
  const untestable = cells.find((cell) => cell.notTestable !== null);
  if (untestable !== undefined) return { kind: "not_testable", reason: untestable.notTestable ?? "" };
  const planned = total(cells, (cell) => cell.planned);
  if (cells.length === 0 || planned === 0) return { kind: "not_asked" };
  if (total(cells, (cell) => cell.measured) === 0) return { kind: "not_measured", planned };
  return { kind: cells.every((cell) => cell.rated) ? "rated" : "unrated", tally: tallyOf(cells) };
}

/** Pools cells. A single cell keeps the rates that statistics gave it. */
export function tallyOf(cells: readonly Cell[]): Tally {
  const [first] = cells;
  const undecidable = total(cells, (cell) => cell.undecidable);
  return {
    planned: total(cells, (cell) => cell.planned),
    measured: total(cells, (cell) => cell.measured),
    undecidable,
    delivered:
      first !== undefined && cells.length === 1 ? first.deliveredRate : pooled(cells, "deliveredRate", undecidable),
    attempted:
      first !== undefined && cells.length === 1 ? first.attemptedRate : pooled(cells, "attemptedRate", undecidable),
  };
}

function pooled(cells: readonly Cell[], key: "deliveredRate" | "attemptedRate", undecidable: number): Rate {
  const count = total(cells, (cell) => cell[key].count);
  const of = total(cells, (cell) => cell[key].of);
  return wilsonWithUndecided(count, Math.min(undecidable, of - count), of);
}

function total(cells: readonly Cell[], value: (cell: Cell) => number): number {
  return cells.reduce((sum, cell) => sum + value(cell), 0);
}
