import { adapterViews } from "./adapter-view.ts";
import { choiceConsole } from "./choice.ts";
import { adapterLines } from "./console/adapter-table.ts";
import { armsLines } from "./console/arms-table.ts";
import { type Colors, createColors } from "./console/colors.ts";
import { matrixLines } from "./console/matrix-table.ts";
import { probesLines } from "./console/probes-table.ts";
import { quoteLine } from "./console/quote-line.ts";
import { cell, type TableCell, tableLines } from "./console/table.ts";
import { columns, cutToWidth, pad, wrap } from "./console/terminal-layout.ts";
import { type DiagnosisView, type Tone, toneOf } from "./diagnosis-view.ts";
import { swapCardConsole } from "./gate/console.ts";
import { diagnosisSentence, messagesFor } from "./messages/catalogue.ts";
import type { Messages } from "./messages/messages.ts";
import type { ReportModel, TargetView } from "./model.ts";
import { quoteName, reasonName, serverName } from "./names.ts";
import type { RenderOptions, Report } from "./report.ts";
import type { TableView } from "./tables.ts";
import { oneLineOption, visibleText } from "./terminal-text.ts";

const shownIds = 3;
const narrowest = 60;

/** The run in a terminal: per target what happened, the contract matrix, where the calls went, replies worth reading. */
export const consoleReport = {
  name: "console",
  fileName: "report.txt",
  describe: "the tables and diagnoses for a terminal, 80 columns",
  async *render(model: ReportModel, options: RenderOptions) {
    yield `${consoleLines(model, options).join("\n")}\n`;
  },
} as const satisfies Report;

function consoleLines(model: ReportModel, options: RenderOptions): string[] {
  const messages = messagesFor(options.lang);
  const colors = createColors(options.colour);
  const width = Math.max(narrowest, options.width);
  return [
    heading(model, messages, colors, width),
    ...model.targets.flatMap((target) => ["", ...targetLines(target, messages, colors, width)]),
    ...adapterViews(model.summary).flatMap((view) => ["", ...adapterLines(view, messages, colors, width)]),
    ...model.swaps.flatMap((card) => ["", ...swapCardConsole(card, options).trimEnd().split("\n")]),
    ...exclusionLines(model, messages, colors, width),
    ...closingLines(model, messages, colors, width),
    ...(model.choice === null ? [] : ["", ...choiceConsole(model.choice, messages, colors, width)]),
    "",
    ...wrap(messages.words.howToRead, width).map(colors.dim),
  ];
}

function heading({ record, summary }: ReportModel, messages: Messages, colors: Colors, width: number): string {
  const left = `harness-lab  ${messages.words.run} ${visibleText(record.run)}`;
  const right = messages.words.samplesMeasured(summary.measured, summary.planned);
  const gap = width - columns(left) - columns(right);
  return gap < 2 ? `${colors.bold(left)}\n${right}` : `${colors.bold(left)}${" ".repeat(gap)}${colors.dim(right)}`;
}

function targetLines(target: TargetView, messages: Messages, colors: Colors, width: number): string[] {
  const lines = [
    colors.bold(cutToWidth(visibleText(target.name), width)),
    ...identityLines(target, messages, colors, width),
  ];
  // Tables of a target that nobody could ask would only repeat that.
  for (const table of target.unmet === null ? target.tables : []) {
    lines.push("");
    lines.push(...oneTable(table, messages, colors, width));
  }
  lines.push("", ...diagnosisLines(target, messages, colors, width));
  if (target.quotes.length > 0) {
    lines.push("", `  ${colors.bold(messages.words.replies)}`);
    for (const quote of target.quotes) {
      lines.push(...headAndId(quoteName(quote.kind, messages), visibleText(quote.id), colors, width));
      lines.push(`    ${quoteLine(quote, width - 4, colors)}`);
    }
  }
  return lines;
}

function oneTable(table: TableView, messages: Messages, colors: Colors, width: number): readonly string[] {
  switch (table.kind) {
    case "matrix":
      return matrixLines(table, messages, colors, width);
    case "arms":
      return armsLines(table, messages, colors, width);
    case "probes":
      return probesLines(table, messages, colors, width);
  }
  return table satisfies never;
}

/** A label with an id behind it, or below it where the line is too short. Ids are never broken: they could not be copied. */
function headAndId(label: string, id: string, colors: Colors, width: number): string[] {
  if (columns(label) + columns(id) + 4 <= width) return [`  ${label}  ${colors.dim(id)}`];
  return [`  ${label}`, `    ${colors.dim(id)}`];
}

function identityLines({ record, unmet }: TargetView, messages: Messages, colors: Colors, width: number): string[] {
  if (unmet !== null)
    return wrap(`${messages.words.unmet}: ${visibleText(unmet)}`, width - 2).map((line) => `  ${colors.red(line)}`);
  if (record === null) return [];
  const { facts } = record;
  const server = [serverName(facts.kind, messages), facts.version].filter((part) => part !== null).join(" ");
  const text = [
    `${visibleText(record.model)} / ${visibleText(server)} / ${visibleText(record.baseUrl)}`,
    `${messages.words.parser}: ${visibleText(messages.parserState(facts.toolParser))}`,
  ].join(", ");
  return wrap(text, width - 2).map((line) => colors.dim(`  ${line}`));
}

