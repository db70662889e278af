import { describe, expect, it } from "vitest";
import { tablesOf } from "../../../src/lab/report/tables.ts";
import { wilsonWithUndecided } from "../../../src/lab/stats/proportions.ts";
import type { Cell } from "../../../src/lab/stats/summary.ts";

function cell(factors: Partial<Cell>): Cell {
  const rate = wilsonWithUndecided(0, 0, 1);
  return {
    target: "t",
    route: "direct",
    suite: "parser-mismatch",
    scenario: "s",
    arm: "auto",
    contract: "native",
    class: "memorizable",
    shape: "small",
    language: "en",
    stream: false,
    planned: 1,
    measured: 1,
    attempted: 0,
    delivered: 0,
    undecidable: 0,
    counts: {},
    rated: true,
    notTestable: null,
    deliveredRate: rate,
    attemptedRate: rate,
    medianMs: null,
    ...factors,
  };
}

describe("tables of a target", () => {
  it("list the arms as the suite does, also where an earlier scenario meets only a later arm", () => {
    const cells = [
      cell({ scenario: "a-first", arm: "named" }),
      cell({ scenario: "b-greeting", arm: "required", class: "irrelevant", rated: false }),
      ...["plain", "forced", "named", "none"].map((arm) => cell({ scenario: "c-main", arm })),
    ];
    const [table] = tablesOf(cells, []);
    expect(table?.kind === "arms" ? table.rows.map(({ arm, irrelevant }) => [arm, irrelevant]) : []).toEqual([
      ["plain", false],
      ["forced", false],
      ["named", false],
      ["none", false],
      ["required", true],
    ]);
  });

  it("stand in the order of the suites, the small shape before the agent's, whichever came first", () => {
    const cells = [
      cell({ suite: "second", shape: "small" }),
      cell({ suite: "first", shape: "agent" }),
      cell({ suite: "second", shape: "agent" }),
      cell({ suite: "first", shape: "small" }),
    ];
    expect(tablesOf(cells, []).map(({ suite, shape }) => `${suite} ${shape}`)).toEqual([
      "second small",
      "second agent",
      "first small",
      "first agent",
    ]);
  });
});
