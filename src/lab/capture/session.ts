import { readFileSync } from "node:fs";
import { link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import { StoreError, storeError } from "./store-error.ts";

/** One process's time with a run folder. */
export interface Session {
  /** From 1; a run that was stopped and resumed has had several. */
  readonly number: number;
  /** Gives the folder free for the next process. */
  release(): Promise<void>;
}

const fileName = /^session-(\d+)\.lock$/;

/**
 * Claims a run folder for this process: two processes never write into one. The claim is a new file with the next free number,
 * so that of two who find the same dead claim only one gets on. @throws StoreError naming the process that holds it
 */
export async function claimSession(folder: string): Promise<Session> {
  const last = (await claims(folder)).at(-1) ?? 0;
  if (last > 0) {
    const holder = await livingHolder(join(folder, nameOf(last)));
    if (holder !== null) throw taken(folder, holder);
  }
  const number = last + 1;
  const path = join(folder, nameOf(number));
  const claim = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  const draft = `${path}.${process.pid}`;
  try {
    // Linked into place with its content: nobody may meet an empty claim and take it for a dead one.
    await writeFile(draft, JSON.stringify(claim), { mode: 0o600 });
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw taken(folder, "another process");
    throw storeError(path, error);
  } finally {
    await rm(draft, { force: true });
  }
  return {
    number,
    release: async () => {
      // Dead claims go with the living one, oldest last: whoever looks meanwhile finds either this claim or none.
      for (const each of [...(await claims(folder))].reverse()) await rm(join(folder, nameOf(each)), { force: true });
    },
  };
}

function nameOf(number: number): string {
  return `session-${number}.lock`;
}

/** Numbers of the claims on a folder, ascending. */
async function claims(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw storeError(folder, error);
  });
  return names.flatMap((name) => Number(fileName.exec(name)?.[1] ?? Number.NaN) || []).sort((a, b) => a - b);
}

function taken(folder: string, holder: string): StoreError {
  return new StoreError(`${folder}: ${holder} is still making this run; wait for it or stop it`);
}

/** The process that holds a claim, in words; null where it is gone. */
async function livingHolder(path: string): Promise<string | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  const claim = parseJson(text);
  const pid = isJsonObject(claim) ? claim["pid"] : undefined;
  // A claim that was cut while being written belongs to a process that died then.
  if (!isJsonObject(claim) || typeof pid !== "number") return null;
  if (claim["host"] !== hostname()) return `process ${pid} on ${String(claim["host"])} (delete ${path} if it is gone)`;
  if (!isAlive(pid)) return null;
  // Process ids are used again; the time of the start is not.
  const { started } = claim;
  return typeof started === "string" && started !== startOf(pid) ? null : `process ${pid}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** When a process was started, in ticks since boot; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold anything.
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
