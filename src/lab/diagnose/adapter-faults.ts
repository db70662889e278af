import type { Diagnosis, DiagnosisCode } from "./diagnosis.ts";
import type { DiagnosisMaker } from "./diagnosis-maker.ts";
import { type JudgedSample, measuredReply } from "./judged-sample.ts";
import { countPairs, mcnemarExact, pairRoutes } from "./route-pairs.ts";

/** A difference between paired routes is named from here on. */
const alpha = 0.05;

/**
 * Faults of the adapter on one route. Shown where its own exchange with the server was right and the client's was not; inferred
 * where the direct route was right on the same questions more often than chance explains. `direct` are that route's samples.
 */
export function diagnoseAdapter(
  make: DiagnosisMaker,
  samples: readonly JudgedSample[],
  direct: readonly JudgedSample[],
): readonly Diagnosis[] {
  const found: Diagnosis[] = [];
  const faulty = samples.filter(({ classification }) => classification.measured && classification.owner === "adapter");
  const byCode = new Map<DiagnosisCode, JudgedSample[]>();
  for (const sample of faulty) byCode.set(codeOf(sample), [...(byCode.get(codeOf(sample)) ?? []), sample]);
  for (const [code, group] of byCode) found.push(make(code, "adapter", group, samples.length, { details: why(group) }));

  const shown = new Set(faulty);
  const pairs = pairRoutes(samples, direct).filter((pair) => !shown.has(pair.this));
  const { onlyThis, onlyOther } = countPairs(pairs);
  if (onlyOther > onlyThis && mcnemarExact(onlyThis, onlyOther) <= alpha) {
    const lost = pairs.filter(
      (pair) => pair.other.classification.delivered === "yes" && pair.this.classification.delivered !== "yes",
    );
    const worse = lost.map((pair) => pair.this);
    found.push(
      make("adapter_worse", "adapter", worse, pairs.length, {
        certainty: "inferred",
        details: { ...why(worse), better: onlyThis },
      }),
    );
  }
  return found;
}

function codeOf(sample: JudgedSample): DiagnosisCode {
  const axis = measuredReply(sample)?.axis;
  if (axis === undefined) return "adapter_failed";
  return sample.classification.behind?.attempted === "no" && axis.kind === "structured"
    ? "adapter_made_call"
    : "adapter_lost_call";
}

/** The last decision of the adapter in these samples, by how often it was made: what to look at first. */
function why(samples: readonly JudgedSample[]): Readonly<Record<string, string>> {
  const counts = new Map<string, { readonly stage: string; readonly reason: string; count: number }>();
  for (const { adapter } of samples) {
    const last = adapter?.decisions.findLast(({ stage }) => stage !== "front" && stage !== "intent");
    if (last === undefined) continue;
    const key = `${last.stage} ${last.decision}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { stage: last.stage, reason: last.reason, count: 1 });
    else known.count += 1;
  }
  const [most] = [...counts.values()].sort((left, right) => right.count - left.count);
  return most === undefined ? {} : { stage: most.stage, reason: most.reason.slice(0, 160) };
}
