import type { GateInput } from "../../../src/lab/gate/decide.ts";
import { decide } from "../../../src/lab/gate/decide.ts";
import { type GatePolicy, policySchema } from "../../../src/lab/gate/policy.ts";
import type { MeasurementProof, RunSide } from "../../../src/lab/gate/run-side.ts";
import type { Treatment } from "../../../src/lab/gate/treatment.ts";
import type { GateVerdict } from "../../../src/lab/gate/verdict.ts";
import { seededRandom } from "../../../src/lab/stats/seeded-random.ts";
import type { Cell, Summary } from "../../../src/lab/stats/summary.ts";
import { drawRun, worlds } from "./simulated-runs.ts";

const [steady] = worlds;

/** A sound run of a model that keeps every contract. */
export function soundRun(run: string, createdAt: string, trials = 10): RunSide {
  if (steady === undefined) throw new Error("no world");
  const side = drawRun({
    world: steady,
    trials,
    correlation: 0,
    random: seededRandom(1),
    run,
    createdAt,
    fewScenarios: true,
  });
  return { ...side, proof: proofOf(side) };
}

export function proofOf({ record, summary }: Pick<RunSide, "record" | "summary">): MeasurementProof {
  return {
    run: record.run,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt,
    firstSentAt: record.createdAt,
    lastSentAt: record.createdAt,
    planned: summary.planned,
    measured: summary.measured,
    requests: { sent: summary.measured, askedAgain: 0, answered: summary.measured, lost: 0 },
    cached: { count: 0, evidence: null },
    repeatedAnswers: 0,
    seed: record.seed,
    labVersion: record.lab.version,
    targets: [],
    questions: { "seed-memorizable/native/small": "aaaa" },
  };
}

export const earlier = (): RunSide => soundRun("earlier", "2026-01-01T00:00:00.000Z");
export const later = (): RunSide => soundRun("later", "2026-01-02T00:00:00.000Z");

/** A policy from what a person would write. */
export function policy(given: unknown = {}): GatePolicy {
  return policySchema.parse(given);
}

/** Gates one side against another. */
export function judge(
  run: RunSide,
  baseline: RunSide | null = earlier(),
  more: { readonly policy?: GatePolicy; readonly treatment?: readonly Treatment[] } & Partial<GateInput> = {},
): GateVerdict {
  return decide({
    run,
    baseline: baseline === null ? null : { name: "trusted", side: baseline },
    options: { policy: more.policy ?? policy(), treatment: more.treatment ?? [], targets: [] },
    now: more.now ?? null,
    policyName: null,
    ...(more.options === undefined ? {} : { options: more.options }),
  });
}

/** The run with some of its summary changed, its proof left as it was. */
export function withSummary(side: RunSide, change: Partial<Summary>): RunSide {
  return { ...side, summary: { ...side.summary, ...change } };
}

/** The run with cells changed one by one; null leaves a cell out. */
export function withCells(side: RunSide, change: (cell: Cell) => Cell | null): RunSide {
  const cells = side.summary.cells.flatMap((cell) => change(cell) ?? []);
  const sum = (key: "planned" | "measured") => cells.reduce((total, cell) => total + cell[key], 0);
  return withSummary(side, { cells, planned: sum("planned"), measured: sum("measured") });
}
