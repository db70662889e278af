import type { SwapCard } from "../../gate/swap-card.ts";
import type { Check, ComparisonView, GateVerdict } from "../../gate/verdict.ts";
import { type GateWords, verdictSentence } from "../../gate/words/gate-words.ts";
import { type Colors, createColors } from "../console/colors.ts";
import { cell, type TableCell, tableLines } from "../console/table.ts";
import { columns, cutToWidth, wrap } from "../console/terminal-layout.ts";
import { messagesFor } from "../messages/catalogue.ts";
import type { RenderOptions } from "../report.ts";
import { visibleText } from "../terminal-text.ts";
import {
  caseRow,
  flowText,
  type GateTone,
  gateWordsFor,
  type LineRow,
  lightTone,
  lineRow,
  severalTargets,
  verdictTone,
} from "./rows.ts";

const narrowest = 60;
/** Cases and checks shown on a terminal; files show more. */
const shownCases = 8;
const shownChecks = 12;

/** A gate's verdict in a terminal: the word and its sentence first and last. */
export function gateConsole(verdict: GateVerdict, options: RenderOptions): string {
  const page = pageOf(options);
  const { words, colors } = page;
  const { comparison, baseline, kind } = verdict;
  const title = `harness-lab  ${words.titles.gate}  ${verdict.run}${baseline === null ? "" : `  ${words.titles.baseline} ${baseline.name} (${baseline.run})`}`;
  const others = verdict.checks.filter((check) => check.kind !== "pass").slice(1, shownChecks);
  return lines([
    colors.bold(cutToWidth(visibleText(title), page.width)),
    ...(comparison === null ? [] : comparisonBody(comparison, page)),
    ...(others.length === 0
      ? []
      : ["", colors.bold(words.titles.checks), ...others.flatMap((check) => checkLines(check, page))]),
    ...proofLines(verdict, page),
    "",
    ...verdictLines(words.kinds[kind], verdictSentence(verdict, words), verdictTone(kind), page),
  ]);
}

/** Two runs side by side in a terminal. */
export function comparisonConsole(view: ComparisonView, options: RenderOptions): string {
  const page = pageOf(options);
  const { words, colors } = page;
  const title = `harness-lab  ${words.titles.comparison}  ${view.before.name} → ${view.after.name}`;
  return lines([
    colors.bold(cutToWidth(visibleText(title), page.width)),
    ...comparisonBody(view, page),
    ...(view.problems.length === 0 ? [] : ["", ...view.problems.flatMap((check) => checkLines(check, page))]),
  ]);
}

/** A swap card in a terminal. */
export function swapCardConsole(card: SwapCard, options: RenderOptions): string {
  return lines(swapLines(card, pageOf(options)));
}

interface Page {
  readonly words: GateWords;
  readonly options: RenderOptions;
  readonly colors: Colors;
  readonly width: number;
}

function pageOf(options: RenderOptions): Page {
  return {
    words: gateWordsFor(options.lang),
    options,
    colors: createColors(options.colour),
    width: Math.max(narrowest, options.width),
  };
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}

function comparisonBody(view: ComparisonView, page: Page): string[] {
  const { words, colors, width, options } = page;
  const messages = messagesFor(options.lang);
  const several = severalTargets(view.lines);
  // Where nothing at all was measured, rows would only repeat that.
  const shown = view.lines.some(({ drop }) => drop !== null) ? view.lines : [];
  const rows = shown.map((line) => lineRow(line, words, several));
  const { titles } = words;
  const flows = shown.flatMap((line, index) => {
    const text = flowText(line, messages);
    return text === null ? [] : wrap(`${visibleText(rows[index]?.name ?? "")}: ${text}`, width - 2);
  });
  const cases = view.cases
    .filter(({ fisher }) => fisher < 0.05)
    .slice(0, shownCases)
    .map((each) => caseRow(each, several, messages.words.streamed));
  return [
    "",
    ...(rows.length === 0 ? [`  ${titles.nothingCompared}`] : lineTable(rows, page)),
    ...(flows.length === 0 ? [] : ["", colors.bold(titles.flows), ...flows.map((line) => `  ${line}`)]),
    ...(cases.length === 0
      ? []
      : [
          "",
          colors.bold(titles.cases),
          ...tableLines(
            cases.map((row) => [
              cell(cutToWidth(visibleText(row.name), Math.max(24, width - 36))),
              cell(`${row.before} → ${row.after}`),
              cell(`${titles.chance} ${row.fisher}`, colors.dim),
            ]),
            2,
          ),
        ]),
    ...view.cards.flatMap((card) => ["", ...swapLines(card, page)]),
    ...(view.notes.length === 0
      ? []
      : [
          "",
          colors.bold(titles.notes),
          ...view.notes.flatMap((note) => wrap(visibleText(words.note(note)), width - 2).map((line) => `  ${line}`)),
        ]),
    ...(rows.length === 0 ? [] : ["", ...wrap(titles.howToRead, width).map((line) => colors.dim(line))]),
  ];
}

