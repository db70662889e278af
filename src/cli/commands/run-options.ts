import { serverKinds } from "../../protocol/servers/server.ts";
import type { OptionSpec } from "../options.ts";
import { sharedOptions } from "./shared-options.ts";

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

function timeout(describe: { readonly en: string; readonly ja: string }, fallback: string) {
  return { kind: "number", whole: false, min: 0, max: 86_400, group: "connection", describe, fallback } as const;
}
