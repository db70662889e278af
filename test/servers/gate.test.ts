import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands/index.ts";
import { program } from "../../src/cli/program.ts";
import type { GateVerdict } from "../../src/lab/gate/verdict.ts";
import { primeSumScripts } from "../../src/testbed/scripts/prime-sum.ts";
import { fakeWorld } from "../cli/fake-world.ts";
import { withScripted } from "./with-scripted.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lab-gate-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function lab(...argv: readonly string[]) {
  const world = fakeWorld({
    argv,
    cwd: folder,
    clock: { now: () => performance.now(), date: () => new Date() },
  });
  const code = await program(commands, world);
  return { code, out: world.out(), err: world.err() };
}

/** Measures a model that always calls in Qwen3-Coder XML, ten trials a cell, behind a template; the id of the run. */
async function measure(url: string): Promise<string> {
  const plan = ["--suite", "contract-matrix,parser-mismatch", "--scenario", "seed-memorizable,seed-unmemorizable"];
  const out = join(folder, "results");
  const known = new Set(await readdir(out).catch((): string[] => []));
  const { code, err } = await lab(
    ...["run", "--base-url", `${url}/v1`, "--model", "scripted", ...plan],
    ...["--trials", "10", "--timeout-first-byte", "30", "--quiet", "--json", "--out", out],
  );
  expect(code, err).toBe(0);
  const [run] = (await readdir(out)).filter((name) => !known.has(name));
  if (run === undefined) throw new Error("no run was left");
  return run;
}

function behind<Result>(setUpId: string, use: (url: string) => Promise<Result>): Promise<Result> {
  return withScripted(
    setUpId,
    primeSumScripts.filter(({ script }) => script === "xml"),
    use,
  );
}

async function gate(run: string, baseline: string, ...more: readonly string[]) {
  const { code, out, err } = await lab(
    "gate",
    run,
    "--baseline",
    baseline,
    "--results",
    join(folder, "results"),
    "--json",
    ...more,
  );
  expect(out, err).not.toBe("");
  return { code, verdict: JSON.parse(out) as GateVerdict };
}

describe("a gate on a real llama-server", () => {
  it("passes the same server again, with as many requests, and stops a template that reads no call of the model", async () => {
    const [before, again] = await behind(
      "qwen3-coder",
      async (url) => [await measure(url), await measure(url)] as const,
    );
    const passed = await gate(again, before);
    expect(passed).toMatchObject({ code: 0, verdict: { kind: "pass" } });
    const { run, baseline } = passed.verdict.proof;
    expect(run?.requests?.sent).toBeGreaterThan(150);
    // A connection that broke between two answers is asked once more; what is asked at all stays the same.
    const asked = [run, baseline].map((proof) => (proof?.requests?.sent ?? 0) - (proof?.requests?.askedAgain ?? 0));
    expect(asked[0]).toBe(asked[1]);

    const swapped = await behind("plain", measure);
    // The template stands in the model's file, so both are others; unless that is what is being tried, nothing is compared.
    const undeclared = await gate(swapped, before);
    expect(undeclared).toMatchObject({ code: 3, verdict: { kind: "invalid" } });
    expect(undeclared.verdict.sentence).toMatch(/^Not comparable on scripted: .*declare it with --treatment/);
    const declared = await gate(swapped, before, "--treatment", "template", "--treatment", "model");
    expect(declared).toMatchObject({ code: 1, verdict: { kind: "regression" } });
    expect(declared.verdict.sentence).toMatch(/model still tries/);
  });
});
