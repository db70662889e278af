// npm run gate:aa: 1,000 pairs of independent runs a row, drawn as summaries, through the gate with its default policy.
import { gatePairs, shareWithInterval } from "./simulate-gate.ts";
import { worlds } from "./simulated-runs.ts";

const pairs = Number(process.argv[2] ?? 1000);
const out = (line: string) => process.stdout.write(`${line}\n`);
const row = (cells: readonly string[]) =>
  out(
    cells
      .map((cell, index) => cell.padEnd([34, 9, 13, 22, 22, 14][index] ?? 10))
      .join("")
      .trimEnd(),
  );

out(`Same server twice, ${pairs} pairs a row; regression is a false alarm and must stay at or below 2 %.\n`);
row(["model", "trials", "correlation", "regression", "inconclusive", "pass"]);
for (const world of worlds) {
  for (const correlation of [0, 0.1, 0.2]) {
    for (const trials of [5, 10]) {
      const { verdicts } = gatePairs(pairs, 11 + trials, { worlds: [world], trials, correlation });
      row([
        world.name,
        String(trials),
        String(correlation),
        shareWithInterval(verdicts.regression, pairs),
        shareWithInterval(verdicts.inconclusive, pairs),
        shareWithInterval(verdicts.pass, pairs),
      ]);
    }
  }
}
out("\nParser swapped; a regression must be found in at least 99 %.\n");
row(["model", "trials", "correlation", "regression", "", ""]);
for (const fewScenarios of [false, true]) {
  for (const world of worlds) {
    for (const trials of [5, 10]) {
      const { verdicts } = gatePairs(pairs, 5, {
        worlds: [world],
        trials,
        correlation: 0.1,
        parserSwapped: true,
        fewScenarios,
      });
      row([
        `${world.name}${fewScenarios ? " (2 scenarios)" : ""}`,
        String(trials),
        "0.1",
        shareWithInterval(verdicts.regression, pairs),
      ]);
    }
  }
}
