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

/** Room for lines: at first, for a batch, and the most of it that is kept for the next one. */
const firstRoom = 16 * 1024;
const batchRoom = batchSize + 64 * 1024;
const keptRoom = 4 * batchRoom;

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
  /** Lines that wait are encoded one behind the other: a buffer for each would cost as much as to encode it. */
  #waiting: Buffer = Buffer.alloc(0);
  #waitingSize = 0;
  /** Bytes so far, and those of them that are with the operating system. */
  #appended = 0;
  #written = 0;
  /** Room that the batch before does not need any more. */
  #spare: Buffer | null = null;
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
    // A UTF-16 unit takes three bytes at most, and its length in bytes would cost as much to learn as to encode it.
    const most = 3 * line.length + 1;
    if (this.#waitingSize + most > this.#waiting.length) this.#makeRoom(most);
    const start = this.#waitingSize;
    const end = start + this.#waiting.write(line, start);
    this.#waiting[end] = 10;
    this.#waitingSize = end + 1;
    this.#appended += end + 1 - start;
    this.#gather();
  }

  #makeRoom(bytes: number): void {
    const grown = this.#waiting.length === 0 ? firstRoom : Math.max(batchRoom, 2 * this.#waiting.length);
    const room = Buffer.allocUnsafeSlow(Math.max(grown, this.#waitingSize + bytes));
    room.set(this.#waiting.subarray(0, this.#waitingSize));
    this.#waiting = room;
  }

  #gather(): void {
    if (this.#waitingSize >= batchSize) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), gatherMs);
  }

  /** Appends a short line and returns once it is with the operating system. @throws StoreError */
  appendNow(line: string): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#file === null || this.#waitingSize > 0 || this.#running !== null) {
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
    if (this.#waitingSize > 0) this.#running ??= this.#drain();
  }

  /** True while more waits than should be held in memory. */
  get full(): boolean {
    return this.#waitingSize > highWater;
  }

  /** Resolves when everything appended so far is with the operating system. @throws StoreError */
  async flush(): Promise<void> {
    // Not until nothing waits: under way there is always more.
    const all = this.#appended;
    while (this.#written < all && this.#failure === null) {
      this.#begin();
      await this.#running;
    }
    if (this.#failure !== null) throw this.#failure;
  }

  async close(): Promise<void> {
    do await this.flush().catch(() => undefined);
    while (this.#waitingSize > 0 && this.#failure === null);
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
    const room = this.#waiting;
    const bytes = room.subarray(0, this.#waitingSize);
    this.#waiting = this.#spare ?? Buffer.alloc(0);
    this.#waitingSize = 0;
    this.#spare = null;
    try {
      await this.#after?.flush();
      if (this.#file === null) throw new StoreError(`${this.#path}: the run is closed`);
      await this.#file.write(bytes);
      this.#written += bytes.length;
    } catch (error) {
      this.#failure = storeError(this.#path, error);
    }
    if (room.length <= keptRoom) this.#spare = room;
    this.#running = null;
    if (this.#waitingSize > 0 && this.#failure === null) this.#gather();
  }
}
