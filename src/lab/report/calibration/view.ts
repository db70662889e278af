import type { ConformanceOutcome } from "../../../protocol/known-truth.ts";
import {
  type AskedWord,
  askedWords,
  type Calibration,
  type CheckedSample,
  type ConformanceCell,
  type ScriptForm,
  type SetUpCalibration,
  type SideAnswer,
} from "../../calibration/calibration.ts";
import type { Behaviour, CalibrationWords } from "./words.ts";

/** What became of one thing in both transport modes; null where it was not asked. */
export interface BothModes {
  readonly whole: string | null;
  readonly streamed: string | null;
}

/** The conformance matrix of one set-up, in words. */
export interface ConformanceView {
  readonly rows: readonly { readonly label: string; readonly cells: Readonly<Record<AskedWord, BothModes>> }[];
  readonly behaviours: readonly { readonly label: string; readonly answer: BothModes }[];
  readonly differences: string;
}

/** Puts a set-up's cells into rows by format and its answers into sentences. */
export function conformanceView(
  { setUp, cells, side }: SetUpCalibration,
  scripts: readonly ScriptForm[],
  words: CalibrationWords,
): ConformanceView {
  const at = (script: string | undefined, asked: AskedWord, stream: boolean): ConformanceCell | undefined =>
    cells.find((cell) => cell.script === script && cell.asked === asked && cell.stream === stream);
  const both = (script: string | undefined, asked: AskedWord): BothModes => ({
    whole: outcomeWord(at(script, asked, false)?.outcome, words),
    streamed: outcomeWord(at(script, asked, true)?.outcome, words),
  });
  const measured = scripts.filter(({ script }) => cells.some((cell) => cell.script === script));
  const formats = new Map<string, ScriptForm>();
  for (const form of measured) {
    const key =
      form.holds === "call" ? form.format : form.holds === "marker" || form.holds === "text" ? form.holds : null;
    if (key !== null && !formats.has(key)) formats.set(key, form);
  }
  const rows = [...formats].map(([key, { script }]) => ({
    label: key === "marker" ? words.marker : key === "text" ? words.text : key,
    cells: Object.fromEntries(askedWords.map((asked) => [asked, both(script, asked)])) as Record<AskedWord, BothModes>,
  }));
  const own = (holds: ScriptForm["holds"]): string | undefined =>
    (
      measured.find((form) => form.holds === holds && form.format === setUp.format) ??
      measured.find((form) => form.holds === holds)
    )?.script;
  const text = own("text");
  const sideAnswer = (question: SideAnswer["question"]): BothModes => ({
    whole: sideWord(side, question, false, words),
    streamed: sideWord(side, question, true, words),
  });
  const answers: readonly (readonly [Behaviour, BothModes])[] = [
    ["required_without_call", both(text, "required")],
    ["named_without_call", both(text, "named")],
    ["none_with_call", both(own("call"), "none")],
    ["parallel_tool_calls", sideAnswer("parallel_tool_calls")],
    ["max_tokens", sideAnswer("max_tokens")],
    ["undeclared", both(own("undeclared_call"), "auto")],
    ["broken", both(own("broken_call"), "auto")],
  ];
  const differing = measured.filter(({ script }) => {
    const [whole, streamed] = [at(script, "auto", false), at(script, "auto", true)];
    return whole !== undefined && streamed !== undefined && whole.outcome !== streamed.outcome;
  });
  return {
    rows,
    behaviours: answers
      .filter(([, { whole, streamed }]) => whole !== null || streamed !== null)
      .map(([behaviour, answer]) => ({ label: words.behaviours[behaviour], answer })),
    differences: words.streamDifferences(
      differing.length,
      measured.length,
      differing.map(({ script }) => script),
    ),
  };
}

/** Both modes in one cell: one word where they agree, else "whole / streamed". */
export function pairWord({ whole, streamed }: BothModes): string {
  if (whole === null && streamed === null) return "–";
  if (whole === null || streamed === null || whole === streamed) return whole ?? streamed ?? "–";
  return `${whole} / ${streamed}`;
}

