import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReportModel } from "./model.ts";
import type { RenderOptions, Report } from "./report.ts";

/** Writes one report into `folder` and returns its path. A half-written file never stands under the final name. */
export async function saveReport(
  report: Report,
  model: ReportModel,
  options: RenderOptions,
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, report.fileName);
  const unfinished = `${path}.part`;
  try {
    await pipeline(Readable.from(report.render(model, options)), createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return path;
}
