import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { runFiles, writeDocument } from "./store.ts";
import { storeError } from "./store-error.ts";
import type { StoredDocument } from "./stored-schemas.ts";

/**
 * Replaces classifications.jsonl and summary.json of a stored run, each whole or not at all: the old ones stay until the new
 * ones are complete on disk. @throws StoreError
 */
export async function rewriteClassifications(
  folder: string,
  make: (write: (line: string) => void, writeSummary: (summary: StoredDocument) => Promise<void>) => Promise<void>,
): Promise<void> {
  const path = join(folder, runFiles.classifications);
  const draft = `${path}.new`;
  let summary: StoredDocument | null = null;
  try {
    const file = createWriteStream(draft, { mode: 0o600 });
    const done = finished(file);
    // The failure is thrown by the await below; until then it must not count as unhandled.
    done.catch(() => undefined);
    await make(
      (line) => void file.write(`${line}\n`),
      async (document) => {
        summary = document;
      },
    );
    file.end();
    await done;
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw storeError(path, error);
  }
  if (summary !== null) await writeDocument(folder, runFiles.summary, summary);
}
