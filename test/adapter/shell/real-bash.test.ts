import { describe, expect, it } from "vitest";
import { allowedNames, checkCommand } from "../../../src/adapter/shell/check-command.ts";
import { readCommand, type ShellWord } from "../../../src/adapter/shell/read-command.ts";
import { renderCommand } from "../../../src/adapter/shell/render-command.ts";
import { zeroRateUpperBound } from "../zero-rate.ts";
import { generateCommand, seeded } from "./command-generator.ts";
import { allowedExamples } from "./red-team.ts";
import { runInBash, stubHome } from "./run-in-bash.ts";

const stubs = [...allowedNames, "rm", "touch", "sh", "bash", "sudo", "curl", "env", "tee", "echo1", "git"];
const long = process.env["LAB_TEST_LONG"] === "1";
const commands = long ? 100_000 : 3_000;
const batch = 4_000;

const expectedArguments = (words: readonly ShellWord[]): readonly string[] =>
  words.map((word) => (word.home ? `${stubHome}${word.text.slice(1)}` : word.text));

/** Everything that a routed command, or the user's own text of it, did beyond starting one program with the words as read. */
function faultsOf(texts: readonly string[]): { readonly routed: number; readonly faults: readonly unknown[] } {
  const runs: { readonly text: string; readonly called: string; readonly words: readonly ShellWord[] }[] = [];
  for (const text of texts) {
    const check = checkCommand(text, { directory: null });
    if (check.kind !== "allowed") continue;
    const reading = readCommand(text);
    if (reading.kind !== "simple") throw new Error(`allowed without being simple: ${text}`);
    runs.push({ text, called: renderCommand(check.words), words: check.words });
    // The user's own words must mean to bash what we read in them.
    runs.push({ text, called: text, words: reading.words });
  }
  const effects = runInBash(
    runs.map((run) => run.called),
    stubs,
  );
  const faults = effects.flatMap((effect, index) => {
    const run = runs[index];
    const expected = [expectedArguments(run?.words ?? [])];
    const same =
      JSON.stringify(effect.started) === JSON.stringify(expected) &&
      effect.commands === 1 &&
      effect.files.length === 0 &&
      effect.errors === "";
    return same ? [] : [{ run, effect }];
  });
  return { routed: runs.length / 2, faults };
}

describe("routed commands in a real bash, in an empty folder with stubs on the PATH", () => {
  it("start exactly one program with the words as read, for every allowed example", () => {
    const { routed, faults } = faultsOf(allowedExamples.map(([text]) => text));
    expect(routed).toBeGreaterThan(60);
    expect(faults).toEqual([]);
  });

  it(`start exactly one program and leave nothing behind, for ${commands} generated and mutated commands`, () => {
    const random = seeded(20_260_520);
    let routed = 0;
    const faults: unknown[] = [];
    for (let done = 0; done < commands; done += batch) {
      const texts = Array.from({ length: Math.min(batch, commands - done) }, () => generateCommand(random));
      const found = faultsOf(texts);
      routed += found.routed;
      faults.push(...found.faults);
    }
    expect(faults).toEqual([]);
    // A generator that is never let through would prove nothing.
    expect(routed).toBeGreaterThan(commands / 10);
    expect(zeroRateUpperBound(routed)).toBeLessThan(long ? 0.0005 : 0.01);
  }, 1_800_000);

  it("see a command that does more: the test itself can fail", () => {
    const [two, file, unknown, words] = runInBash(["pwd; ls", "pwd > x; rm x", "nothing-here", "ls 'a b' c"], stubs);
    expect(two?.started).toEqual([["pwd"], ["ls"]]);
    expect(two?.commands).toBe(2);
    expect(file?.files).toEqual(["x"]);
    expect(unknown?.started).toEqual([["(not found)", "nothing-here"]]);
    expect(words?.started).toEqual([["ls", "a b", "c"]]);
  });
});
