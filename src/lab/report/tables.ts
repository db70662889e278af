import {
  type Contract,
  contracts,
  type ScenarioClass,
  type Shape,
  scenarioClasses,
  shapes,
} from "../scenario/scenario.ts";
import { ablationPrefix } from "../stats/adapter-summary.ts";
import type { Cell } from "../stats/summary.ts";
import type { Outcome } from "./messages/messages.ts";
import { isProbe, type ProbesView, probesOf } from "./probe-tables.ts";
import type { SampleRow } from "./sample-row.ts";
import { type CellView, cellView } from "./tally.ts";

/** The contract matrix of one target and route: class of the question by contract. */
export interface MatrixView {
  readonly kind: "matrix";
  readonly suite: string;
  readonly route: string;
  readonly shape: Shape;
  readonly contracts: readonly Contract[];
  readonly rows: readonly { readonly class: ScenarioClass; readonly cells: Readonly<Record<Contract, CellView>> }[];
}

/** What became of the calls of one arm in one transport mode. */
export interface ArmCell {
  readonly view: CellView;
  /** Measured samples by what became of the call, by axis: a finding beside it hides nothing here. */
  readonly outcomes: ReadonlyMap<Outcome, number>;
}

/** The arms of one suite, target and route, whole and streamed. */
export interface ArmsView {
  readonly kind: "arms";
  readonly suite: string;
  readonly route: string;
  readonly shape: Shape;
  readonly rows: readonly {
    readonly arm: string;
    readonly irrelevant: boolean;
    readonly whole: ArmCell | null;
    readonly streamed: ArmCell | null;
  }[];
}

export type TableView = MatrixView | ArmsView | ProbesView;

/**
 * The tables of one target: a matrix where a suite compares contracts, arms elsewhere. Suites and routes stand as the run made
 * them, the small shape before the agent's.
 */
export function tablesOf(cells: readonly Cell[], rows: readonly SampleRow[]): readonly TableView[] {
  // Routes without a stage are there for what that stage does, which has a table of its own.
  const shown = cells.filter((cell) => !cell.route.startsWith(ablationPrefix));
  const bySuite = [...grouped(shown, (cell) => cell.suite).values()];
  const byRoute = bySuite.flatMap((group) =>
    [...grouped(group, (cell) => cell.route)]
      .sort(([one], [other]) => Number(one !== "direct") - Number(other !== "direct"))
      .map(([, ofRoute]) => ofRoute),
  );
  return byRoute
    .flatMap((group) => shapes.map((shape) => group.filter((cell) => cell.shape === shape)))
    .filter((group) => group.length > 0)
    .map((group) => {
      if (isProbe(group)) return probesOf(group, placeOf(group));
      return new Set(group.map((cell) => cell.contract)).size > 1 ? matrixOf(group) : armsOf(group, rows);
    });
}

function matrixOf(cells: readonly Cell[]): MatrixView {
  return {
    kind: "matrix",
    ...placeOf(cells),
    contracts,
    rows: scenarioClasses
      .filter((name) => cells.some((cell) => cell.class === name))
      .map((name) => {
        const inRow = cells.filter((cell) => cell.class === name);
        const at = (contract: Contract) => cellView(inRow.filter((cell) => cell.contract === contract));
        return { class: name, cells: { marker: at("marker"), native: at("native") } };
      }),
  };
}

function armsOf(cells: readonly Cell[], rows: readonly SampleRow[]): ArmsView {
  const place = placeOf(cells);
  const here = rows.filter(
    (row) => row.suite === place.suite && row.route === place.route && row.shape === place.shape,
  );
  const order = armOrder(cells);
  return {
    kind: "arms",
    ...place,
    rows: [...grouped(cells, (cell) => `${isIrrelevant(cell)}\n${cell.arm}`).values()]
      .map((group) => {
        const { arm, irrelevant } = { arm: group[0]?.arm ?? "", irrelevant: group.some(isIrrelevant) };
        const mode = (stream: boolean): ArmCell | null => {
          const ofMode = group.filter((cell) => cell.stream === stream);
          if (ofMode.length === 0) return null;
          const view = cellView(ofMode);
          const samples = here.filter(
            (row) => row.arm === arm && row.stream === stream && isIrrelevant(row) === irrelevant && row.measured,
          );
          return { view, outcomes: countOutcomes(samples, view.kind === "rated") };
        };
        return { arm, irrelevant, whole: mode(false), streamed: mode(true) };
      })
      .sort(
        (one, other) =>
          Number(one.irrelevant) - Number(other.irrelevant) || order.indexOf(one.arm) - order.indexOf(other.arm),
      ),
  };
}

/** Arms as the suite lists them: cells of one scenario stand in that order, and the scenario that meets most arms knows most of it. */
function armOrder(cells: readonly Cell[]): readonly string[] {
  const byScenario = [...grouped(cells, (cell) => cell.scenario).values()].map((group) => [
    ...new Set(group.map((cell) => cell.arm)),
  ]);
  return [...new Set(byScenario.sort((left, right) => right.length - left.length).flat())];
}

/** What became of the call of a measured sample. `served` stands for "delivered" where no call was wanted. */
export function outcomeOf(sample: Pick<SampleRow, "axis" | "delivered">, rated: boolean): Outcome {
  switch (sample.axis) {
    case "structured":
    case "marker":
      if (!rated) return "served";
      return sample.delivered === "yes" ? "delivered" : "undelivered";
    case "server_error":
      return "failed";
    case "none":
    case null:
      return "no_call";
    default:
      return sample.axis;
  }
}

function countOutcomes(samples: readonly SampleRow[], rated: boolean): ReadonlyMap<Outcome, number> {
  const counts = new Map<Outcome, number>();
  for (const sample of samples) {
    const outcome = outcomeOf(sample, rated);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

function isIrrelevant(factors: { readonly class: ScenarioClass }): boolean {
  return factors.class === "irrelevant";
}

function placeOf(cells: readonly Cell[]): { suite: string; route: string; shape: Shape } {
  const [first] = cells;
  return { suite: first?.suite ?? "", route: first?.route ?? "", shape: first?.shape ?? "small" };
}

function grouped<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
