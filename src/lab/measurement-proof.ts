import { notedRequests, requestAccount } from "./capture/account.ts";
import { bodyText } from "./capture/body.ts";
import type { Capture, Exchange } from "./capture/capture.ts";
import type { StoredRun } from "./capture/open-run.ts";
import { textHash } from "./capture/record.ts";
import type { MeasurementProof } from "./gate/run-side.ts";
import type { Summary } from "./stats/summary.ts";

/** Ids shorter than this repeat by chance: Ollama draws one of 999. */
const tellingId = 20;

/** Reads a stored run once and gathers what shows that it was measured, when, and against what. @throws StoreError */
export async function proveMeasurement(stored: StoredRun, summary: Summary): Promise<MeasurementProof> {
  const answered = new Map<string, number>();
  const ids = new Set<string>();
  const questions: Record<string, string> = {};
  let [cached, repeated] = [0, 0];
  let evidence: string | null = null;
  let [first, last]: [string | null, string | null] = [null, null];
  for await (const capture of stored.captures()) {
    answered.set(capture.id, notedRequests(capture));
    const subjects = capture.exchanges.filter(({ hop }) => hop === "subject");
    for (const { startedAt } of subjects) {
      if (first === null || startedAt < first) first = startedAt;
      if (last === null || startedAt > last) last = startedAt;
    }
    const reply = subjects.at(-1);
    const header = reply === undefined ? null : cacheHeader(reply);
    if (header !== null) {
      cached += 1;
      evidence ??= header;
    }
    const completion = reply === undefined ? null : completionId(reply);
    if (completion !== null) {
      // Two servers may count alike, as two simulators of one seed do; a cache repeats what one of them said.
      const id = `${capture.target} ${completion}`;
      if (ids.has(id)) repeated += 1;
      ids.add(id);
    }
    const key = [capture.scenario, capture.contract, capture.shape].join("/");
    questions[key] ??= questionDigest(capture);
  }
  const { record } = stored;
  const account = await requestAccount(stored, answered);
  return {
    run: record.run,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt,
    firstSentAt: first,
    lastSentAt: last,
    planned: summary.planned,
    measured: summary.measured,
    requests: {
      sent: account.sent,
      askedAgain: account.askedAgain,
      answered: account.answered,
      lost: account.lost.length,
    },
    cached: { count: cached, evidence },
    repeatedAnswers: repeated,
    seed: record.seed,
    labVersion: record.lab.version,
    targets: record.targets.map(({ name, model, facts, fingerprint }) => ({
      name,
      model,
      server: [facts.kind, facts.version].filter((part) => part !== null).join(" "),
      ...fingerprint,
    })),
    questions,
  };
}

/** A header by which a proxy says that it did not ask the model. */
function cacheHeader({ headers }: Exchange): string | null {
  for (const [name, value] of Object.entries(headers)) {
    const hit = /cache/i.test(name) && /^\s*(?:hit|true)\b/i.test(value);
    const stale = name.toLowerCase() === "age" && Number(value) > 0;
    if (hit || stale) return `${name}: ${value}`;
  }
  return null;
}

function completionId(exchange: Exchange): string | null {
  const text = bodyText(exchange.body);
  const [, id] = /"id"\s*:\s*"([^"]{1,200})"/.exec(text.slice(0, 4096)) ?? [];
  return id !== undefined && id.length >= tellingId ? id : null;
}

/** What was asked, without what a trial draws anew. */
function questionDigest({ request, expectation, ...capture }: Capture): string {
  const { nonce, tools } = expectation;
  const masked = request.sources.map(({ role, text }) => {
    const named = nonce === null ? text : text.replaceAll(nonce, "{{nonce}}");
    // Questions that nobody can know may draw numbers, too.
    return { role, text: capture.class === "unmemorizable" ? named.replace(/\d+/g, "0") : named };
  });
  return textHash(JSON.stringify({ masked, tools })).slice(0, 16);
}
