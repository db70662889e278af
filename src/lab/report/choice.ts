import type { Candidate, Exclusion, ModelChoice } from "../gate/choose-model.ts";
import type { Rate } from "../stats/summary.ts";
import type { Colors } from "./console/colors.ts";
import { cell, tableLines } from "./console/table.ts";
import { columns, wrap } from "./console/terminal-layout.ts";
import { table } from "./gate/markdown-text.ts";
import { html, type SafeHtml } from "./html/escape.ts";
import type { Lang, Messages } from "./messages/messages.ts";
import { fraction, interval } from "./numbers.ts";
import { oneLineOption, visibleText } from "./terminal-text.ts";

interface ChoiceWords {
  readonly title: string;
  readonly lead: (minContext: number | null) => string;
  readonly head: readonly [string, string, string, string, string, string];
  readonly out: string;
  exclusion(exclusion: Exclusion, messages: Messages): string;
}

const whats = {
  en: { tools: "tools", context: "the context", language: "Japanese" },
  ja: { tools: "ツール", context: "コンテキスト", language: "日本語" },
} as const;

const english: ChoiceWords = {
  title: "Which model to take",
  lead: (minContext) =>
    `First tools${minContext === null ? "" : `, then a context of ${minContext} tokens`}, then Japanese. What is out is out for the first reason that holds.`,
  head: ["rank", "model", "calls", "context", "Japanese", "why out"],
  out: "out",
  exclusion: (exclusion, messages) => {
    switch (exclusion.kind) {
      case "not_met":
        return exclusion.line;
      case "tools_refused":
        return "the server refuses tools for it";
      case "tools_not_in_prompt":
        return "tools never reach its prompt";
      case "no_call_came":
        return `none of ${exclusion.of} calls came through${because(exclusion, messages)}`;
      case "context_too_small":
        return `its context holds ${exclusion.tokens} tokens, ${exclusion.minimum} are needed`;
      case "context_cut":
        return `a prompt of ${exclusion.minimum} tokens is cut without a word`;
      case "context_refused":
        return `a prompt of ${exclusion.minimum} tokens is refused`;
      case "not_measured":
        return `${whats.en[exclusion.what]} could not be measured`;
    }
    return exclusion satisfies never;
  },
};

const japanese: ChoiceWords = {
  title: "モデルの選択",
  lead: (minContext) =>
    `ツール${minContext === null ? "" : `、${minContext} トークンのコンテキスト`}、日本語の順に見ます。対象外の理由は、最初に当てはまったものです。`,
  head: ["順位", "モデル", "呼び出し", "コンテキスト", "日本語", "対象外の理由"],
  out: "対象外",
  exclusion: (exclusion, messages) => {
    switch (exclusion.kind) {
      case "not_met":
        return exclusion.line;
      case "tools_refused":
        return "サーバーがツールを拒否";
      case "tools_not_in_prompt":
        return "ツールがプロンプトに入らない";
      case "no_call_came":
        return `${exclusion.of} 件中、届いた呼び出しは 0 件${because(exclusion, messages)}`;
      case "context_too_small":
        return `コンテキストは ${exclusion.tokens} トークンで、必要な ${exclusion.minimum} に足りない`;
      case "context_cut":
        return `${exclusion.minimum} トークンのプロンプトが警告なく切り詰められる`;
      case "context_refused":
        return `${exclusion.minimum} トークンのプロンプトが拒否される`;
      case "not_measured":
        return `${whats.ja[exclusion.what]}を測定できなかった`;
    }
    return exclusion satisfies never;
  },
};

const catalogue: Readonly<Record<Lang, ChoiceWords>> = { en: english, ja: japanese };

/** A model that only its harness keeps from calling is worth a second look. */
function because({ diagnosis }: Exclusion & { readonly kind: "no_call_came" }, messages: Messages): string {
  if (diagnosis === null) return "";
  const fix = diagnosis.fix === null ? "" : `: ${oneLineOption(diagnosis.fix.option)}`;
  return messages.lang === "ja"
    ? `（${messages.diagnosisTitles[diagnosis.code]}${fix}）`
    : ` (${messages.diagnosisTitles[diagnosis.code]}${fix})`;
}

function rowOf(candidate: Candidate, words: ChoiceWords, messages: Messages): readonly string[] {
  const { rank, target, exclusion, contextLength } = candidate;
  return [
    rank === null ? words.out : String(rank),
    target,
    rateText(candidate.calls),
    contextLength === null ? "?" : String(contextLength),
    rateText(candidate.japanese),
    exclusion === null ? "" : words.exclusion(exclusion, messages),
  ];
}

function rateText(rate: Rate | null): string {
  return rate === null ? "-" : `${fraction(rate)} ${interval(rate) ?? ""}`.trim();
}

/** The choice in a terminal. */
export function choiceConsole(choice: ModelChoice, messages: Messages, colors: Colors, width: number): string[] {
  const words = catalogue[messages.lang];
  const rows = choice.candidates.map((each) => rowOf(each, words, messages).map(visibleText));
  const reasons = rows.flatMap(([, name = "", , , , why = ""]) =>
    why === "" ? [] : wrap(`${name}: ${why}`, width - 2).map((line) => `  ${line}`),
  );
  const fits = rows.map((row) => row.slice(0, 5));
  return [
    colors.bold(words.title),
    ...wrap(words.lead(choice.minContext), width - 2).map((line) => colors.dim(`  ${line}`)),
    ...tableLines(
      [
        words.head.slice(0, 5).map((text) => cell(text, colors.dim)),
        ...fits.map((row) => row.map((text) => cell(text))),
      ],
      2,
    ).map((line) => (columns(line) > width ? line.trimEnd() : line)),
    ...(reasons.length === 0 ? [] : [colors.dim(`  ${words.head[5]}`), ...reasons]),
  ];
}

/** The choice in a page. */
export function choiceSection(choice: ModelChoice | null, messages: Messages): SafeHtml {
  if (choice === null) return html``;
  const words = catalogue[messages.lang];
  return html`<section id="choice"><h2>${words.title}</h2><p class="lead">${words.lead(choice.minContext)}</p>
<div class="scroll"><table class="plain-table"><thead><tr>${words.head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${choice.candidates.map((each) => html`<tr>${rowOf(each, words, messages).map((text) => html`<td>${text}</td>`)}</tr>`)}</tbody></table></div></section>
`;
}

/** The choice in Markdown; `safe` makes a text safe there. */
export function choiceMarkdown(choice: ModelChoice, messages: Messages, safe: (text: string) => string): string {
  const words = catalogue[messages.lang];
  return [
    `### ${words.title}`,
    words.lead(choice.minContext),
    table(
      words.head,
      choice.candidates.map((each) => rowOf(each, words, messages).map(safe)),
      false,
    ),
  ].join("\n\n");
}
