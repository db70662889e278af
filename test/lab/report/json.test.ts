import { describe, expect, it } from "vitest";
import { rendered } from "./rendered.ts";

describe("json report", () => {
  it("is one object with the documented keys in their order", async () => {
    const report = JSON.parse(await rendered("json"));
    expect(Object.keys(report).slice(0, 3)).toEqual(["run", "cells", "diagnoses"]);
    expect(Object.keys(report.cells[0]).slice(0, 15)).toEqual([
      "target",
      "route",
      "suite",
      "scenario",
      "arm",
      "contract",
      "class",
      "shape",
      "language",
      "stream",
      "planned",
      "measured",
      "attempted",
      "delivered",
      "counts",
    ]);
    for (const diagnosis of report.diagnoses) {
      expect(Object.keys(diagnosis).slice(0, 4)).toEqual(["target", "owner", "fix", "samples"]);
    }
  });

  it("gives the fix as the option itself, null where there is none", async () => {
    const { diagnoses } = JSON.parse(await rendered("json"));
    const byCode = Object.fromEntries(
      diagnoses.map((entry: { code: string; fix: unknown }) => [entry.code, entry.fix]),
    );
    expect(byCode["parser_mismatch"]).toBe("--tool-call-parser qwen3_coder");
    expect(byCode["fabricated_provenance"]).toBeNull();
  });

  it("counts the story's cells", async () => {
    const { cells } = JSON.parse(await rendered("json"));
    const found = cells.filter(
      (cell: { target: string; suite: string; arm: string }) =>
        cell.target === "thinkingcap-hermes" && cell.suite === "contract-matrix" && cell.arm === "native",
    );
    expect(
      found.map((cell: { attempted: number; delivered: number; measured: number }) => [
        cell.attempted,
        cell.delivered,
        cell.measured,
      ]),
    ).toEqual([
      [2, 0, 3],
      [3, 0, 3],
    ]);
  });
});
