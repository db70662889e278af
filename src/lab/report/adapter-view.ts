import {
  type AdapterSummary,
  adapterRouteId,
  type RouteComparison,
  type RouteSummary,
  type StageSummary,
} from "../stats/adapter-summary.ts";
import type { Cell, Rate, Summary } from "../stats/summary.ts";
import type { AdapterWords } from "./messages/adapter-words.ts";
import { type CellView, cellView } from "./tally.ts";

/** One suite and arm, direct and through the adapter. */
export interface AdapterRow {
  readonly suite: string;
  readonly arm: string;
  readonly direct: CellView;
  readonly adapter: CellView;
}

/** What reports show of a target that was measured direct and through the adapter. */
export interface AdapterView {
  readonly target: string;
  readonly rows: readonly AdapterRow[];
  readonly direct: RouteSummary;
  readonly adapter: RouteSummary;
  /** Stages that did something, those that did most first. */
  readonly stages: readonly StageSummary[];
  /** Stages that only took time. */
  readonly idle: readonly StageSummary[];
}

/** Views of all targets that have both routes. */
export function adapterViews({ adapters, cells }: Summary): readonly AdapterView[] {
  return (adapters ?? []).flatMap((summary) => viewOf(summary, cells) ?? []);
}

function viewOf({ target, routes, stages }: AdapterSummary, cells: readonly Cell[]): AdapterView | null {
  const direct = routes.find(({ route }) => route === "direct");
  const adapter = routes.find(({ route }) => route === adapterRouteId);
  if (direct === undefined || adapter === undefined) return null;
  const own = cells.filter((cell) => cell.target === target && cell.rated);
  const places = new Map(own.map(({ suite, arm }) => [JSON.stringify([suite, arm]), { suite, arm }]));
  const at = (route: string, { suite, arm }: { suite: string; arm: string }): CellView =>
    cellView(own.filter((cell) => cell.route === route && cell.suite === suite && cell.arm === arm));
  const took = (stage: StageSummary): boolean => stage.acted > 0 || stage.ablation !== null;
  return {
    target,
    rows: [...places.values()].map((place) => ({
      ...place,
      direct: at("direct", place),
      adapter: at(adapterRouteId, place),
    })),
    direct,
    adapter,
    stages: stages.filter(took).sort((left, right) => right.acted - left.acted),
    idle: stages.filter((stage) => !took(stage)),
  };
}

/** "+45 / -0": pairs in which only this route, or only the other, delivered. */
export function gainedLost({ onlyThis, onlyOther }: RouteComparison): string {
  return `+${onlyThis} / -${onlyOther}`;
}

/** The difference in percentage points with its interval, and the chance of it; null without a pair. */
export function gainWords({ gain, chance }: RouteComparison, words: AdapterWords): readonly [string, string] | null {
  if (gain === null) return null;
  return [
    words.points(signed(gain.estimate), signed(gain.low), signed(gain.high)),
    words.chance(chance < 0.001 ? "< 0.001" : chance.toFixed(3)),
  ];
}

function signed(share: number): string {
  const points = Math.round(share * 100);
  return points > 0 ? `+${points}` : String(points);
}

/** Nothing found in n is not nothing: a count with the upper bound of its rate. */
export function boundedCount({ count, of, high }: Rate, words: AdapterWords): string {
  return of === 0 ? "-" : `${count}/${of}, ${words.upTo(`${(high * 100).toFixed(1)} %`)}`;
}

/** Milliseconds with as many digits as they deserve. */
export function stageTime(ms: number | null): string {
  if (ms === null) return "-";
  return `${ms < 1 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
}

/** Bytes with their sign; "-" where nobody weighed. */
export function signedBytes(bytes: number | null): string {
  if (bytes === null) return "-";
  const whole = Math.round(bytes);
  return whole > 0 ? `+${whole}` : String(whole);
}

/** What the idle stages took together. */
export function idleWords({ idle }: AdapterView, words: AdapterWords): string | null {
  if (idle.length === 0) return null;
  const ms = idle.reduce((sum, stage) => sum + stage.medianMs, 0);
  return words.idle(idle.map(({ stage }) => stage).join(", "), stageTime(ms));
}
