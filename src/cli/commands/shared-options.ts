import { displayLanguages } from "../messages.ts";
import type { OptionSpec } from "../options.ts";

/** Options that several commands share, by name; each command picks what it understands. */
export const sharedOptions = {
  config: {
    kind: "text",
    group: "plan",
    describe: { en: "File with targets and defaults", ja: "対象と既定値を書いたファイル" },
    fallback: { en: "lab.yaml, where there is one", ja: "lab.yaml があればそれ" },
  },
  scenarios: {
    kind: "list",
    group: "plan",
    describe: {
      en: "Folder with further scenarios, suites and shapes",
      ja: "追加のシナリオ・スイート・シェイプのフォルダー",
    },
  },
  trials: {
    kind: "number",
    whole: true,
    min: 1,
    max: 100_000,
    group: "plan",
    describe: { en: "Repetitions of each cell", ja: "各セルの繰り返し回数" },
    fallback: "5",
  },
  seed: {
    kind: "text",
    group: "plan",
    describe: {
      en: "Text from which all trial seeds, nonces and orders follow",
      ja: "試行シード・ノンス・順序の元になる文字列",
    },
    fallback: { en: "random", ja: "ランダム" },
  },
  concurrency: {
    kind: "number",
    whole: true,
    min: 1,
    max: 1000,
    group: "connection",
    describe: { en: "Requests in flight at once", ja: "同時リクエスト数" },
    fallback: "4",
  },
  out: {
    kind: "text",
    group: "output",
    describe: {
      en: "Folder for run folders; when given, rendered reports go into the run folder too",
      ja: "実行結果を置くフォルダー。指定するとレポートも実行結果の中に書きます",
    },
    fallback: { en: "results, with reports in reports", ja: "results、レポートは reports" },
  },
  results: {
    kind: "text",
    group: "output",
    describe: { en: "Folder in which runs are looked up", ja: "実行結果を探すフォルダー" },
    fallback: "results",
  },
  lang: {
    kind: "choice",
    choices: displayLanguages,
    group: "output",
    describe: { en: "Language of messages and reports", ja: "メッセージとレポートの言語" },
    fallback: { en: "of the locale", ja: "ロケールに従う" },
  },
  quiet: {
    kind: "flag",
    group: "output",
    describe: { en: "No progress", ja: "進捗を表示しません" },
  },
  json: {
    kind: "flag",
    group: "output",
    describe: {
      en: "Exactly one JSON object on standard output",
      ja: "標準出力に JSON オブジェクトを 1 つだけ書きます",
    },
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;
