import { appendFile, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import { readLines, type StoredLine } from "./line-reader.ts";
import { type OpenAppendFile, openGrownFile } from "./line-writer.ts";
import { openRun, type StoredRun } from "./open-run.ts";
import { claimSession } from "./session.ts";
import { openStore, type RunStore, runFiles } from "./store.ts";
import { storeError } from "./store-error.ts";

/** A run folder opened again to be completed: what it holds, and the store that goes on from there. */
export interface ReopenedRun<Prepared> {
  readonly stored: StoredRun;
  readonly store: RunStore;
  readonly prepared: Prepared;
  /** Files whose last line was cut while being written, in words. */
  readonly notes: readonly string[];
}

const lineFiles = [runFiles.journal, runFiles.requests, runFiles.probes, runFiles.captures, runFiles.classifications];

/**
 * Claims a run folder that no living process writes to, sets torn last lines aside (`NAME.torn-N`), lets `prepare` read and
 * mend what later stages wrote, and opens the files where they end. @throws StoreError when it is no run, is being made right now, cannot be written, or was made by a newer lab
 */
export async function reopenRun<Prepared>(
  folder: string,
  prepare: (stored: StoredRun) => Promise<Prepared>,
  openFile: OpenAppendFile = openGrownFile,
): Promise<ReopenedRun<Prepared>> {
  // Looked at first: a folder that is no run, or a newer lab's, is left as it is.
  await openRun(folder);
  const session = await claimSession(folder);
  try {
    const notes: string[] = [];
    for (const name of lineFiles) {
      const note = await setTornLineAside(folder, name, session.number);
      if (note !== null) notes.push(note);
    }
    const stored = await openRun(folder);
    const prepared = await prepare(stored);
    const state = {
      record: stored.record,
      session,
      requests: await keptRequests(join(folder, runFiles.requests)),
      probes: await lineCount(join(folder, runFiles.probes)),
    };
    return { stored, store: await openStore(folder, state, openFile), prepared, notes };
  } catch (error) {
    await session.release();
    throw error;
  }
}

/** Cuts a file back to its last whole line and keeps what was cut; a whole line that only lacks its line end gets it. */
async function setTornLineAside(folder: string, name: string, session: number): Promise<string | null> {
  const path = join(folder, name);
  let last: StoredLine | null = null;
  for await (const line of readLines(path)) last = line;
  if (last === null || last.whole) return null;
  let file: FileHandle | null = null;
  try {
    file = await open(path, "r+");
    if (isJsonObject(parseJson(last.text))) {
      await file.write("\n", last.offset + last.length);
      return null;
    }
    const torn = Buffer.alloc(last.length);
    await file.read(torn, 0, last.length, last.offset);
    await appendFile(join(folder, `${name}.torn-${session}`), torn, { mode: 0o600 });
    await file.truncate(last.offset);
    return `${path}: line ${last.number} was cut while being written and is set aside in ${name}.torn-${session}`;
  } catch (error) {
    throw storeError(path, error);
  } finally {
    await file?.close();
  }
}

async function keptRequests(path: string): Promise<Set<string>> {
  const kept = new Set<string>();
  for await (const { text } of readLines(path)) {
    // Bodies may be large and many; the hash stands first.
    const hash = /^\{"hash":"([0-9a-f]{64})"/.exec(text)?.[1];
    if (hash !== undefined) kept.add(hash);
  }
  return kept;
}

async function lineCount(path: string): Promise<number> {
  let count = 0;
  for await (const _line of readLines(path)) count += 1;
  return count;
}
