import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import { type Capture, type Exchange, schemaVersion } from "./capture.ts";
import { isAbsent, readLines, readStretch } from "./line-reader.ts";
import type { RunRecord } from "./run-record.ts";
import { runFiles } from "./store.ts";
import { StoreError, storeError } from "./store-error.ts";
import { type StoredPlan, storedPlanSchema } from "./stored-plan.ts";
import {
  captureSchema,
  documentSchema,
  exchangeSchema,
  type Intent,
  intentSchema,
  judgementSchema,
  requestSchema,
  runRecordSchema,
  type StoredDocument,
  type StoredJudgement,
} from "./stored-schemas.ts";

/**
 * A run on disk, read through schemas that tolerate further keys. Reading throws StoreError: one line that names file and
 * line. A last line that was cut while being written is set aside and named in `notes`, as soon as its file has been read.
 * The type parameters name what the stage that wrote a file put there beyond what is checked here.
 */
export interface StoredRun {
  readonly folder: string;
  readonly record: RunRecord;
  readonly notes: readonly string[];
  /** Streams; memory holds one capture at a time. */
  captures(): AsyncGenerator<Capture>;
  probes(): AsyncGenerator<Exchange>;
  intents(): AsyncGenerator<Intent>;
  classifications<Judgement extends StoredJudgement = StoredJudgement>(): AsyncGenerator<Judgement>;
  /** What the plan was made from; null in runs that do not keep it. */
  plan(): Promise<StoredPlan | null>;
  summary<Summary extends StoredDocument = StoredDocument>(): Promise<Summary | null>;
  verdict<Verdict extends StoredDocument = StoredDocument>(): Promise<Verdict | null>;
  /** What its scripted models showed; null where the run is no calibration. */
  calibration<Calibration extends StoredDocument = StoredDocument>(): Promise<Calibration | null>;
  /** A request body by its hash; null where it is not there. */
  requestBody(hash: string): Promise<string | null>;
}

export interface OpenRunOptions {
  /** True for a run that this very process has just written: its lines are then parsed and not checked again. */
  readonly trusted?: boolean | undefined;
}

/** Opens a run folder. @throws StoreError when it is no run, is unreadable, or was made by a newer lab */
export async function openRun(folder: string, { trusted = false }: OpenRunOptions = {}): Promise<StoredRun> {
  const record = await readDocument(join(folder, runFiles.record), runRecordSchema);
  if (record === null) throw new StoreError(`${folder}: no ${runFiles.record} here, so this is not a run`);
  const notes = new Set<string>();
  const lines = <T>(name: string, schema: z.ZodType<T>): AsyncGenerator<T> =>
    readRecords(join(folder, name), trusted ? null : schema, (note) => notes.add(note));
  let index: Promise<ReadonlyMap<string, Place>> | null = null;

  return {
    folder,
    record,
    get notes() {
      return [...notes];
    },
    captures: () => lines(runFiles.captures, captureSchema),
    probes: () => lines(runFiles.probes, exchangeSchema),
    intents: () => lines(runFiles.journal, intentSchema),
    classifications: <Judgement extends StoredJudgement>() =>
      lines(runFiles.classifications, judgementSchema as z.ZodType<Judgement>),
    plan: () => readDocument(join(folder, runFiles.plan), storedPlanSchema),
    summary: <Summary extends StoredDocument>() =>
      readDocument(join(folder, runFiles.summary), documentSchema as z.ZodType<Summary>),
    verdict: <Verdict extends StoredDocument>() =>
      readDocument(join(folder, runFiles.verdict), documentSchema as z.ZodType<Verdict>),
    calibration: <Calibration extends StoredDocument>() =>
      readDocument(join(folder, runFiles.calibration), documentSchema as z.ZodType<Calibration>),
    async requestBody(hash) {
      const path = join(folder, runFiles.requests);
      index ??= indexRequests(path, (note) => notes.add(note));
      const place = (await index).get(hash);
      if (place === undefined) return null;
      return parseLine(path, place.number, await readStretch(path, place.offset, place.length), requestSchema).body;
    },
  };
}

interface Place {
  readonly number: number;
  readonly offset: number;
  readonly length: number;
}

/** Bodies of an agent's requests are large and many, so only their places are kept. */
async function indexRequests(path: string, note: (text: string) => void): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>();
  for await (const line of readLines(path)) {
    if (!line.whole && parseJson(line.text) === undefined) note(tornNote(path, line.number));
    else places.set(parseLine(path, line.number, line.text, requestSchema).hash, line);
  }
  return places;
}

async function* readRecords<T>(
  path: string,
  schema: z.ZodType<T> | null,
  note: (text: string) => void,
): AsyncGenerator<T> {
  for await (const line of readLines(path)) {
    if (!line.whole && parseJson(line.text) === undefined) {
      note(tornNote(path, line.number));
      return;
    }
    if (line.text.trim() === "") continue;
    yield schema === null ? (JSON.parse(line.text) as T) : parseLine(path, line.number, line.text, schema);
  }
}

function tornNote(path: string, number: number): string {
  return `${path}: line ${number} was cut while being written and is set aside`;
}

function parseLine<T>(path: string, number: number, text: string, schema: z.ZodType<T>): T {
  return checked(`${path}: line ${number}`, text, schema);
}

async function readDocument<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isAbsent(error)) return null;
    throw storeError(path, error);
  }
  return checked(path, text, schema);
}

function checked<T>(place: string, text: string, schema: z.ZodType<T>): T {
  const value = parseJson(text);
  if (value === undefined) throw new StoreError(`${place} is not JSON; the file is damaged`);
  const found = isJsonObject(value) ? value["schemaVersion"] : undefined;
  if (typeof found === "number" && found > schemaVersion) {
    throw new StoreError(
      `${place} was written by a newer harness-lab (schema ${found}, this one reads ${schemaVersion}); update harness-lab`,
    );
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new StoreError(`${place}: ${issue?.path.join(".") || "the value"}: ${issue?.message ?? "not as expected"}`);
}
