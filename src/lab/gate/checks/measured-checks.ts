import type { Exclusion } from "../../stats/summary.ts";
import { type GatePolicy, matches } from "../policy.ts";
import type { RunSide } from "../run-side.ts";
import type { Check, CheckCode } from "../verdict.ts";

/** Was there something to measure, and was it measured? Every answer but a full one makes a run invalid. */
export function measuredChecks(
  { record, summary, proof }: RunSide,
  policy: GatePolicy,
  now: string | null,
): readonly Check[] {
  const checks: Check[] = [];
  const invalid = (code: CheckCode, facts: Check["facts"], target?: string) =>
    checks.push({ code, kind: "invalid", place: target === undefined ? null : { target }, facts });
  const { planned, measured } = summary;

  if (planned === 0) invalid("vacuous", { why: "no_samples" });
  for (const { target, line } of record.unmet) invalid("target_unmet", { line }, target);
  if (measured < planned * policy.coverage.measured) {
    for (const [reason, exclusions] of byReason(summary.exclusions)) {
      // Each target that could not be met has been named.
      if (reason === "target_not_met") continue;
      const [first] = exclusions;
      const facts = { count: exclusions.length, planned, detail: first?.detail ?? "", reason };
      invalid(codeOf(reason), facts);
    }
    if (checks.length === 0) invalid("not_measured", { count: planned - measured, planned, detail: "", reason: "" });
  }
  if (checks.length > 0) return checks;

  if (!summary.cells.some((cell) => cell.rated && cell.measured > 0)) invalid("vacuous", { why: "no_rated" });
  const { maxAgeHours } = policy.run;
  const ended = record.finishedAt ?? record.createdAt;
  const hours = now === null ? 0 : (Date.parse(now) - Date.parse(ended)) / 3_600_000;
  if (maxAgeHours !== null && hours > maxAgeHours)
    invalid("stale_run", { ended, hours: Math.floor(hours), limit: maxAgeHours });
  if (proof !== null) {
    const { requests, cached, repeatedAnswers } = proof;
    if (requests !== null && requests.answered < measured)
      invalid("requests_lost", { answered: requests.answered, measured });
    if (cached.count > 0) invalid("cached", { count: cached.count, evidence: cached.evidence ?? "" });
    else if (repeatedAnswers > 0) invalid("cached", { count: repeatedAnswers, evidence: "" });
  }
  for (const pattern of policy.coverage.require) {
    if (summary.cells.some((cell) => cell.rated && cell.measured > 0 && matches(pattern, cell))) continue;
    invalid("required_missing", { pattern: JSON.stringify(pattern) });
  }
  return checks;
}

function byReason(exclusions: readonly Exclusion[]): readonly (readonly [string, readonly Exclusion[]])[] {
  const groups = new Map<string, Exclusion[]>();
  for (const exclusion of exclusions) {
    const group = groups.get(exclusion.reason);
    if (group === undefined) groups.set(exclusion.reason, [exclusion]);
    else group.push(exclusion);
  }
  return [...groups].sort(([, left], [, right]) => right.length - left.length);
}

function codeOf(reason: string): CheckCode {
  switch (reason) {
    case "not_sent":
      return "unfinished";
    case "wrong_key":
      return "wrong_key";
    case "context_invalid":
      return "context_cut";
    default:
      return "not_measured";
  }
}
