import { canonicalJson, type JsonValue } from "../protocol/json.ts";
import { notedRequests, requestAccount } from "./capture/account.ts";
import type { StoredRun } from "./capture/open-run.ts";
import { rewriteClassifications } from "./capture/rewrite.ts";
import type { Classification } from "./classify/classification.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { conclude } from "./conclude.ts";
import { type JudgedSample, judgedSample } from "./diagnose/judged-sample.ts";

/** How many samples were judged again, and how many of them differently. */
export interface Rejudged {
  readonly samples: number;
  readonly changed: number;
}

/**
 * Judges a stored run with today's rules and replaces its classifications and summary. No server is asked; unless the rules
 * changed, both files come out byte for byte the same.
 */
export async function rejudge(stored: StoredRun): Promise<Rejudged> {
  const before = new Map<string, string>();
  for await (const classification of stored.classifications<Classification>()) {
    before.set(classification.id, canonicalJson(classification as unknown as JsonValue));
  }
  const facts = new Map(stored.record.targets.map((target) => [target.name, target.facts]));
  const judged: JudgedSample[] = [];
  const answered = new Map<string, number>();
  let changed = 0;
  await rewriteClassifications(stored.folder, async (write, writeSummary) => {
    for await (const capture of stored.captures()) {
      const known = facts.get(capture.target);
      if (known === undefined) continue;
      const classification = classifyCapture(capture, known);
      write(JSON.stringify(classification));
      judged.push(judgedSample(capture, classification));
      answered.set(capture.id, notedRequests(capture));
      if (before.get(capture.id) !== canonicalJson(classification as unknown as JsonValue)) changed += 1;
    }
    const { lost } = await requestAccount(stored, answered);
    await writeSummary(conclude(stored.record, judged, lost));
  });
  return { samples: judged.length, changed };
}
