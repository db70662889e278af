import type { Capture } from "./capture/capture.ts";
import type { StoredRun } from "./capture/open-run.ts";
import type { TargetRecord } from "./capture/run-record.ts";
import { StoreError } from "./capture/store-error.ts";
import type { Classification } from "./classify/classification.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { assembleExchange } from "./report/assembled.ts";
import { suggestion } from "./scenario/nearest.ts";

/** One request of a sample, as it can be sent again. `headers` without secrets. */
export interface ReproducedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What came back: status, and its texts and calls. */
  readonly status: number | null;
  readonly seen: readonly { readonly field: string; readonly text: string }[];
}

/** A sample with all that it takes to show the same again, and to whom. */
export interface Reproduction {
  readonly id: string;
  readonly target: TargetRecord;
  readonly capture: Capture;
  readonly judged: Classification;
  readonly requests: readonly ReproducedRequest[];
}

/**
 * Takes a sample out of a stored run, judged with today's rules. `wanted`: its id, or a part of it that no other id has.
 * @throws StoreError with one line where there is none or more than one, or its request was not kept
 */
export async function reproduce(stored: StoredRun, wanted: string): Promise<Reproduction> {
  const capture = await findSample(stored, wanted);
  const target = stored.record.targets.find(({ name }) => name === capture.target);
  if (target === undefined) throw new StoreError(`${stored.folder}: the run does not say what ${capture.target} is`);
  const requests: ReproducedRequest[] = [];
  for (const [index, exchange] of capture.exchanges.entries()) {
    if (exchange.hop !== "subject") continue;
    const body = exchange.request === null ? null : await stored.requestBody(exchange.request);
    if (body === null)
      throw new StoreError(`${stored.folder}: requests.jsonl does not hold the request of ${capture.id}`);
    const { texts, calls } = assembleExchange(capture, index);
    requests.push({
      method: exchange.method,
      url: `${new URL(target.baseUrl).origin}${exchange.path}`,
      headers: exchange.sentHeaders,
      body,
      status: exchange.status,
      seen: [
        ...texts.map(({ field, text }) => ({ field, text })),
        ...calls.map(({ name, argumentsText }) => ({ field: "call", text: `${name} ${argumentsText}` })),
      ],
    });
  }
  return { id: capture.id, target, capture, judged: classifyCapture(capture, target.facts), requests };
}

const shownIds = 5;

async function findSample(stored: StoredRun, wanted: string): Promise<Capture> {
  const ids: string[] = [];
  let fitting: Capture | null = null;
  const found: string[] = [];
  for await (const capture of stored.captures()) {
    if (capture.id === wanted) return capture;
    ids.push(capture.id);
    if (!capture.id.includes(wanted)) continue;
    fitting ??= capture;
    found.push(capture.id);
  }
  if (fitting !== null && found.length === 1) return fitting;
  if (found.length > 1)
    throw new StoreError(
      `"${wanted}" is in ${found.length} sample ids (${found.slice(0, shownIds).join(", ")}${found.length > shownIds ? ", …" : ""}); write more of it`,
    );
  throw new StoreError(`there is no sample "${wanted}" in this run${suggestion(wanted, ids)}`);
}
