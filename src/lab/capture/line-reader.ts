import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { storeError } from "./store-error.ts";

/** A line of a file with its place: `number` from 1, `offset` and `length` in bytes without the line end. */
export interface StoredLine {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  /** False for a last line without its line end: the process died while writing it. */
  readonly whole: boolean;
}

/** Streams the lines of a file; an absent file has none. Memory holds one line. @throws StoreError */
export async function* readLines(path: string): AsyncGenerator<StoredLine> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let offset = 0;
  const pending: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        // Fragments of a long line are joined once, not at every chunk.
        pending.push(chunk.subarray(start, end));
        const line = pending.length === 1 ? (pending[0] ?? rest) : Buffer.concat(pending);
        pending.length = 0;
        number += 1;
        yield { text: line.toString("utf8"), number, offset, length: line.length, whole: true };
        offset += line.length + 1;
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
    }
  } catch (error) {
    if (isAbsent(error)) return;
    throw storeError(path, error);
  }
  if (pending.length > 0) {
    rest = Buffer.concat(pending);
    yield { text: rest.toString("utf8"), number: number + 1, offset, length: rest.length, whole: false };
  }
}

/** Reads a stretch of a file. @throws StoreError */
export async function readStretch(path: string, offset: number, length: number): Promise<string> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, "r");
    const buffer = Buffer.alloc(length);
    await file.read(buffer, 0, length, offset);
    return buffer.toString("utf8");
  } catch (error) {
    throw storeError(path, error);
  } finally {
    await file?.close();
  }
}

export function isAbsent(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";
}