function outcomeWord(outcome: ConformanceOutcome | undefined, words: CalibrationWords): string | null {
  return outcome === undefined ? null : words.outcomes[outcome];
}

function sideWord(
  side: readonly SideAnswer[],
  question: SideAnswer["question"],
  stream: boolean,
  words: CalibrationWords,
): string | null {
  const answer = side.find((each) => each.question === question && each.stream === stream);
  if (answer === undefined) return null;
  const count = answer.calls > 0 && answer.outcome !== "error" ? `, ${words.calls(answer.calls)}` : "";
  const word = answer.calls > 0 && question === "parallel_tool_calls" ? words.calls(answer.calls) : null;
  return `${word ?? `${words.outcomes[answer.outcome]}${count}`}${answer.finish === null ? "" : ` (${answer.finish})`}`;
}

/** One line of the accuracy table. */
export interface AccuracyRow {
  readonly label: string;
  readonly samples: number;
  /** Samples that differ in set-up, script, suite or arm; streamed and whole count as one. */
  readonly distinct: number;
  readonly axis: number;
  readonly owner: number;
  /** Of those whose words are the script's own. */
  readonly findings: number;
  readonly findingsOf: number;
}

/** How often the lab was right: a line a set-up, and one for all. */
export function accuracyRows(calibration: Calibration, words: CalibrationWords): readonly AccuracyRow[] {
  const measured = calibration.setUps.filter(({ checked }) => checked.length > 0);
  const rows = measured.map(({ setUp, checked }) => accuracyRow(`${setUp.server} ${setUp.id}`, checked));
  const all = accuracyRow(
    words.all,
    measured.flatMap(({ checked }) => checked),
  );
  return rows.length === 0 ? [] : [...rows, { ...all, distinct: rows.reduce((sum, row) => sum + row.distinct, 0) }];
}

function accuracyRow(label: string, checked: readonly CheckedSample[]): AccuracyRow {
  const comparable = checked.filter(({ findingsRight }) => findingsRight !== null);
  return {
    label,
    samples: checked.length,
    distinct: new Set(checked.map(({ script, suite, arm }) => `${script} ${suite} ${arm}`)).size,
    axis: checked.filter(({ axisRight }) => axisRight).length,
    owner: checked.filter(({ ownerRight }) => ownerRight).length,
    findings: comparable.filter(({ findingsRight }) => findingsRight === true).length,
    findingsOf: comparable.length,
  };
}

/** The accuracy table, its head first, as every report shows it. */
export function accuracyTable(
  rows: readonly AccuracyRow[],
  words: CalibrationWords,
): { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  return {
    head: [words.setUp, words.samples, words.distinct, words.axis, words.owner, words.findings],
    rows: rows.map(({ label, samples, distinct, axis, owner, findings, findingsOf }) => [
      label,
      String(samples),
      String(distinct),
      percent(axis, samples),
      percent(owner, samples),
      percent(findings, findingsOf),
    ]),
  };
}

/** A share in per cent with one digit; "–" of nothing. */
function percent(right: number, of: number): string {
  return of === 0 ? "–" : `${((100 * right) / of).toFixed(1)} %`;
}

/** One line a miss: where, what was judged, what is true, and why. */
export function missLines(calibration: Calibration, words: CalibrationWords): readonly string[] {
  return calibration.setUps.flatMap(({ setUp, checked }) =>
    checked.flatMap((sample) => {
      const { truth, judged, axisRight, ownerRight, findingsRight } = sample;
      if (axisRight && ownerRight && findingsRight !== false) return [];
      const list = (kinds: readonly string[]): string => `[${kinds.join(", ")}]`;
      const wrong = words.miss(
        axisRight ? null : words.judgedInstead(judged.axis, truth.axes.join(" | ")),
        ownerRight ? null : words.judgedInstead(judged.owner, truth.owners.join(" | ")),
        findingsRight === false ? words.judgedInstead(list(judged.findings), list(truth.findings ?? [])) : null,
      );
      const mode = sample.stream ? ` ${words.streamed}` : "";
      return [`${setUp.server} ${setUp.id} ${sample.script} ${sample.arm}${mode}: ${wrong} (${truth.because})`];
    }),
  );
}
