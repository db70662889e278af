import { sharedOptions } from "./shared-options.ts";

/** Options of `lab adapter`. What they say wins over the configuration file. */
export const adapterOptions = {
  upstream: {
    kind: "text",
    group: "connection",
    describe: {
      en: "Model server, e.g. http://localhost:8080/v1",
      ja: "モデルのサーバー(例: http://localhost:8080/v1)",
    },
  },
  port: {
    kind: "number",
    whole: true,
    min: 0,
    max: 65_535,
    group: "connection",
    describe: { en: "Port; 0 takes a free one", ja: "ポート(0 は空きポート)" },
    fallback: "8484",
  },
  host: {
    kind: "text",
    group: "connection",
    describe: {
      en: "Address to listen on; wider than loopback needs a key",
      ja: "待ち受けるアドレス(ループバック以外にはキーが必要)",
    },
    fallback: "127.0.0.1",
  },
  "allow-host": {
    kind: "list",
    group: "connection",
    describe: {
      en: "Host name under which clients may ask (containers, LAN)",
      ja: "クライアントが使うホスト名(コンテナー、LAN)",
    },
  },
  "api-key-env": {
    kind: "text",
    group: "connection",
    describe: {
      en: "Environment variable with the key that clients must send",
      ja: "クライアントに求めるキーの環境変数",
    },
  },
  "upstream-key-env": {
    kind: "text",
    group: "connection",
    describe: { en: "Environment variable with the model server's key", ja: "モデルサーバーのキーの環境変数" },
  },
  model: {
    kind: "text",
    group: "request",
    describe: { en: "Model to ask for, whatever the client names", ja: "クライアントの指定によらず使うモデル" },
  },
  profile: {
    kind: "choice",
    choices: ["agent", "read-only"],
    group: "request",
    describe: { en: "What becomes of commands that are not plainly read-only", ja: "読み取り専用でないコマンドの扱い" },
    fallback: "agent",
  },
  prompt: {
    kind: "text",
    group: "request",
    describe: { en: "auto, native, or a text format such as hermes", ja: "auto、native、または hermes などの書式" },
    fallback: "auto",
  },
  disable: {
    kind: "list",
    group: "request",
    describe: { en: "Stages to leave out", ja: "使わない段階" },
  },
  web: {
    kind: "flag",
    group: "request",
    describe: { en: "Give the model search_web and fetch_url", ja: "search_web と fetch_url をモデルに与えます" },
  },
  searxng: {
    kind: "text",
    group: "request",
    describe: { en: "SearXNG server that search_web asks", ja: "search_web が使う SearXNG サーバー" },
  },
  config: {
    kind: "text",
    group: "request",
    describe: { en: "YAML file with the adapter's settings", ja: "アダプターの設定を書いた YAML" },
  },
  "trace-dir": {
    kind: "text",
    group: "output",
    describe: {
      en: "Folder for traces: what each stage did to each request",
      ja: "トレース(各段階の処理の記録)を置くフォルダー",
    },
    fallback: { en: "no traces", ja: "記録しません" },
  },
  lang: sharedOptions.lang,
} as const;
