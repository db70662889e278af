import type { ReplyJudgement } from "../classify/classification.ts";

/** The text format of the call that an axis names; null where there is none. */
export function formatOf(judgement: ReplyJudgement): string | null {
  return judgement.measured && "format" in judgement.axis ? judgement.axis.format : null;
}
