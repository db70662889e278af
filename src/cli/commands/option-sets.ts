import { serverKinds } from "../../protocol/servers/server.ts";
import { displayLanguages } from "../messages.ts";
import type { OptionSpec } from "../options.ts";

/** Options that several commands share, by name; each command picks what it understands. */
const sharedOptions = {
  config: {
    kind: "text",
    group: "plan",
    describe: { en: "File with targets and defaults", ja: "対象と既定値を書いたファイル" },
    fallback: "lab.yaml, where there is one",
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
    fallback: "random",
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
    fallback: "results, with reports in reports",
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
    fallback: "of the locale",
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

/** What `lab run` understands. */
export const runOptions = {
  "base-url": {
    kind: "text",
    group: "target",
    describe: {
      en: "The server's OpenAI API, e.g. http://127.0.0.1:8000/v1",
      ja: "サーバーの OpenAI API。例: http://127.0.0.1:8000/v1",
    },
  },
  model: {
    kind: "list",
    group: "target",
    describe: { en: "Models to measure on that server (several make a sweep)", ja: "測定するモデル(複数可)" },
  },
  target: {
    kind: "list",
    group: "target",
    describe: {
      en: "NAME=MODEL@URL, or the name of a target in lab.yaml (repeatable)",
      ja: "NAME=MODEL@URL、または lab.yaml の対象名(複数可)",
    },
  },
  "server-kind": {
    kind: "choice",
    choices: serverKinds,
    group: "target",
    describe: { en: "Kind of the server, instead of finding out", ja: "サーバーの種類(自動判定の代わり)" },
  },
  suite: {
    kind: "list",
    group: "plan",
    describe: { en: "Suites to run; lab scenarios list names them", ja: "実行するスイート(lab scenarios list で一覧)" },
    fallback: "all",
  },
  scenario: {
    kind: "list",
    group: "plan",
    describe: { en: "Only these scenarios, in every suite", ja: "すべてのスイートでこのシナリオだけを使います" },
  },
  request: {
    kind: "text",
    group: "plan",
    describe: {
      en: "A captured request of your own (a chat body, or {meta, headers, body})",
      ja: "手元で記録したリクエスト(チャット本文、または {meta, headers, body})",
    },
  },
  scenarios: sharedOptions.scenarios,
  trials: sharedOptions.trials,
  shape: {
    kind: "choice",
    choices: ["small", "agent", "both"],
    group: "plan",
    describe: {
      en: "Requests alone, or dressed as an agent's",
      ja: "リクエストの形(単独、またはエージェント風)",
    },
    fallback: "small",
  },
  language: {
    kind: "choice",
    choices: ["ja", "en", "both"],
    group: "plan",
    describe: { en: "Language of the scenarios", ja: "シナリオの言語" },
    fallback: "both",
  },
  seed: sharedOptions.seed,
  raw: {
    kind: "choice",
    choices: ["auto", "off"],
    group: "plan",
    describe: {
      en: "Ask the server for what the model wrote before parsing",
      ja: "解析前のモデル出力をサーバーに求めます",
    },
    fallback: "auto",
  },
  config: sharedOptions.config,
  "api-key-env": {
    kind: "text",
    group: "request",
    describe: { en: "Environment variable that holds the API key", ja: "API キーを持つ環境変数の名前" },
  },
  header: {
    kind: "list",
    group: "request",
    describe: {
      en: "'Name: value', sent with every request (repeatable)",
      ja: "'名前: 値' を全リクエストに付けます(複数可)",
    },
  },
  body: {
    kind: "list",
    group: "request",
    describe: {
      en: "key=JSON, put into every request body (repeatable)",
      ja: "key=JSON を全リクエスト本文に入れます(複数可)",
    },
  },
  temperature: {
    kind: "number",
    whole: false,
    min: 0,
    max: 2,
    group: "request",
    describe: { en: "Sampling temperature", ja: "サンプリング温度" },
    fallback: "the scenario's",
  },
  "max-tokens": {
    kind: "number",
    whole: true,
    min: 1,
    group: "request",
    describe: { en: "Tokens a reply may take", ja: "応答の最大トークン数" },
    fallback: "the scenario's",
  },
  thinking: {
    kind: "choice",
    choices: ["on", "off"],
    group: "request",
    describe: { en: "Switch the model's thinking", ja: "モデルの思考の有無" },
    fallback: "the model's",
  },
  concurrency: sharedOptions.concurrency,
  "timeout-connect": timeout({ en: "Seconds to connect; 0: no limit", ja: "接続までの秒数(0 は無制限)" }, "5"),
  "timeout-first-byte": timeout(
    { en: "Seconds to the first byte of a reply; 0: no limit", ja: "最初のバイトまでの秒数(0 は無制限)" },
    "120",
  ),
  "timeout-idle": timeout(
    { en: "Seconds between two pieces of a reply; 0: no limit", ja: "応答の途中で待つ秒数(0 は無制限)" },
    "60",
  ),
  "timeout-total": timeout({ en: "Seconds for a whole reply; 0: no limit", ja: "応答全体の秒数(0 は無制限)" }, "600"),
  out: sharedOptions.out,
  lang: sharedOptions.lang,
  quiet: sharedOptions.quiet,
  json: sharedOptions.json,
} as const satisfies Readonly<Record<string, OptionSpec>>;

const { lang, quiet, json, out, seed, concurrency, results, scenarios, config } = sharedOptions;

export const demoOptions = {
  trials: { ...sharedOptions.trials, fallback: "3" },
  seed: { ...seed, fallback: "demo" },
  concurrency,
  out,
  lang,
  quiet,
  json,
} as const;

export const classifyOptions = { results, config, lang, quiet, json } as const;

export const reportOptions = {
  format: {
    kind: "list",
    group: "output",
    describe: { en: "Formats, comma-separated", ja: "形式(カンマ区切り)" },
    fallback: "console",
  },
  out: {
    kind: "text",
    group: "output",
    describe: { en: "Folder for the rendered files", ja: "書き出し先のフォルダー" },
    fallback: "reports/RUN",
  },
  results,
  config,
  lang,
  json,
} as const;

export const simulateOptions = {
  profile: {
    kind: "text",
    group: "target",
    describe: { en: "Profile file, or the name of a shipped profile", ja: "プロファイル(ファイルまたは同梱の名前)" },
    fallback: "steady",
  },
  port: {
    kind: "number",
    whole: true,
    min: 0,
    max: 65_535,
    group: "connection",
    describe: { en: "Port; 0 takes a free one", ja: "ポート(0 は空きポート)" },
    fallback: "0",
  },
  host: {
    kind: "text",
    group: "connection",
    describe: { en: "Address to listen on", ja: "待ち受けるアドレス" },
    fallback: "127.0.0.1",
  },
  seed: {
    kind: "text",
    group: "plan",
    describe: { en: "Text from which all draws follow", ja: "抽選の元になる文字列" },
    fallback: "random",
  },
  lang,
} as const;

export const scenariosOptions = {
  scenarios,
  out: {
    kind: "text",
    group: "output",
    describe: { en: "schema: folder to write the JSON Schemas to", ja: "schema: JSON Schema を書き出すフォルダー" },
    fallback: "standard output",
  },
  config,
  lang,
  json,
} as const;

function timeout(describe: { readonly en: string; readonly ja: string }, fallback: string) {
  return { kind: "number", whole: false, min: 0, max: 86_400, group: "connection", describe, fallback } as const;
}
