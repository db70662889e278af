import type { Cell } from "../stats/summary.ts";

/** How many samples of a cell show what a counter counts. */
export function countOf(cell: Cell, counter: string): number {
  const findings: Readonly<Record<string, number>> = cell.findings ?? {};
  const headlines: Readonly<Record<string, number>> = cell.counts;
  // A summary made before findings were counted still has the headlines.
  return (
    findings[counter] ??
    (cell.findings === undefined ? (headlines[headlineOf(counter)] ?? 0) : (headlines[counter] ?? 0))
  );
}

function headlineOf(counter: string): string {
  return counter === "provenance_claim" ? "fabricated_provenance" : counter;
}
