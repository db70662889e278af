import { describe, expect, it } from "vitest";
import { messagesIn } from "../../src/cli/messages.ts";
import { openProgress } from "../../src/cli/progress.ts";
import type { RunEvent } from "../../src/lab/run.ts";
import { fakeWorld } from "./fake-world.ts";

const classification = {
  schemaVersion: 1,
  id: "a",
  measured: true,
  reason: null,
  headline: "structured_call",
  owner: "none",
  delivered: "yes",
  attempted: "yes",
  latency: { firstByteMs: 1, totalMs: 2 },
  replies: [],
} as const;
const sampleDone: RunEvent = { kind: "sample-done", target: "t", suite: "s", classification };

async function shown(
  events: readonly (RunEvent | number)[],
  options: { quiet?: boolean; language?: "en" | "ja" } = {},
) {
  let now = 0;
  const world = fakeWorld({ argv: [], clock: { now: () => now, date: () => new Date(0) } });
  const progress = await openProgress(
    { quiet: options.quiet ?? false, messages: messagesIn(options.language ?? "en") },
    world,
  );
  for (const event of events) {
    if (typeof event === "number") now += event * 1000;
    else progress.onEvent(event);
  }
  progress.stop();
  return world.err().split("\n").slice(0, -1);
}

const run: readonly (RunEvent | number)[] = [
  { kind: "planned", samples: 40 },
  { kind: "target-started", target: "t", index: 0, of: 1 },
  { kind: "target-identified", target: "t", sentence: "vLLM 0.32.0" },
  { kind: "suite-started", target: "t", suite: "s", samples: 40 },
  4,
  sampleDone,
  4,
  sampleDone,
  4,
  sampleDone,
  1,
  sampleDone,
];

describe("progress on a pipe", () => {
  it("is a line for each step, and the time left every ten seconds at the rate so far", async () => {
    expect(await shown(run)).toEqual([
      "40 samples planned",
      "Target 1 of 1: t",
      "  vLLM 0.32.0",
      "  t: s, 40 samples",
      // 3 samples in 12 s, 37 to go
      "  3 of 40 samples, about 2 min left",
    ]);
  });

  it("is Japanese where that is asked for", async () => {
    expect(await shown(run, { language: "ja" })).toContain("  40 サンプル中 3 完了、残り約 2 分");
  });

  it("is silent with --quiet, but for a target that cannot be measured and notes", async () => {
    const failed: RunEvent = { kind: "target-failed", target: "t", reason: "connection refused" };
    const note: RunEvent = { kind: "note", text: "a word" };
    expect(await shown([...run, failed, note], { quiet: true })).toEqual([
      "lab: Target t could not be measured: connection refused",
      "lab: a word",
    ]);
  });
});
