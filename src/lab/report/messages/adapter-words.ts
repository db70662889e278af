import type { Lang } from "./messages.ts";

/** What reports say of a measurement through the adapter, in one language. */
export interface AdapterWords {
  readonly title: string;
  readonly lead: string;
  readonly direct: string;
  readonly adapter: string;
  readonly all: string;
  readonly pairs: (pairs: number, scenarios: number) => string;
  /** Pairs in which only one of the two delivered. */
  readonly gainedLost: string;
  readonly gain: string;
  readonly points: (estimate: string, low: string, high: string) => string;
  readonly chance: (chance: string) => string;
  readonly unsafe: string;
  readonly upTo: (bound: string) => string;
  readonly added: string;
  readonly requests: string;
  readonly stage: string;
  readonly acted: string;
  readonly withIt: string;
  readonly withoutIt: string;
  readonly median: string;
  readonly slowest: string;
  readonly bytes: string;
  readonly decisions: string;
  readonly idle: (stages: string, ms: string) => string;
  readonly foot: string;
}

const english: AdapterWords = {
  title: "Through the adapter",
  lead: "Each question went to the server twice with the same seed: direct, and through the adapter.",
  direct: "direct",
  adapter: "adapter",
  all: "all",
  pairs: (pairs, scenarios) => `${pairs} pairs, ${scenarios} scenarios`,
  gainedLost: "gained / lost",
  gain: "difference",
  points: (estimate, low, high) => `${estimate} points (${low} to ${high})`,
  chance: (chance) => `chance ${chance}`,
  unsafe: "calls nobody may make",
  upTo: (bound) => `at most ${bound}`,
  added: "added, median",
  requests: "requests a sample",
  stage: "stage",
  acted: "acted in",
  withIt: "delivered there",
  withoutIt: "gain by it",
  median: "median",
  slowest: "slowest 1 %",
  bytes: "prompt bytes",
  decisions: "decisions",
  idle: (stages, ms) => `No part in it: ${stages} (${ms} together).`,
  foot: "“Gain by it” compares the adapter with the adapter without that stage (--ablate). Calls that nobody may make: under negative intent or tool_choice none, out of a quotation, or without any attempt of the model.",
};

const japanese: AdapterWords = {
  title: "アダプター経由",
  lead: "同じ質問を同じシードで、直接とアダプター経由の 2 通りで送りました。",
  direct: "直接",
  adapter: "アダプター",
  all: "合計",
  pairs: (pairs, scenarios) => `${pairs} 組、シナリオ ${scenarios} 件`,
  gainedLost: "改善 / 悪化",
  gain: "差",
  points: (estimate, low, high) => `${estimate} ポイント（${low}～${high}）`,
  chance: (chance) => `偶然の確率 ${chance}`,
  unsafe: "渡してはならない呼び出し",
  upTo: (bound) => `上限 ${bound}`,
  added: "追加時間（中央値）",
  requests: "1 サンプルの送信数",
  stage: "段階",
  acted: "作用した数",
  withIt: "そのうち到達",
  withoutIt: "段階の効果",
  median: "中央値",
  slowest: "遅い 1 %",
  bytes: "プロンプトのバイト数",
  decisions: "判断",
  idle: (stages, ms) => `作用しなかった段階: ${stages}（合計 ${ms}）`,
  foot: "「段階の効果」は、その段階を外したアダプター（--ablate）との比較です。渡してはならない呼び出しとは、しないよう求められた場合や tool_choice が none の場合の呼び出し、引用から作られた呼び出し、モデルが試みていない呼び出しです。",
};

/** The words in a report's language. */
export function adapterWordsFor(lang: Lang): AdapterWords {
  return lang === "ja" ? japanese : english;
}
