import { adapterRouteId } from "../stats/adapter-summary.ts";
import type { Cell } from "../stats/summary.ts";
import type { RunSide } from "./run-side.ts";
import type { Treatment } from "./treatment.ts";

/** A target of the earlier run and the one that stands for it in the later run. */
export interface TargetPair {
  readonly before: string;
  readonly after: string;
}

/** The same question under the same conditions in both runs. */
export interface CellPair {
  readonly before: Cell;
  readonly after: Cell;
}

/** How the cells of two runs meet. */
export interface Pairing {
  readonly targets: readonly TargetPair[];
  readonly pairs: readonly CellPair[];
  /** Rated cells of the earlier run that the later one does not have. */
  readonly missing: readonly Cell[];
  /** Cells of the later run that the earlier one does not have. */
  readonly extra: readonly Cell[];
}

/**
 * Brings the cells of two runs together. Targets meet by name, or as `asked`; two runs of one target each meet whatever their
 * names are. Routes meet by id. Under the treatment `adapter`, the direct route of a run without an adapter, or of the very same
 * run, meets the adapter's of the other, and two runs of one route each meet whatever it is.
 */
export function pairCells(
  before: RunSide,
  after: RunSide,
  asked: readonly TargetPair[],
  declared: readonly Treatment[],
): Pairing {
  const targets = pairTargets(targetNames(before), targetNames(after), asked);
  const byTarget = new Map(targets.map((pair) => [pair.before, pair.after]));
  const routes = routeOf(before, after, declared);
  const later = new Map(after.summary.cells.map((cell) => [keyOf(cell, cell.target, cell.route), cell]));
  const met = new Set<Cell>();
  const pairs: CellPair[] = [];
  const missing: Cell[] = [];
  for (const cell of before.summary.cells) {
    const target = byTarget.get(cell.target);
    // Targets that were set side by side by name leave the others out of the comparison.
    if (target === undefined && asked.length > 0) continue;
    const route = routes(cell.route);
    if (route === null) continue;
    const partner = target === undefined ? undefined : later.get(keyOf(cell, target, route));
    if (partner !== undefined) {
      met.add(partner);
      pairs.push({ before: cell, after: partner });
    } else if (cell.rated) missing.push(cell);
  }
  const compared = new Set(targets.map((pair) => pair.after));
  const extra = after.summary.cells.filter(
    (cell) => !met.has(cell) && (asked.length === 0 || compared.has(cell.target)),
  );
  return { targets, pairs, missing, extra };
}

function pairTargets(
  before: readonly string[],
  after: readonly string[],
  asked: readonly TargetPair[],
): readonly TargetPair[] {
  if (asked.length > 0) return asked.filter((pair) => before.includes(pair.before) && after.includes(pair.after));
  const [onlyBefore, onlyAfter] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && onlyBefore !== undefined && onlyAfter !== undefined)
    return [{ before: onlyBefore, after: onlyAfter }];
  return before.filter((name) => after.includes(name)).map((name) => ({ before: name, after: name }));
}

/** Names of the targets of a run, met or not, in the order of its cells. */
export function targetNames({ summary }: Pick<RunSide, "summary">): readonly string[] {
  return [...new Set(summary.cells.map((cell) => cell.target))];
}

/** The route of the later run that stands for one of the earlier; null for one that is left out. */
function routeOf(before: RunSide, after: RunSide, declared: readonly Treatment[]): (route: string) => string | null {
  const [left, right] = [before, after].map(({ summary }) => [...new Set(summary.cells.map((cell) => cell.route))]);
  const only = right?.[0];
  if (!declared.includes("adapter") || left === undefined || right === undefined) return (route) => route;
  if (left.length === 1 && right.length === 1 && only !== undefined) return () => only;
  const isDirectAlone = before.record.run === after.record.run || !left.includes(adapterRouteId);
  return isDirectAlone && right.includes(adapterRouteId)
    ? (route) => (route === "direct" ? adapterRouteId : null)
    : (route) => route;
}

function keyOf(cell: Cell, target: string, route: string): string {
  const { suite, scenario, arm, contract, shape, language, stream } = cell;
  return JSON.stringify([target, route, suite, scenario, arm, contract, cell.class, shape, language, stream]);
}
