import { adapterOptions } from "./adapter-options.ts";
import { type Command, command } from "./command.ts";
import { baselineOptions, compareOptions, gateOptions } from "./gate-options.ts";
import {
  calibrateOptions,
  classifyOptions,
  demoOptions,
  doctorOptions,
  reportOptions,
  reproOptions,
  scenariosOptions,
  simulateOptions,
} from "./option-sets.ts";
import { runOptions } from "./run-options.ts";

const run = {
  name: "run",
  describe: {
    en: "RUN: latest, the beginning of a run's id, or a path",
    ja: "RUN: latest、実行 ID の先頭、またはパス",
  },
} as const;

/** Every command, in the order of the help text. To add one: its module, and an entry here. */
export const commands: readonly Command[] = [
  command({
    name: "demo",
    describe: {
      en: "The whole lab against simulated servers, then the report's path",
      ja: "シミュレーターに対してラボ全体を動かし、レポートの場所を示します",
    },
    options: demoOptions,
    load: async () => (await import("./demo.ts")).demo,
  }),
  command({
    name: "run",
    describe: {
      en: "Measure models: do they call tools, and does the server deliver the calls",
      ja: "モデルを測定します: ツールを呼ぶか、サーバーはその呼び出しを届けるか",
    },
    options: runOptions,
    load: async () => (await import("./run.ts")).runTargets,
  }),
  command({
    name: "doctor",
    describe: {
      en: "Fewer than twenty short requests: what is this server, can it call tools, what to change",
      ja: "20 回未満の短いリクエストで、サーバーの種類・ツール呼び出しの可否・変更点を調べます",
    },
    options: doctorOptions,
    load: async () => (await import("./doctor.ts")).doctor,
  }),
  command({
    name: "classify",
    describe: {
      en: "Judge a stored run again with today's rules, or a folder of labelled replies, offline",
      ja: "保存した実行、またはラベル付き応答のフォルダーを今の規則で判定し直します",
    },
    positionals: [{ ...run, optional: true }],
    options: classifyOptions,
    load: async () => (await import("./classify.ts")).classify,
  }),
  command({
    name: "report",
    describe: { en: "Render a stored run", ja: "保存した実行のレポートを作ります" },
    positionals: [run],
    options: reportOptions,
    load: async () => (await import("./report.ts")).report,
  }),
  command({
    name: "repro",
    describe: {
      en: "One sample as commands to run: what was sent, expected and seen",
      ja: "1 つのサンプルを再現するコマンドと、期待・結果を示します",
    },
    positionals: [
      run,
      { name: "sample", describe: { en: "Id of a sample, or a part of it", ja: "サンプルの ID またはその一部" } },
    ],
    options: reproOptions,
    load: async () => (await import("./repro.ts")).repro,
  }),
  command({
    name: "compare",
    describe: {
      en: "Two runs side by side: what changed, and whether a swap is safe",
      ja: "2 つの実行を比べます: 何が変わったか、入れ替えは安全か",
    },
    positionals: [
      {
        name: "before",
        describe: { en: "The earlier run, or a baseline's name", ja: "前の実行、または基準の名前" },
      },
      { name: "after", describe: { en: "The later run", ja: "後の実行" } },
    ],
    options: compareOptions,
    load: async () => (await import("./compare.ts")).compare,
  }),
  command({
    name: "gate",
    describe: {
      en: "Hold a run against a baseline: pass 0, regression 1, invalid 3, inconclusive 4",
      ja: "実行を基準と照らし合わせます: 合格 0、悪化 1、判定無効 3、判定保留 4",
    },
    positionals: [run],
    options: gateOptions,
    load: async () => (await import("./gate.ts")).gate,
  }),
  command({
    name: "baseline",
    describe: { en: "Make a run the baseline of later gates", ja: "実行をゲートの基準として登録します" },
    positionals: [{ name: "action", describe: { en: "What to do", ja: "操作" }, choices: ["promote"] }, run],
    options: baselineOptions,
    load: async () => (await import("./baseline.ts")).baseline,
  }),
  command({
    name: "adapter",
    describe: {
      en: "Make a small local model dependable behind Codex, OpenCode or Qwen Code",
      ja: "Codex・OpenCode・Qwen Code から小さなローカルモデルを確実に使えるようにします",
    },
    options: adapterOptions,
    load: async () => (await import("./adapter.ts")).adapter,
  }),
  command({
    name: "simulate",
    describe: { en: "Serve simulated models until Ctrl-C", ja: "シミュレーターを起動します(Ctrl-C で終了)" },
    options: simulateOptions,
    load: async () => (await import("./simulate.ts")).simulate,
  }),
  command({
    name: "calibrate",
    describe: {
      en: "What your server really does with each format of calls, and how often the lab judges it right",
      ja: "サーバーが各形式の呼び出しを実際にどう扱うか、ラボの判定がどれだけ正しいかを調べます",
    },
    options: calibrateOptions,
    load: async () => (await import("./calibrate.ts")).calibrateServer,
  }),
  command({
    name: "scenarios",
    describe: { en: "List or check scenarios, or print their JSON Schemas", ja: "シナリオの一覧・検査・JSON Schema" },
    positionals: [{ name: "action", describe: { en: "What to do", ja: "操作" }, choices: ["list", "check", "schema"] }],
    options: scenariosOptions,
    load: async () => (await import("./scenarios.ts")).scenarios,
  }),
];
