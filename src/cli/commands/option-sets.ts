import type { OptionSpec } from "../options.ts";
import { runOptions } from "./run-options.ts";
import { sharedOptions } from "./shared-options.ts";

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
