import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { TurnTrace } from "../../src/adapter/trace.ts";
import { openTraceFile } from "../../src/cli/adapter-traces.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lab-traces-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const world = () => ({
  cwd,
  clock: { now: () => 0, date: () => new Date("2026-01-02T03:04:05Z") },
  randomHex: () => "0a1b",
});

const trace: TurnTrace = {
  id: "trace_1",
  front: "chat",
  client: "test, key sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  model: "m",
  startedAt: 0,
  outcome: "completed",
  entries: [],
} as unknown as TurnTrace;

it("keeps one line per turn, for its owner alone, with keys removed", async () => {
  const file = await openTraceFile("deep/down", world(), (line) => expect.unreachable(line));
  file.write(trace);
  file.write(trace);
  file.close();
  const [name = ""] = await readdir(join(cwd, "deep/down"));
  const path = join(cwd, "deep/down", name);
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ id: "trace_1" });
  expect(lines[0]).not.toContain("sk-aaaa");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("costs nobody an answer where a trace cannot be written, and says so once", async () => {
  const told: string[] = [];
  const file = await openTraceFile("traces", world(), (line) => told.push(line));
  file.close();
  file.write(trace);
  file.write(trace);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^traces are not kept any more: .*adapter-.*\.jsonl: /);
});

it("says in one line where no traces can be kept", async () => {
  await expect(openTraceFile("/dev/null/x", world(), () => undefined)).rejects.toThrow(/^--trace-dir: [^\n]*$/);
});
