import { join } from "node:path";
import { expect, it } from "vitest";
import { notedRequests, requestAccount } from "../../../src/lab/capture/account.ts";
import { type OpenAppendFile, openGrownFile, openNewFile } from "../../../src/lab/capture/line-writer.ts";
import { openRun } from "../../../src/lab/capture/open-run.ts";
import { reopenRun } from "../../../src/lab/capture/reopen.ts";
import type { RunRecord } from "../../../src/lab/capture/run-record.ts";
import { createRunStore, type RunStore } from "../../../src/lab/capture/store.ts";
import { StoreError } from "../../../src/lab/capture/store-error.ts";
import { classifyCapture } from "../../../src/lab/classify/classify-capture.ts";
import { judgedSample } from "../../../src/lab/diagnose/judged-sample.ts";
import { type RunOptions, run } from "../../../src/lab/run.ts";
import { loadScenarios } from "../../../src/lab/scenario/load.ts";
import { simulate } from "../../simulator/support.ts";
import { scratch, target } from "./harness.ts";

/** A disk with room for so many batches of captures. */
function fullAfter(batches: number): OpenAppendFile {
  let left = batches;
  return async (path) => {
    const file = await openNewFile(path);
    if (!path.endsWith("captures.jsonl")) return file;
    return {
      ...file,
      write: async (text) => {
        left -= 1;
        if (left < 0) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        await file.write(text);
      },
    };
  };
}

it("a disk that fills up ends the run with one line; with room again the same run is completed", async () => {
  await using root = await scratch();
  const folder = join(root.path, "run");
  const inner = simulate({
    server: { kind: "openai" },
    models: { m: { format: "hermes", default: { text: "やめておくね" } } },
  });
  let chats = 0;
  const handler: typeof inner = async (request) => {
    chats += 1;
    await new Promise((resolve) => setTimeout(resolve, 3));
    return inner(request);
  };
  const record: RunRecord = {
    schemaVersion: 1,
    run: "run",
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    lab: { version: "test", node: process.version },
    seed: "seed",
    plan: {
      suites: ["contract-matrix"],
      scenarios: [],
      trials: 200,
      shapes: ["small"],
      languages: ["ja"],
      concurrency: 2,
      raw: "off",
      request: {},
      samples: 0,
      cells: [],
    },
    routes: [],
    targets: [],
    unmet: [],
  };
  const options: Omit<RunOptions, "store"> = {
    targets: [target("t", "m", handler)],
    suites: ["contract-matrix"],
    scenarios: loadScenarios([]),
    onlyScenarios: ["seed-memorizable"],
    trials: 200,
    shapes: ["small"],
    languages: ["ja"],
    seed: "seed",
    concurrency: 2,
    overrides: { body: {} },
    raw: "off",
    clock: { now: () => performance.now(), date: () => new Date() },
    signal: new AbortController().signal,
    labVersion: "test",
    onEvent: () => {},
  };
  const full: RunStore = await createRunStore(folder, record, fullAfter(1));
  const failure = await run({ ...options, store: full }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreError);
  expect(String(failure)).toMatch(
    /captures\.jsonl: the disk is full; free some space or choose another folder with --out$/,
  );
  await full.close().catch(() => undefined);
  expect(chats).toBeLessThan(300);

  const { store, prepared } = await reopenRun(
    folder,
    async (stored) => {
      const judged = [];
      const answered = new Map<string, number>();
      for await (const capture of stored.captures()) {
        const facts = stored.record.targets[0]?.facts;
        if (facts === undefined) throw new Error("the target was not kept");
        judged.push(judgedSample(capture, classifyCapture(capture, facts)));
        answered.set(capture.id, notedRequests(capture));
      }
      return { judged, lost: (await requestAccount(stored, answered)).lost };
    },
    openGrownFile,
  );
  expect(prepared.judged.length).toBeGreaterThan(0);
  const { summary } = await run({ ...options, store, progress: prepared });
  expect(summary).toMatchObject({ planned: 400, measured: 400, exclusions: [] });
  const ids: string[] = [];
  for await (const { id } of (await openRun(folder)).captures()) ids.push(id);
  expect(new Set(ids).size).toBe(400);
  expect(ids).toHaveLength(400);
});
