import { appendFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { StoreError, storeError } from "./store-error.ts";

/** An open file that only grows. */
export interface AppendFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Writes before it returns. For short lines only: a detour through the thread pool costs more than the write itself. */
  writeNow(text: string): void;
  close(): Promise<void>;
}

/** Opens a file for its owner only. */
export type OpenAppendFile = (path: string) => Promise<AppendFile>;

/** Opens a file that must not exist yet. */
export const openNewFile: OpenAppendFile = (path) => openFile(path, "ax");

/** Opens a file that may have lines already. */
export const openGrownFile: OpenAppendFile = (path) => openFile(path, "a");

async function openFile(path: string, flags: "a" | "ax"): Promise<AppendFile> {
  const file = await open(path, flags, 0o600);
  return {
    write: (bytes) => file.appendFile(bytes),
    writeNow: (text) => appendFileSync(file.fd, text, "utf8"),
    close: () => file.close(),
  };
}

/** More than this may not wait in memory: writers are asked to wait. */
const highWater = 4 * 1024 * 1024;
/** Milliseconds for which lines gather before they go out together: thousands of small writes cost more than the work they record. */
const gatherMs = 40;
/** A batch of this size goes out without waiting for more. */
const batchSize = 256 * 1024;

const encoder = new TextEncoder();
/** Where lines are encoded: to learn its length in bytes first, as a buffer of its own would have to, costs as much again. */
const scratch = new Uint8Array(64 * 1024);

/** A line with its end, in UTF-8. */
function encodedLine(line: string): Uint8Array {
  const { read, written } = encoder.encodeInto(line, scratch);
  if (read < line.length || written === scratch.length) return Buffer.from(`${line}\n`, "utf8");
  scratch[written] = 10;
  return Buffer.from(scratch.subarray(0, written + 1));
}

/**
 * Appends lines to one file in the order in which they came: they gather for a moment and go out together; a flush does not wait
 * for more. The first failure is kept and given to everyone who waits, writes or closes afterwards, so that nothing is
 * lost without a word.
 */
export class LineWriter {
  readonly #path: string;
  readonly #open: OpenAppendFile;
  readonly #after: LineWriter | null;
  #file: AppendFile | null = null;
  #waiting: Uint8Array[] = [];
  #waitingSize = 0;
  #running: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #failure: StoreError | null = null;

  /** `after`: a writer whose lines these refer to. What it has been given so far is with the operating system before any line of this one. */
  constructor(path: string, openFile: OpenAppendFile, after: LineWriter | null = null) {
    this.#path = path;
    this.#open = openFile;
    this.#after = after;
  }

  /** Opens the file, so that a folder that cannot be written to shows before the first request. */
  async start(): Promise<void> {
    try {
      this.#file = await this.#open(this.#path);
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }

  /** @throws StoreError when an earlier line could not be written */
  append(line: string): void {
    if (this.#failure !== null) throw this.#failure;
    const bytes = encodedLine(line);
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    this.#gather();
  }

  #gather(): void {
    if (this.#waitingSize >= batchSize) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), gatherMs);
  }

  /** Appends a short line and returns once it is with the operating system. @throws StoreError */
  appendNow(line: string): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#file === null || this.#waiting.length > 0 || this.#running !== null) {
      throw new StoreError(
        `${this.#path}: lines that must stand at once and lines that may wait do not go into one file`,
      );
    }
    try {
      this.#file.writeNow(`${line}\n`);
    } catch (error) {
      this.#failure = storeError(this.#path, error);
      throw this.#failure;
    }
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.length > 0) this.#running ??= this.#drain();
  }

  /** True while more waits than should be held in memory. */
  get full(): boolean {
    return this.#waitingSize > highWater;
  }

  /** Resolves when everything appended so far is with the operating system. @throws StoreError */
  async flush(): Promise<void> {
    do {
      this.#begin();
      await this.#running;
    } while (this.#waiting.length > 0 && this.#failure === null);
    if (this.#failure !== null) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      await this.#file?.close();
    } catch (error) {
      this.#failure ??= storeError(this.#path, error);
    }
    this.#file = null;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Writes what waits. Never rejects: the failure is kept for the next caller, since nobody may be waiting now. */
  async #drain(): Promise<void> {
    // Lines of the same turn of the event loop go out together.
    await Promise.resolve();
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingSize = 0;
    try {
      await this.#after?.flush();
      if (this.#file === null) throw new StoreError(`${this.#path}: the run is closed`);
      await this.#file.write(bytes);
    } catch (error) {
      this.#failure = storeError(this.#path, error);
    }
    this.#running = null;
    if (this.#waiting.length > 0 && this.#failure === null) this.#gather();
  }
}
