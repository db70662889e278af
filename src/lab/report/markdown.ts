import {
  type AdapterView,
  adapterViews,
  boundedCount,
  gainedLost,
  gainWords,
  signedBytes,
  stageTime,
} from "./adapter-view.ts";
import { plainView, tallyNotes } from "./cell-words.ts";
import { choiceMarkdown } from "./choice.ts";
import { gateMarkdown, swapCardMarkdown } from "./gate/markdown.ts";
import { fitted, folded, markdownText, table } from "./gate/markdown-text.ts";
import { adapterWordsFor } from "./messages/adapter-words.ts";
import { diagnosisSentence, messagesFor } from "./messages/catalogue.ts";
import type { Messages } from "./messages/messages.ts";
import type { ReportModel, TargetView } from "./model.ts";
import { fraction, interval } from "./numbers.ts";
import { type ProbesView, seenWords, tokenWords } from "./probe-tables.ts";
import type { RenderOptions, Report } from "./report.ts";
import type { ArmCell, ArmsView, MatrixView } from "./tables.ts";
import type { CellView } from "./tally.ts";

/** A comment on a pull request may have 65,536 characters; some room is left for what else stands in it. */
export const markdownLimit = 60_000;

/** A summary for a pull request: the gate's word where there is one, diagnoses, tables; details folded, at most 60 KB. */
export const markdownReport = {
  name: "md",
  fileName: "summary.md",
  describe: "a summary for a pull request, details folded, at most 60 KB",
  async *render(model: ReportModel, { lang }: RenderOptions) {
    const messages = messagesFor(lang);
    const { summary, record, verdict, swaps } = model;
    const parts = [
      ...(verdict === null ? [] : gateMarkdown(verdict, lang)),
      `## harness-lab: ${messages.words.run} <code>${markdownText(record.run)}</code>`,
      messages.words.samplesMeasured(summary.measured, summary.planned),
      ...(model.choice === null ? [] : [choiceMarkdown(model.choice, messages, markdownText)]),
      ...swaps.map((card) => swapCardMarkdown(card, lang)),
      ...model.targets.flatMap((target) => targetParts(target, messages)),
      ...adapterViews(model.summary).flatMap((view) => adapterMarkdown(view, messages)),
      ...model.targets.flatMap((target) => foldedTables(target, messages)),
      ...model.targets.flatMap((target) => probeTables(target, messages)),
      messages.words.howToRead,
    ];
    yield fitted(parts, markdownLimit, `… ${messages.words.leftOutMarkdown}`);
  },
} as const satisfies Report;

function targetParts(target: TargetView, messages: Messages): readonly string[] {
  const { words } = messages;
  const matrices = target.tables.filter((each): each is MatrixView => each.kind === "matrix");
  return [
    `### ${markdownText(target.name)}`,
    ...(target.unmet === null ? [] : [`${words.unmet}: ${markdownText(target.unmet)}`]),
    target.diagnoses.length === 0
      ? markdownText(messages.noDiagnosis(target.measured, target.planned))
      : target.diagnoses
          .map(
            ({ diagnosis, facts }) =>
              `- **${messages.owners[diagnosis.owner]}**: ${markdownText(diagnosisSentence(facts, messages))}`,
          )
          .join("\n"),
    ...(target.unmet === null ? matrices.map((matrix) => matrixTable(matrix, messages)) : []),
  ];
}

/** Routes side by side, and the stages that did something. */
function adapterMarkdown(view: AdapterView, { lang }: Messages): readonly string[] {
  const words = adapterWordsFor(lang);
  const { direct, adapter } = view;
  const { beside } = adapter;
  const rate = (of: AdapterView["direct"]): string => `${fraction(of.delivered)} (${interval(of.delivered) ?? "-"})`;
  const gain = beside === null ? null : gainWords(beside, words);
  return [
    `### ${words.title}: ${markdownText(view.target)}`,
    table(
      ["", words.direct, words.adapter],
      [
        [words.all, rate(direct), rate(adapter)],
        ...(beside === null ? [] : [[words.gainedLost, "", gainedLost(beside)]]),
        ...(gain === null ? [] : [[words.gain, "", gain.join(", ")]]),
        [words.unsafe, boundedCount(direct.unsafe, words), boundedCount(adapter.unsafe, words)],
        [words.added, "", stageTime(adapter.addedMs)],
      ],
    ),
    ...(view.stages.length === 0
      ? []
      : [
          table(
            [words.stage, words.acted, words.withIt, words.direct, words.withoutIt, words.median, words.bytes],
            view.stages.map((stage) => [
              markdownText(stage.stage),
              String(stage.acted),
              fraction(stage.delivered),
              fraction(stage.deliveredDirect),
              stage.ablation === null ? "-" : gainedLost(stage.ablation),
              stageTime(stage.medianMs),
              signedBytes(stage.meanBytes),
            ]),
          ),
        ]),
  ];
}

function matrixTable(view: MatrixView, messages: Messages): string {
  return table(
    [
      `${markdownText(view.suite)}${view.shape === "small" ? "" : ` / ${messages.shapes[view.shape]}`}`,
      ...view.contracts.map((contract) => messages.contracts[contract]),
    ],
    view.rows.map((row) => [
      messages.classes[row.class],
      ...view.contracts.map((contract) => cellText(row.cells[contract], messages)),
    ]),
    false,
  );
}

function foldedTables(target: TargetView, messages: Messages): readonly string[] {
  if (target.unmet !== null) return [];
  return target.tables
    .filter((each): each is ArmsView => each.kind === "arms")
    .map((view) => {
      const arm = (cell: ArmCell | null) => (cell === null ? "-" : armText(cell, messages));
      return folded(
        `${markdownText(target.name)}: ${markdownText(view.suite)}`,
        table(
          [messages.words.arm, messages.words.wholeLong, messages.words.streamedLong],
          view.rows.map((row) => [
            `${markdownText(row.arm)}${row.irrelevant ? `, ${messages.classes.irrelevant}` : ""}`,
            arm(row.whole),
            arm(row.streamed),
          ]),
          false,
        ),
      );
    });
}

function probeTables(target: TargetView, messages: Messages): readonly string[] {
  if (target.unmet !== null) return [];
  const { words } = messages;
  return target.tables
    .filter((each): each is ProbesView => each.kind === "probes")
    .map((view) =>
      folded(
        `${markdownText(target.name)}: ${markdownText(view.suite)}`,
        table(
          [words.arm, words.passed, words.seen, words.promptTokens],
          view.rows.map((row) => [
            markdownText(row.label),
            cellText(row.view, messages),
            markdownText(seenWords(row, messages).join(", ")),
            tokenWords(row),
          ]),
          false,
        ),
      ),
    );
}

function armText({ view, outcomes }: ArmCell, messages: Messages): string {
  const counts = [...outcomes]
    .filter(([outcome]) => outcome !== "delivered")
    .map(([outcome, count]) => messages.words.counted(count, messages.outcomes[outcome]));
  return [cellText(view, messages), ...counts].join(", ");
}

function cellText(view: CellView, messages: Messages): string {
  if (view.kind !== "rated") return plainView(view, messages);
  const { delivered } = view.tally;
  return [`**${fraction(delivered)}** ${interval(delivered) ?? ""}`.trim(), ...tallyNotes(view, messages)].join(", ");
}
