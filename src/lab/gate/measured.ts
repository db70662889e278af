import type { Exclusion, Summary } from "../stats/summary.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Whether a run measured what it planned; nothing is said of how good the answers were. Fails closed: a run without samples
 * is as invalid as one that got fewer answers than planned.
 */
export function measuredVerdict(summary: Summary): Verdict {
  const { planned, measured } = summary;
  if (planned === 0)
    return {
      schemaVersion: 1,
      kind: "invalid",
      sentence: "Nothing was planned: no scenario fits the suites, languages and arms that were asked for.",
    };
  if (measured === planned)
    return { schemaVersion: 1, kind: "pass", sentence: `All ${planned} planned samples were measured.` };
  const reason = mostFrequent(summary.exclusions);
  const why =
    reason === null ? "" : `, mostly because of ${reason.reason}${reason.detail === "" ? "" : ` (${reason.detail})`}`;
  return {
    schemaVersion: 1,
    kind: "invalid",
    sentence: `${planned - measured} of ${planned} planned samples were not measured${why}.`,
  };
}

function mostFrequent(exclusions: readonly Exclusion[]): Exclusion | null {
  const counts = new Map<string, number>();
  for (const { reason } of exclusions) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [top] = [...counts].sort((left, right) => right[1] - left[1]);
  return exclusions.find(({ reason }) => reason === top?.[0]) ?? null;
}
