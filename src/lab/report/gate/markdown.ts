import type { SwapCard } from "../../gate/swap-card.ts";
import type { Check, ComparisonView, GateVerdict } from "../../gate/verdict.ts";
import { type GateWords, verdictSentence } from "../../gate/words/gate-words.ts";
import { messagesFor } from "../messages/catalogue.ts";
import type { Lang } from "../messages/messages.ts";
import { folded, markdownText, table } from "./markdown-text.ts";
import {
  caseRow,
  flowText,
  type GateTone,
  gateWordsFor,
  lightTone,
  lineRow,
  severalTargets,
  verdictTone,
} from "./rows.ts";

/** Rows of a folded table; a pull request is no archive. */
const shownRows = 60;

/** A gate's verdict for a pull request, its parts in order of importance: the word first, details folded. */
export function gateMarkdown(verdict: GateVerdict, lang: Lang): readonly string[] {
  const words = gateWordsFor(lang);
  const { titles } = words;
  const { comparison, baseline } = verdict;
  const troubled = verdict.checks.filter((check) => check.kind !== "pass");
  return [
    `## ${sign(verdictTone(verdict.kind))} ${titles.gate}: ${words.kinds[verdict.kind]}`,
    markdownText(verdictSentence(verdict, words)),
    baseline === null
      ? `${titles.run} ${code(verdict.run)}`
      : `${titles.run} ${code(verdict.run)}, ${titles.baseline} ${code(baseline.name)} (${code(baseline.run)})`,
    ...(comparison === null ? [] : comparisonParts(comparison, lang)),
    ...(troubled.length < 2 ? [] : [folded(`${titles.checks} (${troubled.length})`, checkList(troubled, words))]),
    ...(comparison === null ? [] : comparisonDetails(comparison, lang)),
    folded(`${titles.checks} (${verdict.checks.length})`, checkList(verdict.checks, words)),
    folded(titles.proof, proofTable(verdict, words)),
  ];
}

/** Two runs side by side as Markdown, in order of importance. */
export function comparisonMarkdown(view: ComparisonView, lang: Lang): readonly string[] {
  const words = gateWordsFor(lang);
  return [
    `## ${words.titles.comparison}: ${markdownText(view.before.name)} → ${markdownText(view.after.name)}`,
    ...(view.problems.length === 0 ? [] : [checkList(view.problems, words)]),
    ...comparisonParts(view, lang),
    ...comparisonDetails(view, lang),
  ];
}

/** A swap card as Markdown. */
export function swapCardMarkdown(card: SwapCard, lang: Lang): string {
  const words = gateWordsFor(lang);
  const rows = card.lines.map((line) => [
    words.aspects[line.aspect],
    `${sign(lightTone(line.light))} ${words.lights[line.light]}`,
    markdownText(words.swapReason(line.reason)),
  ]);
  return [
    `### ${sign(lightTone(card.light))} ${markdownText(words.swapTitle(card))}: ${words.lights[card.light]}`,
    table(["", "", words.titles.reason], rows, false),
  ].join("\n\n");
}

function comparisonParts(view: ComparisonView, lang: Lang): readonly string[] {
  const words = gateWordsFor(lang);
  const { titles } = words;
  const several = severalTargets(view.lines);
  const rows = view.lines.map((line) => lineRow(line, words, several));
  const head = [titles.line, titles.before, titles.after, titles.change, titles.chance, titles.leftOpen];
  return [
    ...view.cards.map((card) => swapCardMarkdown(card, lang)),
    rows.length === 0
      ? titles.nothingCompared
      : table(
          head,
          rows
            .slice(0, shownRows)
            .map((row) => [markdownText(row.name), row.before, row.after, row.change, entity(row.chance), row.open]),
        ),
  ];
}

function comparisonDetails(view: ComparisonView, lang: Lang): readonly string[] {
  const words = gateWordsFor(lang);
  const messages = messagesFor(lang);
  const { titles } = words;
  const several = severalTargets(view.lines);
  const rows = view.lines.map((line) => lineRow(line, words, several));
  const flows = view.lines.flatMap((line, index) => {
    const text = flowText(line, messages);
    return text === null ? [] : [`- ${markdownText(rows[index]?.name ?? "")}: ${markdownText(text)}`];
  });
  const cases = view.cases.slice(0, shownRows).map((each) => caseRow(each, several, messages.words.streamed));
  return [
    ...(view.notes.length === 0
      ? []
      : [folded(titles.notes, view.notes.map((note) => `- ${markdownText(words.note(note))}`).join("\n"))]),
    ...(view.lines.length === 0
      ? []
      : [folded(titles.flows, flows.length === 0 ? titles.noFlow : flows.slice(0, shownRows).join("\n"))]),
    ...(cases.length === 0
      ? []
      : [
          folded(
            `${titles.cases} (${view.cases.length}/${view.casesCompared})`,
            table(
              [titles.case, titles.before, titles.after, `Fisher`, `Holm`],
              cases.map((row) => [
                markdownText(row.name),
                row.before,
                row.after,
                entity(row.fisher),
                entity(row.adjusted),
              ]),
            ),
          ),
        ]),
    ...(rows.length === 0
      ? []
      : [
          folded(
            titles.details,
            `${titles.howToRead}\n\n${table(
              [titles.line, titles.detectable, titles.scenarios],
              rows.slice(0, shownRows).map((row) => [markdownText(row.name), row.detectable, row.scenarios]),
            )}`,
          ),
        ]),
  ];
}

function checkList(checks: readonly Check[], words: GateWords): string {
  const shown = checks.slice(0, shownRows);
  return [
    ...shown.map(
      (check) =>
        `- ${sign(verdictTone(check.kind))} **${words.kinds[check.kind]}**: ${markdownText(words.check(check))}`,
    ),
    ...(checks.length > shown.length ? [`- …${words.more(checks.length - shown.length)}`] : []),
  ].join("\n");
}

function proofTable({ proof }: GateVerdict, { titles }: GateWords): string {
  const rows = [proof.run, proof.baseline].flatMap((each, index) =>
    each === null
      ? []
      : [
          [
            `${index === 0 ? titles.run : titles.baseline} ${code(each.run)}`,
            `${each.measured}/${each.planned}`,
            each.requests === null ? "-" : `${each.requests.answered}/${each.requests.sent}`,
            `${each.firstSentAt ?? "-"} – ${each.lastSentAt ?? "-"}`,
            each.targets
              .map(
                ({ name, server, identity }) =>
                  `${markdownText(name)}, ${markdownText(server)}: ${code(JSON.stringify(identity))}`,
              )
              .join("<br>"),
          ],
        ],
  );
  return table([titles.run, titles.delivered, titles.requests, "", titles.fingerprint], rows, false);
}

/** A name in the type of a machine, whatever it holds. */
function code(text: string): string {
  return `<code>${markdownText(text)}</code>`;
}

function entity(text: string): string {
  return text.replace("<", "&lt;");
}

function sign(tone: GateTone): string {
  return { good: "✅", bad: "❌", open: "⚠️" }[tone];
}
