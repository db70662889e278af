import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolderNow } from "../lab/capture/make-folder.ts";

/** Days after which what another build or version of Node kept is thrown away. */
const keptDays = 30;

/**
 * What V8 has compiled of scripts, kept in a file from one process to the next. From version 22 on Node has this built in
 * (`module.enableCompileCache`); the lab supports 20. Nothing here ever fails: without its file a process only starts slower.
 *
 * V8 takes code back from the same V8 under the same flags only, but of the source it compares nothing but the length: the name of
 * `file` has to say which sources it is for. A `file` of null keeps nothing.
 */
export class CompileCache {
  readonly #file: string | null;
  readonly #scripts = new Map<string, Script>();
  readonly #kept: ReadonlyMap<string, Uint8Array>;
  #incomplete = false;

  constructor(file: string | null) {
    this.#file = file;
    this.#kept = file === null ? new Map() : readKept(file);
  }

  /**
   * Compiles a source that imports nothing, or takes what was kept under its name. `filename` is what stack traces show.
   * @throws SyntaxError
   */
  compile(name: string, source: string, filename: string): Script {
    const cachedData = this.#kept.get(name);
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) });
    if (script.cachedDataRejected !== false) this.#incomplete = true;
    this.#scripts.set(name, script);
    return script;
  }

  /** Keeps what is compiled by now, where the file did not hold all of these scripts: called last, when what was needed has run. */
  keep(): void {
    if (this.#file === null || !this.#incomplete) return;
    try {
      const code = new Map(this.#kept);
      for (const [name, script] of this.#scripts) code.set(name, script.createCachedData());
      const packed = serialize(code);
      const checksum = Buffer.alloc(checksumBytes);
      checksum.writeUInt32LE(crc32(packed));
      const folder = dirname(this.#file);
      makeFolderNow(folder);
      // Renamed when it is whole: another process may be reading.
      const partial = `${this.#file}.${process.pid}`;
      try {
        writeFileSync(partial, Buffer.concat([checksum, packed]));
        renameSync(partial, this.#file);
      } finally {
        rmSync(partial, { force: true });
      }
      removeOld(folder);
    } catch {
      // A full disk, a home that cannot be written: nothing that the command itself would have to say.
    }
  }
}

const checksumBytes = 4;

/** Code by name. Nothing where the file is missing, is another user's, who could have put anything into it, or is damaged. */
function readKept(file: string): ReadonlyMap<string, Uint8Array> {
  try {
    if (statSync(file).uid !== (process.getuid?.() ?? 0)) return new Map();
    const content = readFileSync(file);
    const packed = content.subarray(checksumBytes);
    // V8 would run what a damaged file says.
    return crc32(packed) === content.readUInt32LE() ? (deserialize(packed) as Map<string, Uint8Array>) : new Map();
  } catch {
    return new Map();
  }
}

function removeOld(folder: string): void {
  const oldest = Date.now() - keptDays * 24 * 3600 * 1000;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (statSync(file).mtimeMs < oldest) rmSync(file);
  }
}
