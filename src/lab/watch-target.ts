import { TransportError } from "../protocol/handler.ts";
import type { Ask } from "../protocol/servers/probe.ts";
import type { ServerRecord } from "../protocol/servers/server.ts";
import type { Capture, Exchange } from "./capture/capture.ts";
import type { TargetRecord } from "./capture/run-record.ts";
import { askUntil, saysLoading } from "./target/loading.ts";
import { changedLine, type Recheck } from "./target/recheck-target.ts";

/** Why a target was left before its plan was done. */
export interface Stop {
  readonly line: string;
  /** True where another server, model or set-up was found under its address. */
  readonly changed: boolean;
}

/**
 * Watches one target while it is measured. A server that stops answering is waited for instead of being asked sample after
 * sample; one that comes back as another is left. Costs nothing while all is well.
 */
export interface TargetWatch {
  /** To be awaited before the next sample; null while nothing is wrong. */
  readonly pause: Promise<void> | null;
  readonly stop: Stop | null;
  /** Ids of samples that may have been answered by another server than the one that was met. */
  readonly excluded: readonly string[];
  saw(capture: Capture): void;
  /** The last look: is it still the same? */
  end(): Promise<void>;
}

export interface WatchOptions {
  readonly met: TargetRecord;
  readonly server: ServerRecord;
  readonly apiPrefix: string;
  /** Samples in flight at once: so many may be cut by one and the same incident. */
  readonly concurrency: number;
  /** Milliseconds to wait for a server that stopped answering or is loading. */
  readonly patienceMs: number;
  readonly clock: { now(): number };
  readonly signal: AbortSignal;
  readonly ask: Ask;
  recheck(): Promise<Recheck>;
  note(text: string): void;
}

/** Waits in a row without an answered sample in between after which a target is given up. */
const fruitlessWaits = 3;

export function watchTarget(options: WatchOptions): TargetWatch {
  const { met, clock, signal } = options;
  const marksSetUp = options.server.fingerprintMarksSetUp;
  const known = met.fingerprint.incidental["system_fingerprint"];
  const expected = marksSetUp && typeof known === "string" ? known : null;
  /** Model that replies name, by the way in which they are asked for: some servers name it differently in a stream. */
  const named = new Map<string, string>();
  let pause: Promise<void> | null = null;
  let stop: Stop | null = null;
  let answered = false;
  /** Answered since the target was last known to be itself, by a reply that does not say so. */
  let unconfirmed: string[] = [];
  const foreign: string[] = [];
  let unanswered = 0;
  let waits = 0;

  const settle = async (): Promise<void> => {
    waits += 1;
    const path = `${options.apiPrefix}/models`;
    const back = await askUntil(
      options.ask,
      { path },
      (answer) => TransportError.is(answer) || saysLoading(answer),
      `${met.name}: the server does not answer any more`,
      { patienceMs: options.patienceMs, clock, note: options.note, signal },
    );
    if (signal.aborted) return;
    if (TransportError.is(back) || saysLoading(back)) {
      const how = TransportError.is(back) ? back.message : `HTTP ${back.status}`;
      stop = { line: `${met.baseUrl}: the server stopped answering in the middle of the run (${how})`, changed: false };
      return;
    }
    await confirm();
    if (stop === null && waits >= fruitlessWaits) {
      const line = `${met.baseUrl}: the server lists its models and answers no sample any more; see its log`;
      stop = { line, changed: false };
    }
    unanswered = 0;
  };

  const confirm = async (): Promise<void> => {
    const asked = unconfirmed;
    unconfirmed = [];
    answered = false;
    const found = await options.recheck();
    switch (found.kind) {
      case "same":
        return;
      case "unknown":
        unconfirmed = [...asked, ...unconfirmed];
        return;
      case "changed":
        foreign.push(...asked, ...unconfirmed);
        stop = { line: found.line, changed: true };
        return;
      default:
        found satisfies never;
    }
  };

  return {
    get pause() {
      return pause;
    },
    get stop() {
      return stop;
    },
    get excluded() {
      return foreign;
    },
    saw(capture) {
      const subject = capture.exchanges.findLast(({ hop }) => hop === "subject");
      if (subject === undefined) return;
      if (subject.status !== null && subject.status !== 503) {
        unanswered = 0;
        waits = 0;
        answered = true;
        const seen = expected === null ? null : stringField(subject, "system_fingerprint");
        const other = otherModel(named, capture, subject);
        if (other !== null) {
          foreign.push(capture.id);
          stop ??= {
            line: changedLine(met.baseUrl, `${other.now} answers, and before it ${other.before} did`),
            changed: true,
          };
        } else if (seen !== null && seen !== expected) {
          foreign.push(capture.id);
          stop ??= { line: changedLine(met.baseUrl, `it answers as ${seen}, not as ${expected}`), changed: true };
        } else if (seen === null) {
          if (stop?.changed === true) foreign.push(capture.id);
          else unconfirmed.push(capture.id);
        }
        return;
      }
      unanswered += 1;
      // A process that is replaced breaks what is in flight: what was answered before the first break is the old one's.
      if (unanswered === 1) unconfirmed = [];
      if (isGone(subject) || unanswered > options.concurrency + 1) {
        pause ??= settle().finally(() => {
          pause = null;
        });
      }
    },
    async end() {
      await pause;
      if (stop === null && answered && !signal.aborted) await confirm();
    },
  };
}

/** Nobody there, or a process that broke off or is still loading: the next sample would fare no better. */
function isGone({ status, end }: Exchange): boolean {
  if (status === 503) return true;
  if (end.kind !== "failed") return false;
  return end.phase === "connect" || (end.phase === "first_byte" && /reset|closed/i.test(end.cause));
}

/** Names of the models that answer now and answered before, where they differ: a router or a swap behind one address. */
function otherModel(
  named: Map<string, string>,
  { route }: Capture,
  subject: Exchange,
): { readonly before: string; readonly now: string } | null {
  // An adapter names what was asked for.
  if (route !== "direct" || subject.status !== 200) return null;
  const now = stringField(subject, "model");
  if (now === null || now === "") return null;
  const way = `${subject.path} ${subject.headers["content-type"] ?? ""}`;
  const before = named.get(way);
  if (before === undefined) named.set(way, now);
  return before === undefined || before === now ? null : { before, now };
}

/** The first text under this key of a reply; the model's own words hold no unescaped quote, so the first one is the server's. */
function stringField({ body }: Exchange, key: "system_fingerprint" | "model"): string | null {
  if (!("utf8" in body)) return null;
  const marker = `"${key}":`;
  const at = body.utf8.indexOf(marker);
  if (at === -1) return null;
  return /^\s*"([^"\\]*)"/.exec(body.utf8.slice(at + marker.length, at + marker.length + 200))?.[1] ?? null;
}
