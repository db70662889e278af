import type { LostRequest } from "../capture/lost-request.ts";
import type { RunRecord, StoppedTarget, TargetRecord } from "../capture/run-record.ts";
import type { Classification, FindingKind, Headline, ProbeFaultCode } from "../classify/classification.ts";
import type { Diagnosis } from "../diagnose/diagnosis.ts";
import { isRated, type JudgedSample } from "../diagnose/judged-sample.ts";
import type { SampleFactors } from "../scenario/scenario.ts";
import { median, wilsonWithUndecided } from "./proportions.ts";
import type { Cell, Exclusion, Summary } from "./summary.ts";

/** A sample as planned, whether or not it was measured. */
export interface PlannedFactors extends SampleFactors {
  readonly id: string;
  readonly target: string;
  readonly route: string;
  readonly choice: JudgedSample["choice"];
  readonly judge: JudgedSample["judge"];
  readonly probe?: JudgedSample["probe"];
}

const cellKeys = [
  "target",
  "route",
  "suite",
  "scenario",
  "arm",
  "contract",
  "class",
  "shape",
  "language",
  "stream",
] as const;

function keyOf(sample: PlannedFactors): string {
  return JSON.stringify(cellKeys.map((key) => sample[key]));
}

/**
 * Counts a run: one cell for each combination of factors, in the order of the plan. Every planned sample is in exactly one
 * cell; one without a judgement, or with an unmeasured one, is also among the exclusions.
 */
export function summarise(
  record: Pick<RunRecord, "run" | "targets" | "unmet" | "stopped">,
  planned: readonly PlannedFactors[],
  judged: readonly JudgedSample[],
  diagnoses: readonly Diagnosis[],
  lost: readonly LostRequest[] = [],
): Summary {
  const judgements = new Map(judged.map((sample) => [sample.id, sample]));
  const fate: Fate = {
    unmet: new Map(record.unmet.map(({ target, line }) => [target, line])),
    stopped: new Map(record.stopped?.map((stop) => [stop.target, stop])),
    excluded: new Set(record.stopped?.flatMap((stop) => stop.excluded)),
    lost: new Map(lost.map((request) => [request.id, request])),
  };
  const groups = new Map<string, PlannedFactors[]>();
  for (const sample of planned) {
    const key = keyOf(sample);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sample]);
    else group.push(sample);
  }
  const cells = [...groups.values()].map((group) => cellOf(group, judgements, record.targets));
  return {
    schemaVersion: 1,
    run: record.run,
    planned: planned.length,
    measured: cells.reduce((sum, cell) => sum + cell.measured, 0),
    cells,
    diagnoses,
    exclusions: planned.flatMap((sample) => exclusionOf(sample, judgements.get(sample.id), fate)),
    ...(lost.length === 0 ? {} : { lost }),
  };
}

/** What became of targets and requests, for samples that were not measured. */
interface Fate {
  readonly unmet: ReadonlyMap<string, string>;
  readonly stopped: ReadonlyMap<string, StoppedTarget>;
  readonly excluded: ReadonlySet<string>;
  readonly lost: ReadonlyMap<string, LostRequest>;
}

function exclusionOf(sample: PlannedFactors, judged: JudgedSample | undefined, fate: Fate): readonly Exclusion[] {
  const { id, target } = sample;
  const unmet = fate.unmet.get(target);
  if (unmet !== undefined) return [{ id, reason: "target_not_met", detail: unmet }];
  const stop = fate.stopped.get(target);
  if (fate.excluded.has(id)) return [{ id, reason: "target_changed", detail: stop?.line ?? "" }];
  if (judged === undefined) {
    const lost = fate.lost.get(id);
    if (lost !== undefined)
      return [{ id, reason: "lost", detail: `sent at ${lost.at}; the run was stopped before its answer was kept` }];
    return [{ id, reason: "not_sent", detail: stop?.line ?? "the run ended before this sample was answered" }];
  }
  if (judged.classification.measured) return [];
  const reply = judged.classification.replies.at(-1);
  return [
    {
      id,
      reason: judged.classification.reason ?? "transport",
      detail: reply?.measured === false ? reply.detail : "",
    },
  ];
}

function cellOf(
  group: readonly PlannedFactors[],
  judgements: ReadonlyMap<string, JudgedSample>,
  targets: readonly TargetRecord[],
): Cell {
  const [first] = group;
  if (first === undefined) throw new RangeError("a cell has at least one sample");
  const measured = group.flatMap((sample) => {
    const judged = judgements.get(sample.id);
    return judged?.classification.measured === true ? [judged.classification] : [];
  });
  const counts: Partial<Record<Headline, number>> = {};
  for (const { headline } of measured) counts[headline] = (counts[headline] ?? 0) + 1;
  const count = (key: "delivered" | "attempted", value: "yes" | "undecidable"): number =>
    measured.filter((item) => item[key] === value).length;
  const delivered = count("delivered", "yes");
  const attempted = count("attempted", "yes");
  const undecidable = measured.filter(
    (item) => item.delivered === "undecidable" || item.attempted === "undecidable",
  ).length;
  const notTestable =
    targets.find((target) => target.name === first.target)?.notTestable.find((entry) => entry.arm === first.arm)
      ?.reason ?? null;
  const { target, route, suite, scenario, arm, contract, shape, language, stream } = first;
  return {
    target,
    route,
    suite,
    scenario,
    arm,
    contract,
    class: first.class,
    shape,
    language,
    stream,
    planned: group.length,
    measured: measured.length,
    attempted,
    delivered,
    undecidable,
    counts,
    findings: findingCounts(measured),
    ...(first.probe === undefined ? {} : { faults: faultCounts(measured), facts: medianFacts(measured) }),
    rated: isRated(first) && notTestable === null,
    notTestable,
    deliveredRate: wilsonWithUndecided(delivered, undecidable, measured.length),
    attemptedRate: wilsonWithUndecided(attempted, undecidable, measured.length),
    medianMs: median(measured.flatMap((item) => item.latency.totalMs ?? [])),
  };
}

/** Samples that show a fault of their suite, each kind once a sample. */
function faultCounts(measured: readonly Classification[]): Readonly<Partial<Record<ProbeFaultCode, number>>> {
  const counts: Partial<Record<ProbeFaultCode, number>> = {};
  for (const { probe } of measured) {
    for (const code of new Set(probe?.faults.map((fault) => fault.code))) counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

function medianFacts(measured: readonly Classification[]): Readonly<Record<string, number>> {
  const names = new Set(measured.flatMap(({ probe }) => Object.keys(probe?.facts ?? {})));
  return Object.fromEntries(
    [...names].sort().map((name) => [name, median(measured.flatMap(({ probe }) => probe?.facts[name] ?? [])) ?? 0]),
  );
}

/** Samples that show a finding, each kind once a sample. */
function findingCounts(measured: readonly Classification[]): Readonly<Partial<Record<FindingKind, number>>> {
  const counts: Partial<Record<FindingKind, number>> = {};
  for (const { replies } of measured) {
    const kinds = replies.flatMap((reply) => (reply.measured ? reply.findings.map((finding) => finding.kind) : []));
    for (const kind of new Set(kinds)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
