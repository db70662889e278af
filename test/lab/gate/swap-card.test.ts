import { describe, expect, it } from "vitest";
import { compareRuns } from "../../../src/lab/gate/compare.ts";
import { defaultPolicy } from "../../../src/lab/gate/policy.ts";
import type { RunSide } from "../../../src/lab/gate/run-side.ts";
import { type SwapAspect, type SwapLight, swapAspects, swapCards } from "../../../src/lab/gate/swap-card.ts";
import { gateWordsEnglish } from "../../../src/lab/gate/words/english.ts";
import { gateWordsJapanese } from "../../../src/lab/gate/words/japanese.ts";
import { wilson } from "../../../src/lab/stats/proportions.ts";
import type { Cell } from "../../../src/lab/stats/summary.ts";
import { earlier, later, soundRun, withCells } from "./sides.ts";

function card(after: RunSide, before = earlier()) {
  const comparison = compareRuns(before, after, { policy: defaultPolicy, treatment: ["model"], targets: [] });
  const [only] = swapCards(before, after, comparison, defaultPolicy);
  if (only === undefined) throw new Error("no card");
  return only;
}

function light(after: RunSide, aspect: SwapAspect, before?: RunSide): SwapLight | undefined {
  return card(after, before).lines.find((line) => line.aspect === aspect)?.light;
}

function context(side: RunSide, contextLength: number | null): RunSide {
  const targets = side.record.targets.map((target) => ({ ...target, facts: { ...target.facts, contextLength } }));
  return { ...side, record: { ...side.record, targets } };
}

function lost(cell: Cell): Cell {
  return cell.arm === "auto"
    ? { ...cell, delivered: 0, deliveredRate: wilson(0, cell.measured), counts: { leaked_call: cell.measured } }
    : cell;
}

describe("the swap card", () => {
  it("is safe where everything is as it was and enough was measured", () => {
    const { light: whole, lines } = card(later());
    expect(lines.map((line) => [line.aspect, line.light])).toEqual(swapAspects.map((aspect) => [aspect, "safe"]));
    expect(whole).toBe("safe");
  });

  it("does not call safe what too few trials leave open", () => {
    const { light: whole } = card(soundRun("later", "2026-01-02T00:00:00.000Z", 2));
    expect(whole).toBe("not_enough_data");
  });

  it("names the parser option where calls are written and do not arrive", () => {
    const broken = withCells(later(), lost);
    const diagnosed: RunSide = {
      ...broken,
      summary: {
        ...broken.summary,
        diagnoses: [
          {
            target: "model",
            route: "direct",
            code: "parser_mismatch",
            owner: "server_parser",
            fix: { kind: "flag", option: "--tool-call-parser qwen3_coder" },
            samples: [],
            of: 40,
            certainty: "shown",
            details: {},
          },
        ],
      },
    };
    const line = card(diagnosed).lines.find(({ aspect }) => aspect === "parser");
    expect(line?.light).toBe("not_safe");
    expect(line && gateWordsEnglish.swapReason(line.reason)).toBe(
      "40 of 40 calls that the model wrote did not arrive; start the server with --tool-call-parser qwen3_coder",
    );
    expect(light(diagnosed, "contract")).toBe("not_safe");
    // Lost calls without a fault to name are no proof that the parser is right.
    expect(light(broken, "parser")).toBe("not_enough_data");
  });

  it("watches the context", () => {
    expect(light(context(later(), 8192), "context")).toBe("not_safe");
    expect(light(context(later(), null), "context")).toBe("not_enough_data");
    expect(light(context(later(), 65_536), "context")).toBe("safe");
  });

  it("watches claims of runs that never happened", () => {
    const claiming = withCells(later(), (cell) => ({ ...cell, findings: { provenance_claim: 5 } }));
    expect(light(claiming, "fabrication")).toBe("not_safe");
  });

  it("watches latency over cells, not over one of them", () => {
    const slow = (times: number) => withCells(later(), (cell) => ({ ...cell, medianMs: 100 * times }));
    expect(light(slow(2), "latency")).toBe("not_safe");
    expect(light(slow(1.2), "latency")).toBe("safe");
    const few = withCells(later(), (cell) => (cell.arm === "auto" ? cell : null));
    expect(light(few, "latency")).toBe("not_enough_data");
  });

  it("has words for every aspect and reason in both languages", () => {
    const sides = [
      later(),
      withCells(later(), lost),
      context(later(), 10),
      soundRun("later", "2026-01-02T00:00:00.000Z", 2),
    ];
    for (const words of [gateWordsEnglish, gateWordsJapanese]) {
      for (const line of sides.flatMap((side) => card(side).lines)) {
        expect(words.aspects[line.aspect]).not.toBe("");
        expect(words.swapReason(line.reason)).not.toMatch(/undefined|NaN|\?/);
      }
    }
  });
});
