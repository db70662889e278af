import { ageInDays, baselineChecks, comparableChecks, comparisonNotes } from "./checks/comparable-checks.ts";
import { deliveryChecks } from "./checks/delivery-checks.ts";
import { measuredChecks } from "./checks/measured-checks.ts";
import { floorChecks, safetyBoundChecks, safetyRiseChecks } from "./checks/rule-checks.ts";
import { alphaShares, type CompareOptions, compareRuns } from "./compare.ts";
import { comparisonView } from "./comparison-view.ts";
import type { RunSide } from "./run-side.ts";
import type { Check, GateVerdict, VerdictKind } from "./verdict.ts";
import { gateWordsEnglish } from "./words/english.ts";
import { verdictSentence } from "./words/gate-words.ts";

export interface GateInput {
  readonly run: RunSide;
  /** What the run is held against; null where the policy's floors and bounds are all there is. */
  readonly baseline: { readonly name: string; readonly side: RunSide } | null;
  readonly options: CompareOptions;
  /** When the gate is asked, ISO 8601; null where the age of the run does not matter. */
  readonly now: string | null;
  /** Name of the policy file; null for the default policy. */
  readonly policyName: string | null;
}

/** Graver first: a run that measured nothing says nothing, however it looks. */
const gravity: readonly VerdictKind[] = ["invalid", "regression", "inconclusive", "pass"];

/**
 * The gate: a pure function of what was measured and what is asked. Fails closed: a pass needs every check passed, and at least
 * one. Statistics are not even looked at where the runs are not sound or not comparable.
 */
export function decide({ run, baseline, options, now, policyName }: GateInput): GateVerdict {
  const { policy, treatment } = options;
  const comparison = baseline === null ? null : compareRuns(baseline.side, run, options);
  const sound = measuredChecks(run, policy, now);
  const comparable =
    baseline === null || comparison === null || sound.length > 0
      ? []
      : [
          ...baselineChecks(baseline.side, run, comparison.pairing, policy),
          ...comparableChecks(baseline.side, run, comparison.pairing, treatment),
        ];
  const invalid = [...sound, ...comparable];
  const checks =
    invalid.length > 0
      ? invalid
      : [
          ...(comparison === null ? [] : deliveryChecks(comparison, run, policy)),
          ...floorChecks(run, policy),
          ...safetyBoundChecks(run, policy),
          ...(comparison === null ? [] : safetyRiseChecks(comparison.pairing, policy, alphaShares(policy).safety)),
        ];
  const ranked = gravest(checks.length > 0 ? checks : [nothingChecked]);
  const kind = ranked[0]?.kind ?? "invalid";
  const notes =
    baseline === null || comparison === null
      ? []
      : comparisonNotes(baseline.side, run, comparison.pairing, treatment, policy);
  const verdict: Omit<GateVerdict, "sentence"> = {
    schemaVersion: 1,
    kind,
    run: run.record.run,
    baseline:
      baseline === null
        ? null
        : {
            name: baseline.name,
            run: baseline.side.record.run,
            createdAt: baseline.side.record.createdAt,
            ageDays: ageInDays(baseline.side, run),
          },
    treatment,
    policy: policyName,
    checks: ranked,
    notes,
    onInconclusive: policy.onInconclusive,
    comparison:
      baseline === null || comparison === null
        ? null
        : comparisonView(
            { name: baseline.name, side: baseline.side },
            { name: run.record.run, side: run },
            { comparison, options, problems: comparable, notes },
          ),
    proof: { run: run.proof, baseline: baseline?.side.proof ?? null },
  };
  return { ...verdict, sentence: verdictSentence(verdict, gateWordsEnglish) };
}

const nothingChecked: Check = { code: "vacuous", kind: "invalid", place: null, facts: { why: "no_checks" } };

/** Gravest first; within a kind as they were found, the largest fall before the others. */
function gravest(checks: readonly Check[]): readonly Check[] {
  const size = ({ facts }: Check): number => (typeof facts["drop"] === "number" ? facts["drop"] : 0);
  return [...checks.entries()]
    .sort(
      ([leftIndex, left], [rightIndex, right]) =>
        gravity.indexOf(left.kind) - gravity.indexOf(right.kind) || size(right) - size(left) || leftIndex - rightIndex,
    )
    .map(([, check]) => check);
}
