import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** What an installed server or client is and where its parts lie; kept as `installed.json` in its folder, written last. */
export interface Installed {
  readonly name: string;
  readonly version: string;
  /** What it was made from: another recipe of the same version does not count as installed. */
  readonly source: string;
  /** Seconds the installation took. */
  readonly seconds: number;
  /** Bytes on disk, by part. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Absolute paths by part. */
  readonly paths: Readonly<Record<string, string>>;
}

/** The folder of everything that is provisioned: `HARNESS_LAB_CACHE`, else `~/.cache/harness-lab`. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = env["HARNESS_LAB_CACHE"];
  return named === undefined || named === "" ? join(homedir(), ".cache", "harness-lab") : resolve(named);
}

/** What can be provisioned; a folder of the cache each. */
export type Shelf = "servers" | "clients";

/** Folder of one version of a server or client within the cache. */
export function installFolder(cache: string, name: string, version: string, shelf: Shelf = "servers"): string {
  return join(cache, shelf, `${name}-${version}`);
}

/** What is installed in a folder, or null where nothing whole is: a record is written last, and its paths must still exist. */
export async function readInstalled(folder: string, source: string): Promise<Installed | null> {
  const text = await readFile(join(folder, "installed.json"), "utf8").catch(() => null);
  if (text === null) return null;
  const record = parseRecord(text);
  if (record?.source !== source) return null;
  const there = await Promise.all(
    Object.values(record.paths).map((path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return there.every(Boolean) ? record : null;
}

function parseRecord(text: string): Installed | null {
  try {
    const value = JSON.parse(text) as Installed;
    return typeof value.name === "string" && typeof value.paths === "object" ? value : null;
  } catch {
    return null;
  }
}

/** Writes the record that makes an installation count. */
export function writeInstalled(folder: string, installed: Installed): Promise<void> {
  return writeFile(join(folder, "installed.json"), `${JSON.stringify(installed, null, 2)}\n`);
}

/** Bytes of all files below a path; links are not followed. */
export async function bytesBelow(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