/** The lines of a comparison; what a narrow terminal has no room for is left out from the right. */
function lineTable(rows: readonly LineRow[], { words: { titles }, colors, width }: Page): string[] {
  const set = (count: number) =>
    tableLines(
      [
        [titles.line, titles.before, titles.after, titles.change, titles.chance, titles.leftOpen, titles.detectable]
          .slice(0, count)
          .map((title): TableCell => cell(title, colors.dim)),
        ...rows.map((row) =>
          [
            cell(cutToWidth(visibleText(row.name), Math.max(24, width - 44))),
            cell(row.before),
            cell(row.after, row.change.startsWith("-") && row.change !== "-" ? colors.yellow : undefined),
            cell(row.change),
            cell(row.chance),
            cell(row.open),
            cell(row.detectable),
          ].slice(0, count),
        ),
      ],
      2,
    );
  const fits = (lines: readonly string[]) => lines.every((line) => columns(line) <= width);
  return [7, 6, 5].map(set).find(fits) ?? set(4);
}

function swapLines(card: SwapCard, page: Page): string[] {
  const { words, colors, width } = page;
  const light = tone(lightTone(card.light), colors);
  const nameWidth = Math.max(...card.lines.map((line) => columns(words.aspects[line.aspect])));
  const lightWidth = Math.max(...card.lines.map((line) => columns(words.lights[line.light])));
  const rows = card.lines.map((line) => [
    cell(words.aspects[line.aspect]),
    cell(words.lights[line.light], tone(lightTone(line.light), colors)),
    wrap(visibleText(words.swapReason(line.reason)), Math.max(20, width - nameWidth - lightWidth - 8)).map((text) => ({
      text,
    })),
  ]);
  const title = visibleText(words.swapTitle(card));
  return [
    `${colors.bold(cutToWidth(title, width - lightWidth - 2))}: ${light(colors.bold(words.lights[card.light]))}`,
    ...tableLines(rows, 2),
  ];
}

function checkLines(check: Check, { words, colors, width }: Page): string[] {
  const label = words.kinds[check.kind];
  const text = `${label}: ${visibleText(words.check(check))}`;
  return wrap(text, width - 2).map((line, index) =>
    index === 0 ? `  ${tone(verdictTone(check.kind), colors)(label)}${line.slice(label.length)}` : `  ${line}`,
  );
}

function verdictLines(word: string, sentence: string, colour: GateTone, { colors, width }: Page): string[] {
  const [first = "", ...rest] = wrap(`${word}: ${visibleText(sentence)}`, width);
  return [`${tone(colour, colors)(colors.bold(word))}${first.slice(word.length)}`, ...rest];
}

/** What shows that something was measured, in one line a run. */
function proofLines({ proof }: GateVerdict, { words, colors, width }: Page): string[] {
  const told = [proof.run, proof.baseline].flatMap((each, index) => {
    if (each === null) return [];
    const name = index === 0 ? words.titles.run : words.titles.baseline;
    const requests =
      each.requests === null ? "" : `, ${words.titles.requests} ${each.requests.answered}/${each.requests.sent}`;
    const targets = each.targets.map(({ name: target, server }) => `${target} (${server})`).join(", ");
    return wrap(
      visibleText(
        `${name} ${each.run}: ${each.measured}/${each.planned}${requests}, ${each.firstSentAt ?? "-"}, ${targets}`,
      ),
      width - 2,
    ).map((line) => colors.dim(`  ${line}`));
  });
  return told.length === 0 ? [] : ["", colors.bold(words.titles.proof), ...told];
}

function tone(which: GateTone, colors: Colors): (text: string) => string {
  switch (which) {
    case "good":
      return colors.green;
    case "bad":
      return colors.red;
    case "open":
      return colors.yellow;
  }
  return which satisfies never;
}
