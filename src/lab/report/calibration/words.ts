import type { ConformanceOutcome } from "../../../protocol/known-truth.ts";
import type { AskedWord } from "../../calibration/calibration.ts";
import type { Lang } from "../messages/messages.ts";

/** The questions whose answers stand beside the matrix. */
export const behaviours = [
  "required_without_call",
  "named_without_call",
  "none_with_call",
  "parallel_tool_calls",
  "max_tokens",
  "undeclared",
  "broken",
] as const;
export type Behaviour = (typeof behaviours)[number];

/** What the reports of a calibration say that is not data. */
export interface CalibrationWords {
  readonly title: string;
  readonly lead: string;
  readonly format: string;
  readonly marker: string;
  readonly text: string;
  readonly question: string;
  readonly whole: string;
  readonly streamed: string;
  readonly setUp: string;
  readonly samples: string;
  readonly distinct: string;
  readonly axis: string;
  readonly owner: string;
  readonly findings: string;
  readonly all: string;
  readonly accuracyTitle: string;
  readonly accuracyLead: string;
  readonly howToRead: string;
  readonly startedWith: string;
  readonly asked: Readonly<Record<AskedWord, string>>;
  readonly outcomes: Readonly<Record<ConformanceOutcome, string>>;
  readonly behaviours: Readonly<Record<Behaviour, string>>;
  streamDifferences(count: number, of: number, scripts: readonly string[]): string;
  calls(count: number): string;
  misses(count: number): string;
  miss(axis: string | null, owner: string | null, findings: string | null): string;
  judgedInstead(judged: string, right: string): string;
  none: string;
}

const english: CalibrationWords = {
  title: "What the server makes of what models write",
  lead: "A scripted model wrote each format; this came back.",
  format: "format",
  marker: "marker {{…}}",
  text: "plain answer",
  question: "asked",
  whole: "whole",
  streamed: "streamed",
  setUp: "set-up",
  samples: "samples",
  distinct: "distinct",
  axis: "axis",
  owner: "owner",
  findings: "findings",
  all: "all",
  accuracyTitle: "How often the lab was right",
  accuracyLead: "Every sample beside what the script and the server's bytes say.",
  howToRead: "A pair is whole / streamed.",
  startedWith: "Started with",
  asked: { auto: "auto", required: "required", named: "named", none: "none", no_tools: "no tools" },
  outcomes: {
    call: "call",
    leaked: "leaked",
    swallowed: "swallowed",
    mangled: "mangled",
    forced: "forced call",
    quoted: "quotation called",
    reasoning: "in reasoning",
    text: "text",
    lost_text: "text lost",
    refused: "refused",
    error: "error",
  },
  behaviours: {
    required_without_call: "required, and the model answers in words",
    named_without_call: "a named tool, and the model answers in words",
    none_with_call: "none, and the model calls",
    parallel_tool_calls: "parallel_tool_calls: false, and the model calls twice",
    max_tokens: "max_tokens ends inside a call",
    undeclared: "a call of a tool that was not offered",
    broken: "a call with broken arguments",
  },
  streamDifferences: (count, of, scripts) =>
    count === 0
      ? `Streamed and whole replies agree for all ${of} scripts under auto.`
      : `Streamed and whole replies differ for ${count} of ${of} scripts under auto: ${scripts.join(", ")}.`,
  calls: (count) => `${count} ${count === 1 ? "call" : "calls"}`,
  misses: (count) => (count === 0 ? "No misses." : `${count} ${count === 1 ? "miss" : "misses"}:`),
  miss: (axis, owner, findings) =>
    [
      axis === null ? null : `axis ${axis}`,
      owner === null ? null : `owner ${owner}`,
      findings === null ? null : `findings ${findings}`,
    ]
      .filter((part) => part !== null)
      .join("; "),
  judgedInstead: (judged, right) => `${judged}, is ${right}`,
  none: "none",
};

const japanese: CalibrationWords = {
  title: "モデルの出力をサーバーがどう扱うか",
  lead: "台本どおりに書くモデルが各形式を出力し、次の結果が返りました。",
  format: "形式",
  marker: "マーカー {{…}}",
  text: "普通の回答",
  question: "条件",
  whole: "一括",
  streamed: "ストリーム",
  setUp: "構成",
  samples: "サンプル",
  distinct: "異なるもの",
  axis: "分類",
  owner: "責任",
  findings: "所見",
  all: "全体",
  accuracyTitle: "ラボの判定の正しさ",
  accuracyLead: "各サンプルを、台本とサーバーの応答バイトから分かる事実と比べました。",
  howToRead: "2 つ並ぶ場合は 一括 / ストリーム です。",
  startedWith: "起動コマンド",
  asked: { auto: "auto", required: "required", named: "名前指定", none: "none", no_tools: "ツールなし" },
  outcomes: {
    call: "呼び出し",
    leaked: "漏れ",
    swallowed: "消失",
    mangled: "変形",
    forced: "強制呼び出し",
    quoted: "引用を実行",
    reasoning: "思考内",
    text: "テキスト",
    lost_text: "テキスト消失",
    refused: "拒否",
    error: "エラー",
  },
  behaviours: {
    required_without_call: "required でモデルが言葉で答えた場合",
    named_without_call: "ツール名指定でモデルが言葉で答えた場合",
    none_with_call: "none でモデルが呼び出した場合",
    parallel_tool_calls: "parallel_tool_calls: false でモデルが 2 回呼び出した場合",
    max_tokens: "呼び出しの途中で max_tokens に達した場合",
    undeclared: "宣言されていないツールの呼び出し",
    broken: "引数が壊れた呼び出し",
  },
  streamDifferences: (count, of, scripts) =>
    count === 0
      ? `auto では ${of} 件の台本すべてで一括とストリームの結果が同じです。`
      : `auto では ${of} 件の台本のうち ${count} 件で一括とストリームの結果が異なります: ${scripts.join("、")}`,
  calls: (count) => `呼び出し ${count} 件`,
  misses: (count) => (count === 0 ? "誤判定はありません。" : `誤判定 ${count} 件:`),
  miss: (axis, owner, findings) =>
    [
      axis === null ? null : `分類 ${axis}`,
      owner === null ? null : `責任 ${owner}`,
      findings === null ? null : `所見 ${findings}`,
    ]
      .filter((part) => part !== null)
      .join("、"),
  judgedInstead: (judged, right) => `${judged}(正しくは ${right})`,
  none: "なし",
};

/** The words of a calibration in one language. */
export function calibrationWords(lang: Lang): CalibrationWords {
  return lang === "ja" ? japanese : english;
}
