import { serverKinds } from "../../protocol/servers/server.ts";
import { displayLanguages } from "../messages.ts";
import type { OptionSpec } from "../options.ts";

/** Options that several commands share, by name; each command picks what it understands. */
const sharedOptions = {
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
    fallback: { en: "contract-matrix, parser-mismatch", ja: "contract-matrix と parser-mismatch" },
  },
  "min-context": {
    kind: "number",
    whole: true,
    min: 1024,
    max: 1_000_000,
    group: "plan",
    describe: {
      en: "With --suite choice: tokens that the context must hold; a prompt of that length is sent",
      ja: "--suite choice で必要なコンテキスト長(トークン)。その長さのプロンプトを実際に送ります",
    },
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
  "through-adapter": {
    kind: "flag",
    group: "plan",
    describe: {
      en: "Send each sample twice: direct, and through the adapter",
      ja: "各サンプルを直接とアダプター経由の 2 通りで送ります",
    },
  },
  "adapter-config": {
    kind: "text",
    group: "plan",
    describe: {
      en: "With --through-adapter: YAML file with the adapter's settings",
      ja: "--through-adapter で使うアダプターの設定(YAML)",
    },
  },
  ablate: {
    kind: "list",
    group: "plan",
    describe: {
      en: "With --through-adapter: also without these stages, one at a time",
      ja: "--through-adapter で、指定した段階を 1 つずつ外した場合も測ります",
    },
  },
  resume: {
    kind: "text",
    group: "plan",
    describe: {
      en: "Complete a run that was stopped (latest, the beginning of its id, or a path): the same plan, nothing twice",
      ja: "中断した実行を同じ計画のまま最後まで行います(latest、実行 ID の先頭、またはパス)",
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
    fallback: { en: "the scenario's", ja: "シナリオの値" },
  },
  "max-tokens": {
    kind: "number",
    whole: true,
    min: 1,
    group: "request",
    describe: { en: "Tokens a reply may take", ja: "応答の最大トークン数" },
    fallback: { en: "the scenario's", ja: "シナリオの値" },
  },
  thinking: {
    kind: "choice",
    choices: ["on", "off"],
    group: "request",
    describe: { en: "Switch the model's thinking", ja: "モデルの思考の有無" },
    fallback: { en: "the model's", ja: "モデルの既定" },
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

/** What `lab doctor` understands. */
export const doctorOptions = {
  "base-url": runOptions["base-url"],
  model: {
    kind: "list",
    group: "target",
    describe: { en: "The model to look at; one", ja: "診断するモデル(1 つ)" },
  },
  target: runOptions.target,
  "server-kind": runOptions["server-kind"],
  verify: {
    kind: "text",
    group: "plan",
    describe: {
      en: "Look again after a change, and say whether it is better than in this run of lab doctor (latest, the beginning of its id, or a path)",
      ja: "変更後にもう一度診断し、以前の lab doctor の実行(latest、実行 ID の先頭、またはパス)と比べます",
    },
  },
  config,
  "api-key-env": runOptions["api-key-env"],
  header: runOptions.header,
  body: runOptions.body,
  "timeout-connect": runOptions["timeout-connect"],
  "timeout-first-byte": runOptions["timeout-first-byte"],
  "timeout-idle": runOptions["timeout-idle"],
  "timeout-total": runOptions["timeout-total"],
  out,
  lang,
  quiet,
  json,
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What `lab calibrate` understands. */
export const calibrateOptions = {
  "base-url": {
    ...runOptions["base-url"],
    describe: {
      en: "A running server to calibrate: an Ollama, or one started with a scripted model",
      ja: "校正するサーバー(Ollama、または台本モデルで起動したもの)",
    },
  },
  spawn: {
    kind: "text",
    group: "target",
    describe: {
      en: "Start this program instead, once for each set-up: llama-server, vllm, ollama, or a path to one",
      ja: "代わりにこのプログラムを構成ごとに起動します(llama-server、vllm、ollama、またはそのパス)",
    },
  },
  "server-kind": {
    kind: "choice",
    choices: ["llama-server", "ollama", "vllm"],
    group: "target",
    describe: {
      en: "Kind of the server, instead of finding out; alone it only writes the models",
      ja: "サーバーの種類(自動判定の代わり)。単独では台本モデルの書き出しだけを行います",
    },
  },
  "model-dir": {
    kind: "text",
    group: "plan",
    describe: { en: "Folder for the scripted models", ja: "台本モデルを置くフォルダー" },
    fallback: { en: "calibration-models, or a passing one with --spawn", ja: "calibration-models(--spawn では一時)" },
  },
  "set-up": {
    kind: "list",
    group: "plan",
    describe: {
      en: "Only these set-ups: template families or parsers of that server",
      ja: "この構成(テンプレート系統・パーサー)だけを測定します",
    },
    fallback: { en: "all", ja: "すべて" },
  },
  script: {
    kind: "list",
    group: "plan",
    describe: { en: "Only these scripts", ja: "この台本だけを使います" },
    fallback: { en: "all", ja: "すべて" },
  },
  concurrency: { ...sharedOptions.concurrency, fallback: "2" },
  "timeout-connect": runOptions["timeout-connect"],
  "timeout-first-byte": runOptions["timeout-first-byte"],
  "timeout-idle": runOptions["timeout-idle"],
  "timeout-total": runOptions["timeout-total"],
  out,
  lang,
  quiet,
  json,
} as const satisfies Readonly<Record<string, OptionSpec>>;

export const demoOptions = {
  trials: { ...sharedOptions.trials, fallback: "3" },
  seed: { ...seed, fallback: "demo" },
  concurrency,
  out,
  lang,
  quiet,
  json,
} as const;

export const classifyOptions = {
  cases: {
    kind: "text",
    group: "plan",
    describe: {
      en: "Folder of case files (one JSON object a reply); labels in them are scored",
      ja: "ケースファイル(応答ごとに JSON 1 つ)のフォルダー。ラベルがあれば採点します",
    },
  },
  "without-raw": {
    kind: "flag",
    group: "plan",
    describe: {
      en: "cases: do not look at what the model wrote before parsing",
      ja: "cases: 解析前のモデル出力を見ずに判定します",
    },
  },
  repairs: {
    kind: "flag",
    group: "output",
    describe: {
      en: "cases: what each repair of a call brings, and what it hands on wrongly, as a table",
      ja: "cases: 呼び出しの修復ごとに、効果と誤って渡したものを表にします",
    },
  },
  "min-accuracy": {
    kind: "number",
    whole: false,
    min: 0,
    max: 1,
    group: "output",
    describe: {
      en: "cases: share of right verdicts below which the exit code is 1",
      ja: "cases: 正しい判定の割合がこれを下回ると終了コード 1",
    },
  },
  results,
  config,
  lang,
  quiet,
  json: {
    ...json,
    describe: {
      en: "One JSON object on standard output; cases: one line a case",
      ja: "標準出力に JSON オブジェクトを 1 つ。cases ではケースごとに 1 行",
    },
  },
} as const;

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

export const reproOptions = { results, config, lang, json } as const;

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
    fallback: { en: "random", ja: "ランダム" },
  },
  lang,
} as const;

export const scenariosOptions = {
  scenarios,
  out: {
    kind: "text",
    group: "output",
    describe: { en: "schema: folder to write the JSON Schemas to", ja: "schema: JSON Schema を書き出すフォルダー" },
    fallback: { en: "standard output", ja: "標準出力" },
  },
  config,
  lang,
  json,
} as const;

function timeout(describe: { readonly en: string; readonly ja: string }, fallback: string) {
  return { kind: "number", whole: false, min: 0, max: 86_400, group: "connection", describe, fallback } as const;
}
