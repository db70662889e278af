import { basename } from "node:path";
import { notedRequests, type RequestAccount, requestAccount } from "./capture/account.ts";
import type { StoredRun } from "./capture/open-run.ts";
import { reopenRun } from "./capture/reopen.ts";
import { rewriteClassifications } from "./capture/rewrite.ts";
import type { RunStore } from "./capture/store.ts";
import { StoreError } from "./capture/store-error.ts";
import type { StoredPlan } from "./capture/stored-plan.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { type JudgedSample, judgedSample } from "./diagnose/judged-sample.ts";
import type { RunProgress } from "./run-options.ts";

/** A stopped run, ready to be completed. */
export interface StoppedRun {
  readonly store: RunStore;
  readonly plan: StoredPlan;
  readonly progress: RunProgress;
  /** What was sent, answered and lost before. */
  readonly account: RequestAccount;
  readonly notes: readonly string[];
}

/**
 * Opens a run that was stopped: claims its folder, sets torn lines aside and judges what was captured. Judgements may be
 * behind the captures or ahead of them when a process dies, so they are made again from what was captured. @throws StoreError
 */
export async function reopenStoppedRun(folder: string): Promise<StoppedRun> {
  const { store, prepared, notes } = await reopenRun(folder, prepare);
  return { store, notes, ...prepared };
}

async function prepare(stored: StoredRun): Promise<Pick<StoppedRun, "plan" | "progress" | "account">> {
  const plan = await stored.plan();
  if (plan === null) {
    throw new StoreError(
      `${basename(stored.folder)}: there is no plan.json, so the run cannot be completed; measure anew`,
    );
  }
  const facts = new Map(stored.record.targets.map((target) => [target.name, target.facts]));
  const judged: JudgedSample[] = [];
  const answered = new Map<string, number>();
  await rewriteClassifications(stored.folder, async (write) => {
    for await (const capture of stored.captures()) {
      const known = facts.get(capture.target);
      if (known === undefined || answered.has(capture.id)) continue;
      const classification = classifyCapture(capture, known);
      write(JSON.stringify(classification));
      judged.push(judgedSample(capture, classification));
      answered.set(capture.id, notedRequests(capture));
    }
  });
  const account = await requestAccount(stored, answered);
  return { plan, account, progress: { judged, lost: account.lost } };
}
