import { afterAll, expect } from "vitest";
import type { Shape } from "../../src/lab/scenario/scenario.ts";
import { lab } from "./lab.ts";
import { seed } from "./suite-models.ts";

/** What suites are to say: diagnoses as `code owner fix`, each with the samples that it rests on. */
export type Verdicts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What suites are to say of a model with faults of its own. */
export const faultyVerdicts: Verdicts = {
  "round-trip": {
    "call_loop model": 2,
    "result_invented model": 2,
    "result_ignored model": 2,
    "step_not_carried model": 2,
  },
  "negative-intent": {
    "called_against_word model": 2,
    "called_without_need model": 2,
    "lost_among_tools model at most 15 tools in one request": 2,
  },
  relay: { "warning_relayed model": 2, "relay_wrong model": 2 },
  language: { "language_left model": 2, "persona_lost model": 3 },
  "final-answer": { "final_answer_missing model": 1, "final_answer_unfounded model": 1 },
  "system-prompt": { "system_prompt_ignored model": 4 },
};

/** Where a suite is measured. `server` and `what` are words for the table. */
export interface Measured {
  readonly url: string;
  readonly model: string;
  readonly server: string;
  readonly what: string;
  readonly shape?: Shape;
  readonly trials?: number;
}

interface Row {
  readonly suite: string;
  readonly server: string;
  readonly shape: Shape;
  readonly what: string;
  readonly samples: number;
  readonly said: readonly string[];
}
const rows: Row[] = [];

/** The diagnoses of one suite with the samples that each rests on, as `lab run` gives them. */
export async function measure(at: Measured, suite: string): Promise<Readonly<Record<string, number>>> {
  const { url, model, shape = "small", trials = 1 } = at;
  const plan = ["--suite", suite, "--trials", String(trials), "--seed", seed, "--shape", shape, "--language", "both"];
  // A busy machine is no finding.
  const patience = ["--timeout-connect", "60", "--timeout-first-byte", "120"];
  const target = ["--target", `scripted=${model}@${url}/v1`, ...patience];
  return lab(["run", ...target, ...plan], ({ code, err, json }) => {
    expect(code, err).toBe(0);
    const found = json.diagnoses.map(
      ({ code: what, owner, fix, samples }) =>
        [`${what} ${owner}${fix === null ? "" : ` ${fix}`}`, samples.length] as const,
    );
    const samples = json.cells.reduce((sum, cell) => sum + cell.measured, 0);
    const said = json.diagnoses.map(({ code: what, owner, samples: of }) => `${what} (${owner}, ${of.length})`);
    rows.push({ suite, server: at.server, shape, what: at.what, samples, said });
    return Object.fromEntries(found);
  });
}

/** Measures every suite that something is expected of, and compares all at once. */
export async function measureAll(at: Measured, expected: Verdicts): Promise<void> {
  const said: Record<string, Readonly<Record<string, number>>> = {};
  for (const suite of Object.keys(expected)) said[suite] = await measure(at, suite);
  expect(said).toEqual(expected);
}

/** Prints what was measured in this file, a line for each suite, server and shape. */
export function printTableAfterAll(): void {
  afterAll(() => {
    const lines = [...rows]
      .sort((one, other) => one.suite.localeCompare(other.suite) || one.shape.localeCompare(other.shape))
      .map(
        ({ suite, server, shape, what, samples, said }) =>
          `${suite} | ${server} | ${shape} | ${what} | ${samples} | ${said.join("; ")}\n`,
      );
    process.stdout.write(`suite | server | shape | set-up | samples | diagnoses (owner, samples)\n${lines.join("")}`);
  });
}

/** Samples of a suite with one trial of each cell, on a server without routes of its own. */
export function silentSamples(suite: string): number {
  const counts: Readonly<Record<string, number>> = {
    capability: 4,
    "final-answer": 2,
    history: 14,
    language: 3,
    "negative-intent": 12,
    relay: 6,
    "round-trip": 8,
    "stream-parity": 6,
    "system-prompt": 4,
  };
  return counts[suite] ?? 0;
}
