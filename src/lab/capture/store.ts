import { readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Capture, Exchange } from "./capture.ts";
import { LineWriter, type OpenAppendFile, openNewFile } from "./line-writer.ts";
import { makeFolder } from "./make-folder.ts";
import { textHash } from "./record.ts";
import type { RunRecord } from "./run-record.ts";
import { claimSession, type Session } from "./session.ts";
import { StoreError, storeError } from "./store-error.ts";
import type { Intent, StoredDocument, StoredJudgement } from "./stored-schemas.ts";

/** Names of the files of a run folder. */
export const runFiles = {
  record: "run.json",
  plan: "plan.json",
  journal: "journal.jsonl",
  requests: "requests.jsonl",
  probes: "probes.jsonl",
  captures: "captures.jsonl",
  classifications: "classifications.jsonl",
  summary: "summary.json",
  verdict: "verdict.json",
  calibration: "calibration.json",
} as const;

/**
 * The folder of a run that is being made. Lines are written in order and in the background; the first failure is thrown by
 * the next call, by {@link RunStore.flush} and by {@link RunStore.close}, as one StoreError.
 */
export interface RunStore {
  readonly folder: string;
  /** Notes that a request is about to be sent; the note is with the operating system when this returns. */
  intent(intent: Intent): void;
  /** Keeps a request body, each text once, and returns its SHA-256. */
  request(body: string): string;
  /** Keeps an exchange of the target stage and returns its line number, from 0. */
  probe(exchange: Exchange): number;
  /** Keeps a sample. Resolves at once while the disk keeps up, later where it does not. */
  capture(capture: Capture): Promise<void>;
  classification(classification: StoredJudgement): void;
  /** Keeps what the plan was made from, so that it can be made again whatever becomes of the scenario files. */
  plan(plan: StoredDocument): Promise<void>;
  summary(summary: StoredDocument): Promise<void>;
  verdict(verdict: StoredDocument): Promise<void>;
  /** The record as it stands. */
  current(): RunRecord;
  /** Replaces parts of run.json. */
  record(update: Partial<RunRecord>): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Makes the folder of a new run. @throws StoreError when it is taken or cannot be written */
export async function createRunStore(
  folder: string,
  record: RunRecord,
  openFile: OpenAppendFile = openNewFile,
): Promise<RunStore> {
  await claim(folder);
  const session = await claimSession(folder);
  try {
    await writeDocument(folder, runFiles.record, record);
    return await openStore(folder, { record, session, requests: new Set(), probes: 0 }, openFile);
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** What a store goes on from. */
export interface StoreState {
  readonly record: RunRecord;
  readonly session: Session;
  /** Hashes of the request bodies that are kept already. */
  readonly requests: Set<string>;
  /** Lines that probes.jsonl has already. */
  readonly probes: number;
}

/** Opens the files of a run folder for writing. @throws StoreError */
export async function openStore(folder: string, state: StoreState, openFile: OpenAppendFile): Promise<RunStore> {
  const { session, requests: kept } = state;
  const writer = (name: string, after?: LineWriter): LineWriter => new LineWriter(join(folder, name), openFile, after);
  const journal = writer(runFiles.journal);
  const requests = writer(runFiles.requests);
  const probes = writer(runFiles.probes, requests);
  // A capture names its request bodies by hash: one whose bodies died with the process would be incomplete for ever.
  const captures = writer(runFiles.captures, requests);
  const classifications = writer(runFiles.classifications);
  const writers = [journal, requests, probes, captures, classifications];
  let current = state.record;
  for (const each of writers) await each.start();

  let probeCount = state.probes;
  // Two updates of run.json at once would race for the file.
  let recording: Promise<void> = Promise.resolve();

  return {
    folder,
    intent(intent) {
      journal.appendNow(JSON.stringify(intent));
    },
    request(body) {
      const hash = textHash(body);
      if (!kept.has(hash)) {
        kept.add(hash);
        requests.append(JSON.stringify({ hash, body }));
      }
      return hash;
    },
    probe(exchange) {
      probes.append(JSON.stringify(exchange));
      probeCount += 1;
      return probeCount - 1;
    },
    async capture(capture) {
      captures.append(JSON.stringify(capture));
      if (captures.full) await captures.flush();
    },
    classification(classification) {
      classifications.append(JSON.stringify(classification));
    },
    plan: (plan) => writeDocument(folder, runFiles.plan, plan),
    summary: (summary) => writeDocument(folder, runFiles.summary, summary),
    verdict: (verdict) => writeDocument(folder, runFiles.verdict, verdict),
    current: () => current,
    record(update) {
      current = { ...current, ...update };
      const next = recording.then(() => writeDocument(folder, runFiles.record, current));
      recording = next.catch(() => undefined);
      return next;
    },
    async flush() {
      for (const each of writers) await each.flush();
    },
    async close() {
      await recording;
      const failures: unknown[] = [];
      for (const each of writers) await each.close().catch((error: unknown) => failures.push(error));
      await session.release().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Writes a whole file beside its place and moves it there, so that a reader never meets half of it. */
export async function writeDocument(folder: string, name: string, value: unknown): Promise<void> {
  const path = join(folder, name);
  try {
    await writeFile(`${path}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.part`, path);
  } catch (error) {
    throw storeError(path, error);
  }
}

async function claim(folder: string): Promise<void> {
  try {
    if (await makeFolder(folder, 0o700)) return;
    const entries = await readdir(folder);
    if (entries.length > 0) throw new StoreError(`${folder}: the folder is not empty; runs never share one`);
  } catch (error) {
    throw storeError(folder, error);
  }
}
