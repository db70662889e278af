import type { Capture } from "./capture.ts";
import type { LostRequest } from "./lost-request.ts";
import type { StoredRun } from "./open-run.ts";
import type { Intent } from "./stored-schemas.ts";

/**
 * Requests of a run: `sent` = `answered` + the number of `lost`. `askedAgain` of those sent repeat one that got no answer, as after a
 * connection that broke. Those of the target stage and of side channels are not among them.
 */
export interface RequestAccount {
  readonly sent: number;
  readonly askedAgain: number;
  readonly answered: number;
  readonly lost: readonly LostRequest[];
}

/** How many requests of a capture were noted before they were sent. */
export function notedRequests(capture: Pick<Capture, "exchanges">): number {
  return capture.exchanges.filter(({ hop }) => hop === "subject").length;
}

/**
 * Matches what was sent with what was answered. `answered` holds the noted requests of each captured sample: they are the last
 * ones of its notes, since a sample is captured once and never sent again after that.
 */
export async function requestAccount(
  stored: Pick<StoredRun, "intents">,
  answered: ReadonlyMap<string, number>,
): Promise<RequestAccount> {
  const noted = new Map<string, Intent[]>();
  let [sent, askedAgain] = [0, 0];
  for await (const intent of stored.intents()) {
    sent += 1;
    if (intent.attempt > 1) askedAgain += 1;
    const known = noted.get(intent.id);
    if (known === undefined) noted.set(intent.id, [intent]);
    else known.push(intent);
  }
  const lost: LostRequest[] = [];
  for (const [id, intents] of noted) {
    const count = intents.length - (answered.get(id) ?? 0);
    for (const { attempt, at } of intents.slice(0, Math.max(0, count))) lost.push({ id, attempt, at });
  }
  return { sent, askedAgain, answered: sent - lost.length, lost };
}
