import { treatments } from "../../lab/gate/treatment.ts";
import type { OptionSpec } from "../options.ts";
import { sharedOptions } from "./shared-options.ts";

const { results, config, lang, json } = sharedOptions;
const policy = {
  kind: "text",
  group: "plan",
  describe: {
    en: "YAML file: floors, drops, safety counters, coverage (lab scenarios schema has its JSON Schema)",
    ja: "下限・低下幅・安全カウンター・網羅性を書いた YAML(JSON Schema は lab scenarios schema)",
  },
  fallback: { en: "the default policy", ja: "既定のポリシー" },
} as const;
const treatment = {
  kind: "choices",
  choices: treatments,
  group: "plan",
  describe: {
    en: "What differs on purpose; any other difference makes the runs incomparable",
    ja: "意図して変えたもの。ほかに違いがあれば比較しません",
  },
} as const;
const pair = {
  kind: "list",
  group: "plan",
  describe: {
    en: "OLD=NEW: targets to set side by side (repeatable)",
    ja: "OLD=NEW: 並べて比べる対象(複数可)",
  },
  fallback: { en: "targets of the same name", ja: "同じ名前の対象どうし" },
} as const;
const format = {
  kind: "list",
  group: "output",
  describe: { en: "Files to write, comma-separated", ja: "書き出す形式(カンマ区切り)" },
} as const;
const out = {
  kind: "text",
  group: "output",
  describe: { en: "Folder for the files", ja: "書き出し先のフォルダー" },
} as const;

/** What `lab compare` understands. */
export const compareOptions = {
  treatment,
  pair,
  policy,
  format: { ...format, describe: { en: "Files to write: html, md", ja: "書き出す形式: html, md" } },
  out: { ...out, fallback: "reports/RUN" },
  results,
  config,
  lang,
  json,
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What `lab gate` understands. */
export const gateOptions = {
  baseline: {
    kind: "text",
    group: "plan",
    describe: {
      en: "A promoted baseline's name, or a run",
      ja: "登録した基準の名前、または実行",
    },
  },
  policy,
  treatment,
  pair,
  "on-inconclusive": {
    kind: "choice",
    choices: ["fail", "warn"],
    group: "plan",
    describe: {
      en: "Exit code of an inconclusive verdict: 4, or 0 with a warning",
      ja: "判定保留の終了コード: 4、または警告付きの 0",
    },
    fallback: { en: "the policy's, else fail", ja: "ポリシーの値、なければ fail" },
  },
  format: {
    ...format,
    describe: {
      en: "Files to write: junit, md, html, csv, png, json",
      ja: "書き出す形式: junit, md, html, csv, png, json",
    },
  },
  out: { ...out, fallback: "reports/RUN" },
  results,
  config,
  lang,
  json,
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What `lab baseline` understands. */
export const baselineOptions = {
  name: {
    kind: "text",
    group: "output",
    describe: { en: "Name of the baseline", ja: "基準の名前" },
  },
  why: {
    kind: "text",
    group: "output",
    describe: { en: "Why this run is to be trusted", ja: "この実行を基準にする理由" },
  },
  by: {
    kind: "text",
    group: "output",
    describe: { en: "Who promotes it", ja: "登録する人" },
    fallback: { en: "the user of the environment", ja: "環境変数のユーザー" },
  },
  results,
  config,
  lang,
  json,
} as const satisfies Readonly<Record<string, OptionSpec>>;
