import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ProvisionError } from "./provision-error.ts";

/** Holds `folder` for one installation at a time, over processes; a lock whose process is gone is taken over. */
export async function withInstallLock<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const path = `${folder}.lock`;
  await mkdir(dirname(folder), { recursive: true });
  if (!(await take(path))) {
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    if (isRunning(holder)) {
      throw new ProvisionError(
        "failed",
        `another installation is at work on ${folder} (process ${holder}); wait for it`,
      );
    }
    await rm(path, { force: true });
    if (!(await take(path)))
      throw new ProvisionError("failed", `${path} cannot be taken; is another installation at work?`);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

function take(path: string): Promise<boolean> {
  return writeFile(path, String(process.pid), { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
