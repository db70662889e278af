import { describe, expect, it } from "vitest";
import { compareRuns } from "../../../src/lab/gate/compare.ts";
import { compareForView } from "../../../src/lab/gate/comparison-view.ts";
import { outcomeFlows } from "../../../src/lab/gate/flows.ts";
import { defaultPolicy } from "../../../src/lab/gate/policy.ts";
import type { RunSide } from "../../../src/lab/gate/run-side.ts";
import { identityDifferences, treatments } from "../../../src/lab/gate/treatment.ts";
import { seededRandom } from "../../../src/lab/stats/seeded-random.ts";
import { earlier, later, withCells } from "./sides.ts";
import { drawRun, worlds } from "./simulated-runs.ts";

const options = { policy: defaultPolicy, treatment: [], targets: [] } as const;

function drawn(seed: number, parserSwapped = false): RunSide {
  const world = worlds[1];
  if (world === undefined) throw new Error("no world");
  return drawRun({ world, trials: 10, correlation: 0, random: seededRandom(seed), parserSwapped });
}

describe("comparing two runs", () => {
  it("speaks of these items only below eight scenarios, and asks whether others would show it from eight on", () => {
    const { lines } = compareRuns(drawn(1), drawn(2, true), options);
    const native = lines.find(({ place }) => place.arm === "native");
    const auto = lines.find(({ place }) => place.arm === "auto");
    expect([native?.scenarios, auto?.scenarios]).toEqual([34, 2]);
    expect(native?.byScenario).toBeLessThan(0.001);
    expect(auto?.byScenario).toBeNull();
  });

  it("adjusts Fisher's test over all cases", () => {
    const { cases } = compareRuns(drawn(1), drawn(2), options);
    for (const each of cases) expect(each.fisherAdjusted).toBeGreaterThanOrEqual(each.fisher);
    expect(cases).toHaveLength(80);
  });

  it("leaves unrated cells out of every rate", () => {
    const side = withCells(later(), (cell) => ({ ...cell, rated: cell.arm !== "named" }));
    expect(compareRuns(earlier(), side, options).lines.map(({ place }) => place.arm)).toEqual(["auto", "required"]);
  });

  it("names cells that one run alone has", () => {
    const few = withCells(later(), (cell) => (cell.stream ? null : cell));
    const { pairing } = compareRuns(earlier(), few, options);
    expect([pairing.missing.length, pairing.extra.length]).toEqual([6, 0]);
    expect(compareRuns(few, later(), options).pairing.extra).toHaveLength(6);
  });

  it("sets two targets of one run side by side where it is asked to", () => {
    const both: RunSide = withCells(later(), (cell) => cell);
    const twin = both.summary.cells.map((cell) => ({ ...cell, target: "new" }));
    const side = { ...both, summary: { ...both.summary, cells: [...both.summary.cells, ...twin] } };
    const { pairing, lines } = compareRuns(side, side, { ...options, targets: [{ before: "model", after: "new" }] });
    expect([pairing.pairs.length, pairing.missing.length, pairing.extra.length]).toEqual([12, 0, 0]);
    expect(lines.every(({ place }) => place.target === "new" && place.before === "model")).toBe(true);
  });

  it("lets an adapter's route stand for the direct one only where that is the treatment", () => {
    const routed = withCells(later(), (cell) => ({ ...cell, route: "adapter" }));
    expect(compareRuns(earlier(), routed, options).pairing.pairs).toHaveLength(0);
    expect(compareRuns(earlier(), routed, { ...options, treatment: ["adapter"] }).pairing.pairs).toHaveLength(12);
  });

  it("says why two runs may not be compared, and compares them all the same", () => {
    const run = later();
    const record = { ...run.record, plan: { ...run.record.plan, request: { temperature: 0 } } };
    const view = compareForView({ name: "a", side: earlier() }, { name: "b", side: { ...run, record } }, options);
    expect(view.problems.map(({ code }) => code)).toEqual(["request_changed"]);
    expect(view.lines).toHaveLength(3);
  });
});

describe("the flow of outcomes", () => {
  const [cell] = later().summary.cells;
  if (cell === undefined) throw new Error("no cell");
  const pair = (before: object, after: object) => ({
    before: { ...cell, counts: before },
    after: { ...cell, counts: after },
  });

  it("hands what one outcome lost to those that gained, in proportion", () => {
    const flows = outcomeFlows([
      pair({ structured_call: 10 }, { structured_call: 4, leaked_call: 4, direct_answer: 2 }),
    ]);
    expect(flows.map(({ from, to, share }) => [from, to, Number(share.toFixed(6))])).toEqual([
      ["structured_call", "leaked_call", 0.4],
      ["structured_call", "direct_answer", 0.2],
    ]);
  });

  it("does not let two cells cancel each other", () => {
    const flows = outcomeFlows([
      pair({ structured_call: 10 }, { leaked_call: 10 }),
      pair({ leaked_call: 10 }, { structured_call: 10 }),
    ]);
    expect(flows.map(({ share }) => share)).toEqual([0.5, 0.5]);
  });

  it("is empty where nothing moved", () => {
    expect(outcomeFlows([pair({ structured_call: 10 }, { structured_call: 10 })])).toEqual([]);
  });
});

describe("what may differ", () => {
  const [target] = later().record.targets;
  if (target === undefined) throw new Error("no target");
  const other = {
    ...target,
    facts: { ...target.facts, kind: "ollama" as const },
    fingerprint: { identity: { model: "other", template: "x", brand_new_key: 1 }, incidental: {} },
  };

  it("is nothing unless it was declared", () => {
    expect(identityDifferences(target, target, [])).toEqual([]);
    expect(identityDifferences(target, other, []).every(({ declared }) => !declared)).toBe(true);
  });

  it("needs the server to be declared where its kind changed, and shows no keys that only one kind has", () => {
    expect(identityDifferences(target, other, ["model"]).map(({ key, declared }) => [key, declared])).toEqual([
      ["server kind", false],
      ["model", true],
    ]);
    expect(identityDifferences(target, other, ["model", "server"]).every(({ declared }) => declared)).toBe(true);
  });

  it("never lets an identity key pass that nobody thought of", () => {
    const odd = {
      ...target,
      fingerprint: { ...target.fingerprint, identity: { ...target.fingerprint.identity, odd: 1 } },
    };
    const allowing = treatments.filter((treatment) =>
      identityDifferences(target, odd, [treatment]).every(({ declared }) => declared),
    );
    expect(allowing).toEqual(["server"]);
  });
});
