import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readCase } from "../lab/classify/case-file.ts";
import { repairLedger } from "../lab/classify/repair-ledger.ts";
import {
  type CaseScore,
  judgeCase,
  type MarkedCase,
  markCase,
  scoreCases,
  type Tally,
} from "../lab/classify/score-cases.ts";
import { unseenCharacters, visibleText } from "../lab/report/terminal-text.ts";
import { exitCodes, oneLine, UserError } from "./errors.ts";
import type { DisplayLanguage, Messages } from "./messages.ts";
import { repairTable } from "./repair-table.ts";
import type { World } from "./world.ts";

/** How labelled replies are judged. */
export interface JudgeCases {
  readonly folder: string;
  /** Look at what a file knows of the model's own words. */
  readonly withRaw: boolean;
  /** One JSON line a case on standard output, the score on standard error. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Share of right verdicts, 0 to 1, below which the exit code is 1; null asks for none. */
  readonly minAccuracy: number | null;
  readonly messages: Messages;
  /** Show the ledger of repairs instead of what is wrong with each case. */
  readonly repairs: boolean;
  readonly language: DisplayLanguage;
}

/** A case is one reply; a file of this size is something else, or an attack. */
const largestFile = 32 * 1024 * 1024;

/**
 * Judges every case file of a folder. A file that cannot be read costs one line and not the others. Resolves with 0, with 1 where
 * the share of right verdicts is too small, with 3 where a file could not be judged or none is labelled though a share is asked for.
 * @throws UserError where there is no case file
 */
export async function judgeCases(options: JudgeCases, world: World): Promise<number> {
  const { folder, json, messages } = options;
  const names = await caseNames(folder);
  const marked: MarkedCase[] = [];
  const showsCases = !options.repairs;
  let judged = 0;
  let unreadable = 0;
  for (const name of names) {
    const text = await caseText(join(folder, name));
    const reading =
      text.kind === "text" ? readCase(name.slice(0, -".json".length), text.text) : { ...text, id: name, notes: [] };
    if (reading.kind === "problem") {
      unreadable += 1;
      world.stderr.write(`lab: ${visibleText(`${name} ${reading.message}`)}\n`);
      continue;
    }
    for (const note of reading.notes) world.stderr.write(`lab: ${visibleText(`${name}: ${note}`)}\n`);
    const line = judgeCase(reading.file, options.withRaw);
    judged += 1;
    const marks = markCase(reading.file, line, options.withRaw);
    if (marks !== null) marked.push({ file: reading.file, line, marks });
    if (!showsCases) continue;
    if (json) world.stdout.write(`${jsonLine(line)}\n`);
    else if (marks === null) world.stdout.write(`${visibleText(`${line.id}: ${line.verdict}`)}\n`);
    else
      for (const wrong of mistakes({ file: reading.file, line, marks })) world.stdout.write(`${visibleText(wrong)}\n`);
  }
  const score = scoreCases(marked);
  if (options.repairs) {
    const ledger = repairLedger(
      marked.map(({ file }) => file),
      options.withRaw,
    );
    if (json) world.stdout.write(`${jsonLine(ledger)}\n`);
    else
      for (const line of repairTable(ledger, options.language, world.stdout.columns)) world.stdout.write(`${line}\n`);
  } else if (!options.quiet && marked.length > 0) {
    const out = json ? world.stderr : world.stdout;
    for (const line of scoreLines(score, messages)) out.write(`${line}\n`);
  }
  if (!options.quiet) world.stderr.write(`${messages.casesJudged(judged, unreadable)}\n`);
  return exitCode(options, score, unreadable);
}

function exitCode({ minAccuracy }: JudgeCases, { verdict }: CaseScore, unreadable: number): number {
  if (minAccuracy !== null && verdict.of > 0 && verdict.right / verdict.of < minAccuracy) return exitCodes.below;
  if (unreadable > 0 || (minAccuracy !== null && verdict.of === 0)) return exitCodes.notMeasured;
  return exitCodes.ok;
}

async function caseNames(folder: string): Promise<readonly string[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    throw new UserError(`cannot read the folder ${folder}: ${oneLine(error)}`, { cause: error });
  }
  const cases = names.filter((name) => name.endsWith(".json")).sort();
  if (cases.length === 0) throw new UserError(`there is no case file (*.json) in ${folder}`);
  return cases;
}

async function caseText(
  path: string,
): Promise<{ readonly kind: "text"; readonly text: string } | { readonly kind: "problem"; readonly message: string }> {
  try {
    const { size } = await stat(path);
    if (size > largestFile)
      return {
        kind: "problem",
        message: `is ${Math.round(size / 1e6)} MB; a case may have ${Math.round(largestFile / 1e6)} MB at most`,
      };
    const bytes = await readFile(path);
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { kind: "problem", message: "is not UTF-8; save it as UTF-8" };
    return { kind: "problem", message: `cannot be read: ${oneLine(error)}` };
  }
}

/** JSON that no terminal obeys: what cannot be seen is written as an escape, which JSON knows too. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unseenCharacters, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function mistakes({ file, line, marks }: MarkedCase): readonly string[] {
  const { expected } = file;
  const said: string[] = [];
  if (!marks.verdict) said.push(`verdict ${line.verdict}, not ${marks.wanted}`);
  if (marks.unsafe || marks.calls === false)
    said.push(`calls ${JSON.stringify(line.calls)}, not ${JSON.stringify(expected?.calls ?? [])}`);
  if (marks.leakFormat === false)
    said.push(`format ${line.leakFormat ?? "none"}, not ${expected?.leakFormat ?? "none"}`);
  if (marks.validity === false) said.push(`validity ${line.validity ?? "none"}, not ${expected?.validity ?? "none"}`);
  if (marks.residualContent === false)
    said.push(`text ${JSON.stringify(line.residualContent)}, not ${JSON.stringify(expected?.residualContent ?? "")}`);
  return said.length === 0 ? [] : [`${line.id}: ${said.join("; ")}`];
}

function scoreLines(score: CaseScore, messages: Messages): readonly string[] {
  const { caseScore } = messages;
  const share = ({ right, of }: Tally): string =>
    of === 0 ? "-" : `${right}/${of} (${((100 * right) / of).toFixed(1)} %)`;
  const rows: (readonly [string, Tally])[] = [
    [caseScore.verdict, score.verdict],
    [caseScore.calls, score.calls],
    [caseScore.handsOnNothing, score.handsOnNothing],
    [caseScore.leakFormat, score.leakFormat],
    [caseScore.validity, score.validity],
    [caseScore.residualContent, score.residualContent],
  ];
  const confusion = score.confusion.map(({ fault, verdict, mistaken }) => {
    const wrong = mistaken.map(({ wanted, given, count }) => `${wanted} → ${given} × ${count}`).join(", ");
    return `  ${visibleText(fault).padEnd(26)} ${`${verdict.right}/${verdict.of}`.padStart(9)}${wrong === "" ? "" : `   ${wrong}`}`;
  });
  return ["", ...rows.map(([name, tally]) => `${name}: ${share(tally)}`), "", caseScore.byFault, ...confusion];
}
