import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeFolder } from "../capture/make-folder.ts";
import { storeError } from "../capture/store-error.ts";
import type { ReportModel } from "./model.ts";
import type { RenderOptions, Report } from "./report.ts";

/** Writes one report into `folder` and returns the paths of its files. A half-written file never stands under the final name. */
export async function saveReport(
  report: Report,
  model: ReportModel,
  options: RenderOptions,
  folder: string,
): Promise<readonly string[]> {
  const paths = [await saveFile(report, model, options, folder)];
  for (const further of report.also ?? []) paths.push(await saveFile(further, model, options, folder));
  return paths;
}

async function saveFile(report: Report, model: ReportModel, options: RenderOptions, folder: string): Promise<string> {
  const path = join(folder, report.fileName);
  const unfinished = `${path}.part`;
  try {
    await makeFolder(folder);
    await pipeline(Readable.from(report.render(model, options)), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    // What the file system refuses is said in one line; a fault of the rendering stays what it is.
    throw error instanceof Error && "code" in error && "syscall" in error ? storeError(path, error) : error;
  }
  return path;
}