function diagnosisLines(target: TargetView, messages: Messages, colors: Colors, width: number): string[] {
  if (target.diagnoses.length === 0) {
    return wrap(messages.noDiagnosis(target.measured, target.planned), width - 2).map((line) => `  ${line}`);
  }
  return target.diagnoses.flatMap((view, index) => [
    ...(index === 0 ? [] : [""]),
    ...oneDiagnosis(view, messages, colors, width),
  ]);
}

/** The owner in colour, then the whole sentence: what happened, how often, what mends it. */
function oneDiagnosis(
  { diagnosis, facts }: DiagnosisView,
  messages: Messages,
  colors: Colors,
  width: number,
): string[] {
  const tone = toneColour(toneOf(diagnosis.owner), colors);
  const label = `[${messages.owners[diagnosis.owner]}${diagnosis.route === "direct" ? "" : `, ${visibleText(diagnosis.route)}`}]`;
  const { fix } = facts;
  const shown = fix === null ? facts : { ...facts, fix: { ...fix, option: oneLineOption(fix.option) } };
  const [first = "", ...rest] = wrap(`${label} ${visibleText(diagnosisSentence(shown, messages))}`, width - 2);
  return [
    `  ${tone(colors.bold(label))}${first.slice(label.length)}`,
    ...rest.map((line) => `  ${line}`),
    ...sampleLines(diagnosis.samples, messages, width).map((line) => `    ${colors.dim(line)}`),
  ];
}

/** A few sample ids, whole, so that they can be copied; each on a line of its own where they are long. */
function sampleLines(ids: readonly string[], messages: Messages, width: number): string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, shownIds).map(visibleText);
  const more = ids.length > shownIds ? [messages.words.more(ids.length - shownIds)] : [];
  const line = `${messages.words.evidence}: ${[...shown, ...more].join(", ")}`;
  if (columns(line) <= width - 4) return [line];
  return [`${messages.words.evidence}:`, ...[...shown, ...more].map((text) => `  ${text}`)];
}

/** One line a target at the end, where a terminal comes to rest: whose fault it is, and what mends it. */
function closingLines({ targets }: ReportModel, messages: Messages, colors: Colors, width: number): string[] {
  if (targets.length < 2) return [];
  const named = targets.map((target) => {
    const [lead] = target.diagnoses;
    if (lead === undefined)
      return {
        target: cell(visibleText(target.name)),
        owner: cell("-", colors.dim),
        title: messages.words.noDiagnosisShort,
        fix: null,
        style: colors.dim,
      };
    const { diagnosis } = lead;
    const tone = toneColour(toneOf(diagnosis.owner), colors);
    return {
      target: cell(visibleText(target.name)),
      owner: cell(messages.owners[diagnosis.owner], tone),
      title: messages.diagnosisTitles[diagnosis.code],
      fix: diagnosis.fix === null ? null : `${messages.words.fix}: ${oneLineOption(diagnosis.fix.option)}`,
      style: undefined,
    };
  });
  const widest = (cells: readonly TableCell[]): number => Math.max(...cells.flat().map(({ text }) => columns(text)));
  const room = width - 6 - widest(named.map(({ target }) => target)) - widest(named.map(({ owner }) => owner));
  const rows = named.map(({ target, owner, title, fix, style }) => [
    target,
    owner,
    [
      ...wrap(title, Math.max(24, room)).map((text) => ({ text, style })),
      // An option is to be copied, and stays in one piece.
      ...(fix === null ? [] : [{ text: fix }]),
    ],
  ]);
  return ["", colors.bold(messages.words.verdict), ...tableLines(rows, 2)];
}

function exclusionLines(
  { exclusions, summary }: ReportModel,
  messages: Messages,
  colors: Colors,
  width: number,
): string[] {
  if (exclusions.length === 0) return [];
  const byReason = new Map<string, { count: number; detail: string }>();
  for (const { reason, detail } of exclusions) {
    const seen = byReason.get(reason);
    byReason.set(reason, { count: (seen?.count ?? 0) + 1, detail: seen?.detail ?? detail });
  }
  return [
    "",
    colors.bold(messages.words.exclusions),
    ...wrap(messages.words.exclusionsLead(exclusions.length, summary.planned), width - 2).map((line) => `  ${line}`),
    ...[...byReason].map(([reason, { count, detail }]) => {
      const name = visibleText(reasonName(reason, messages));
      // Why a target could not be met is said with the target.
      const text = reason === "target_not_met" || detail === "" ? name : `${name}: ${visibleText(detail)}`;
      return `  ${cutToWidth(`${pad(String(count), 3, "left")}  ${text}`, width - 2)}`;
    }),
  ];
}

function toneColour(tone: Tone, colors: Colors): (text: string) => string {
  switch (tone) {
    case "harness":
      return colors.yellow;
    case "model":
      return colors.magenta;
    case "setting":
      return colors.cyan;
    case "good":
      return colors.green;
  }
  return tone satisfies never;
}
