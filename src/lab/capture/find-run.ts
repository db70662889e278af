import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseJson } from "../../protocol/json.ts";
import { stringAt } from "../../protocol/servers/probe.ts";
import { suggestion } from "../scenario/nearest.ts";
import { runFiles } from "./store.ts";
import { StoreError, storeError } from "./store-error.ts";

/** The folder of a run: `latest`, a unique beginning of its name, or a path. @throws StoreError with one line */
export async function findRun(resultsFolder: string, wanted: string): Promise<string> {
  if (/[\\/]/.test(wanted) || wanted === "." || wanted === "..") {
    if (await isRun(wanted)) return wanted;
    throw new StoreError(`${wanted}: no ${runFiles.record} there, so this is not a run`);
  }
  const runs = await listRuns(resultsFolder);
  if (runs.length === 0)
    throw new StoreError(`${resultsFolder}: there are no runs yet; make one with lab run or lab demo`);
  if (wanted === "latest") {
    const dated = await Promise.all(runs.map(async (folder) => ({ folder, created: await createdAt(folder) })));
    dated.sort((left, right) =>
      left.created === right.created ? compare(left.folder, right.folder) : compare(left.created, right.created),
    );
    return dated.at(-1)?.folder ?? resultsFolder;
  }
  const exact = runs.find((folder) => basename(folder) === wanted);
  if (exact !== undefined) return exact;
  const matching = runs.filter((folder) => basename(folder).startsWith(wanted));
  if (matching.length > 1) {
    const names = matching.map((folder) => basename(folder));
    throw new StoreError(
      `"${wanted}" is the beginning of ${names.length} runs (${names.slice(0, 5).join(", ")}); write more of the name`,
    );
  }
  const [only] = matching;
  if (only !== undefined) return only;
  if (await isRun(wanted)) return wanted;
  throw new StoreError(
    `there is no run "${wanted}" in ${resultsFolder}${suggestion(wanted, [
      "latest",
      ...runs.map((folder) => basename(folder)),
    ])}`,
  );
}

/** Folders below the results folder that hold a run, sorted by name. @throws StoreError */
export async function listRuns(resultsFolder: string): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    names = await readdir(resultsFolder);
  } catch (error) {
    throw storeError(resultsFolder, error);
  }
  const folders = names.map((name) => join(resultsFolder, name)).sort(compare);
  const found = await Promise.all(folders.map(isRun));
  return folders.filter((_, index) => found[index]);
}

async function isRun(folder: string): Promise<boolean> {
  try {
    return (await stat(join(folder, runFiles.record))).isFile();
  } catch {
    return false;
  }
}

async function createdAt(folder: string): Promise<string> {
  try {
    return stringAt(parseJson(await readFile(join(folder, runFiles.record), "utf8")), "createdAt") ?? "";
  } catch {
    return "";
  }
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
