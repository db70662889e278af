import { mkdirSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and what is missing above it; true where it was not there before. Node's own `recursive` is not used: where the
 * system says ENOENT of a folder whose parent stands, as under /proc, it tries for ever.
 * @throws the file system's own error
 */
export async function makeFolder(path: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(path, mode);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" && dirname(path) !== path) {
      // Above a folder that stands nothing is missing: what was refused is refused again, and that is the answer.
      await makeFolder(dirname(path), mode);
      return mkdir(path, mode).then(
        () => true,
        (again: unknown) => (codeOf(again) === "EEXIST" ? existing(path, again) : Promise.reject(again)),
      );
    }
    // Some systems say EROFS or EACCES of a folder that is there.
    if (code === "EEXIST" || code === "EROFS" || code === "EACCES" || code === "EISDIR") return existing(path, error);
    throw error;
  }
}

/** Makes it in a process that is about to end and can wait for nothing. @throws the file system's own error */
export function makeFolderNow(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeFolderNow(dirname(path));
    mkdirSync(path);
  }
}

/** False for a folder that stands; else the refusal is the answer. */
async function existing(path: string, refusal: unknown): Promise<false> {
  const stands = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!stands) throw refusal;
  return false;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
