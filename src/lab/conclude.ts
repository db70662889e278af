import { serverRecord } from "../protocol/servers/index.ts";
import type { LostRequest } from "./capture/lost-request.ts";
import type { PlannedCell, RunRecord } from "./capture/run-record.ts";
import { diagnoseAdapter } from "./diagnose/adapter-faults.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import type { Diagnosis } from "./diagnose/diagnosis.ts";
import { type DiagnoseContext, diagnosisMaker } from "./diagnose/diagnosis-maker.ts";
import type { JudgedSample } from "./diagnose/judged-sample.ts";
import { withoutOverflowing } from "./diagnose/overflowing.ts";
import { type AdapterSummary, ablationPrefix, summariseAdapter } from "./stats/adapter-summary.ts";
import { type PlannedFactors, summarise } from "./stats/summarise.ts";
import type { Summary } from "./stats/summary.ts";

/** The samples of a plan, one by one. */
export function plannedFactors(cells: readonly PlannedCell[]): readonly PlannedFactors[] {
  return cells.flatMap(({ id, trials, ...factors }) =>
    Array.from({ length: trials }, (_, index) => ({ ...factors, id: `${id}/${index + 1}` })),
  );
}

/**
 * Draws the conclusions of a run from its record and its judged samples: diagnoses for each target and route, and the counts.
 * Samples that another server may have answered are left out; requests whose answers were lost are listed.
 */
export function conclude(record: RunRecord, all: readonly JudgedSample[], lost: readonly LostRequest[] = []): Summary {
  const excluded = new Set(record.stopped?.flatMap((stop) => stop.excluded));
  const met = new Map(record.targets.map((target) => [target.name, target.facts]));
  const counted = excluded.size === 0 ? all : all.filter((sample) => !excluded.has(sample.id));
  const judged = counted.some(({ probe }) => probe === "context")
    ? [...met].flatMap(([name, facts]) =>
        withoutOverflowing(
          counted.filter(({ target }) => target === name),
          facts,
        ),
      )
    : counted;
  const diagnoses: Diagnosis[] = [];
  for (const target of record.targets) {
    for (const route of record.routes) {
      const samples = judged.filter((sample) => sample.target === target.name && sample.route === route.id);
      if (samples.length === 0) continue;
      // A stage is left out to see what it is good for: what goes wrong then is nobody's fault.
      if (route.id.startsWith(ablationPrefix)) continue;
      const context: DiagnoseContext = {
        target: target.name,
        route: route.id,
        facts: target.facts,
        server: serverRecord(target.facts.kind),
        notTestable: target.notTestable,
      };
      if (route.treatment !== "direct") {
        const direct = judged.filter((sample) => sample.target === target.name && sample.route === "direct");
        diagnoses.push(...diagnoseAdapter(diagnosisMaker(context), samples, direct));
        // What the direct route shows already is not said again.
        const said = new Set(diagnoses.filter((each) => each.target === target.name).map(({ code }) => code));
        diagnoses.push(...diagnose(context, samples).filter(({ code }) => !said.has(code) && code !== "no_fault"));
        continue;
      }
      diagnoses.push(...diagnose(context, samples));
    }
  }
  const summary = summarise(record, plannedFactors(record.plan.cells), judged, diagnoses, lost);
  const adapters = adapterSummaries(record, judged);
  return adapters.length === 0 ? summary : { ...summary, adapters };
}

function adapterSummaries(record: RunRecord, judged: readonly JudgedSample[]): readonly AdapterSummary[] {
  return record.targets.flatMap(({ name, notTestable }) => {
    const blocked = new Set(notTestable.map(({ arm }) => arm));
    const own = judged.filter((sample) => sample.target === name);
    return summariseAdapter(name, record.routes, own, ({ arm }) => !blocked.has(arm)) ?? [];
  });
}
