import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import { openRun, type StoredRun } from "./capture/open-run.ts";
import { StoreError } from "./capture/store-error.ts";
import { classifyCapture } from "./classify/classify-capture.ts";
import { conclude } from "./conclude.ts";
import { type JudgedSample, judgedSample } from "./diagnose/judged-sample.ts";
import { proofSchema } from "./gate/proof-schema.ts";
import type { MeasurementProof, RunSide } from "./gate/run-side.ts";
import { proveMeasurement } from "./measurement-proof.ts";
import type { Summary } from "./stats/summary.ts";
import { summarySchema } from "./stats/summary-schema.ts";

/** Name of the file that makes a folder a baseline. */
export const baselineFile = "baseline.json";

/** A run on disk as gate and comparison read it. @throws StoreError with one line where it is no run or its files are damaged */
export async function openSide(folder: string): Promise<RunSide & { readonly finished: boolean }> {
  const stored = await openRun(folder);
  const written = await writtenSummary(stored);
  const summary = written ?? (await countCaptures(stored));
  const proof = (await storedProof(folder)) ?? (await proveMeasurement(stored, summary));
  return { record: stored.record, summary, proof, finished: written !== null };
}

async function writtenSummary(stored: StoredRun): Promise<Summary | null> {
  const found = await stored.summary();
  if (found === null) return null;
  const checked = summarySchema.safeParse(found);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue?.path.join(".") || "the file";
  throw new StoreError(
    `${join(stored.folder, "summary.json")}: ${where}: ${issue?.message ?? "not as expected"}; lab classify ${basename(stored.folder)} makes it anew`,
  );
}

/** A run that died before its summary was written is counted from what it left. */
async function countCaptures(stored: StoredRun): Promise<Summary> {
  const facts = new Map(stored.record.targets.map((target) => [target.name, target.facts]));
  const judged: JudgedSample[] = [];
  for await (const capture of stored.captures()) {
    const known = facts.get(capture.target);
    if (known !== undefined) judged.push(judgedSample(capture, classifyCapture(capture, known)));
  }
  return conclude(stored.record, judged);
}

/** The proof that was kept when a run became a baseline; its captures need not be at hand any more. */
async function storedProof(folder: string): Promise<MeasurementProof | null> {
  const text = await readFile(join(folder, baselineFile), "utf8").catch(() => null);
  if (text === null) return null;
  const baseline = parseJson(text);
  const refuse = (what: string) =>
    new StoreError(`${join(folder, baselineFile)}: ${what}; promote the run again with lab baseline promote`);
  if (!isJsonObject(baseline)) throw refuse("it holds no JSON object and is damaged");
  const checked = proofSchema.safeParse(baseline["proof"]);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw refuse(`${["proof", ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "not as expected"}`);
}
