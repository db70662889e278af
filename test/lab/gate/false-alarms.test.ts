import { describe, expect, it } from "vitest";
import { gatePairs } from "./simulate-gate.ts";
import { worlds } from "./simulated-runs.ts";

// The short form of npm run gate:aa, which draws 1,000 pairs a row and prints them with their intervals.
describe("the gate with its default policy", () => {
  it.each([
    [5, 0],
    [10, 0.1],
    [10, 0.2],
  ])("raises at most 2 % false alarms over models of all kinds: %i trials, correlation %d", (trials, correlation) => {
    const pairs = 200;
    const { verdicts } = gatePairs(pairs, 4711, { worlds, trials, correlation });
    expect(verdicts.regression / pairs).toBeLessThanOrEqual(0.02);
    expect(verdicts.invalid).toBe(0);
  });

  it("passes most pairs of a model that keeps its contracts, or mostly calls", () => {
    const kept = worlds.filter(({ name }) => name !== "calls every other time");
    const { verdicts, pairs } = gatePairs(120, 3, { worlds: kept, trials: 10, correlation: 0 });
    expect(verdicts.pass / pairs).toBeGreaterThan(0.9);
  });

  it.each([5, 10])("finds a swapped parser in at least 99 %: %i trials", (trials) => {
    const pairs = 100;
    const { verdicts } = gatePairs(pairs, 99, { worlds, trials, correlation: 0.1, parserSwapped: true });
    expect(verdicts.regression / pairs).toBeGreaterThanOrEqual(0.99);
  });

  it("never passes three trials", () => {
    const { verdicts } = gatePairs(40, 8, { worlds, trials: 3, correlation: 0 });
    expect(verdicts.pass).toBe(0);
    expect(verdicts.inconclusive).toBeGreaterThanOrEqual(39);
  });
});
