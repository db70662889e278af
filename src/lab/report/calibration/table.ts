import type { ConformanceOutcome, KnownSetUp } from "../../../protocol/known-truth.ts";
import {
  type AskedWord,
  askedWords,
  type Calibration,
  type ConformanceCell,
  type ScriptForm,
  type SetUpCalibration,
  type SideAnswer,
} from "../../calibration/calibration.ts";
import { type AccuracyRow, accuracyRows, missLines } from "./view.ts";
import { calibrationWords } from "./words.ts";

/**
 * A calibration as it is kept beside the documentation: what came back for every script, by tool_choice, as "whole/streamed"
 * (either may be missing), or one word for both; "+text" where text came beside calls.
 */
export interface CalibrationTable {
  readonly scripts: readonly ScriptForm[];
  readonly setUps: readonly TableSetUp[];
  readonly accuracy: readonly AccuracyRow[];
  readonly misses: readonly string[];
  /** Parsers that were asked alone, without a model; absent where a server cannot do that. */
  readonly parsers?: readonly TableParser[];
}

/** What one parser of a server makes of each script: "whole/streamed", or one word for both. */
export interface TableParser {
  readonly parser: string;
  readonly cells: Readonly<Record<string, string>>;
}

/** One set-up of a table. */
export interface TableSetUp {
  readonly setUp: KnownSetUp;
  readonly version: string | null;
  readonly start: string;
  readonly side: readonly SideAnswer[];
  /** By script, then by how it was asked. */
  readonly cells: Readonly<Record<string, Readonly<Partial<Record<AskedWord, string>>>>>;
}

const withText = "+text";

/** Keeps what a calibration showed and drops its samples. */
export function toTable(calibration: Calibration): CalibrationTable {
  const words = calibrationWords("en");
  return {
    scripts: calibration.scripts,
    setUps: calibration.setUps.map(({ setUp, version, start, side, cells }) => ({
      setUp,
      version,
      start,
      side,
      cells: Object.fromEntries(
        calibration.scripts.map(({ script }) => [script, rowOf(cells.filter((cell) => cell.script === script))]),
      ),
    })),
    accuracy: accuracyRows(calibration, words),
    // Samples are done in another order each time; what is kept must differ only where a server does.
    misses: [...missLines(calibration, words)].sort(),
  };
}

function rowOf(cells: readonly ConformanceCell[]): Readonly<Partial<Record<AskedWord, string>>> {
  const row: Partial<Record<AskedWord, string>> = {};
  for (const asked of askedWords) {
    const [whole, streamed] = [false, true].map((stream) => {
      const cell = cells.find((each) => each.asked === asked && each.stream === stream);
      return cell === undefined ? undefined : `${cell.outcome}${cell.beside ? withText : ""}`;
    });
    if (whole === undefined && streamed === undefined) continue;
    row[asked] = whole === streamed ? (whole ?? "") : `${whole ?? ""}/${streamed ?? ""}`;
  }
  return row;
}

/** The cells of a kept set-up. */
export function cellsOf({ cells }: TableSetUp): readonly ConformanceCell[] {
  return Object.entries(cells).flatMap(([script, row]) =>
    askedWords.flatMap((asked) => {
      const [whole, streamed = whole] = row[asked]?.split("/") ?? [];
      return [whole, streamed].flatMap((text, index): ConformanceCell[] => {
        if (text === undefined || text === "") return [];
        const beside = text.endsWith(withText);
        const outcome = (beside ? text.slice(0, -withText.length) : text) as ConformanceOutcome;
        return [{ script, asked, stream: index === 1, outcome, beside }];
      });
    }),
  );
}

/** A kept set-up as what the views read. */
export function asCalibrated(kept: TableSetUp): SetUpCalibration {
  const { setUp, version, start, side } = kept;
  return { setUp, target: setUp.id, version, start, side, cells: cellsOf(kept), checked: [], unmet: null };
}
