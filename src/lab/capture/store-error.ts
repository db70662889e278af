/** A run folder that cannot be written or read; the message is one line for people: what, where, what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Turns a failure of the file system into one clear line. */
export function storeError(path: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return new StoreError(`${path}: ${words(code, error)}`, { cause: error });
}

function words(code: string, error: unknown): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full; free some space or choose another folder with --out";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "not allowed to write here; choose another folder with --out";
    case "ENOENT":
      return "there is no such file or folder";
    case "ENOTDIR":
      return "a part of this path is not a folder; choose another folder with --out";
    case "EEXIST":
      return "there is already a run in this folder; runs never share one";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open; raise the limit (ulimit -n)";
    default:
      return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
  }
}
