import { type Command, command } from "./command.ts";
import {
  classifyOptions,
  demoOptions,
  reportOptions,
  runOptions,
  scenariosOptions,
  simulateOptions,
} from "./option-sets.ts";

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
    name: "classify",
    describe: {
      en: "Judge a stored run again with today's rules, offline",
      ja: "保存した実行を今の規則で判定し直します",
    },
    positionals: [run],
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
    name: "simulate",
    describe: { en: "Serve simulated models until Ctrl-C", ja: "シミュレーターを起動します(Ctrl-C で終了)" },
    options: simulateOptions,
    load: async () => (await import("./simulate.ts")).simulate,
  }),
  command({
    name: "scenarios",
    describe: { en: "List or check scenarios, or print their JSON Schemas", ja: "シナリオの一覧・検査・JSON Schema" },
    positionals: [{ name: "action", describe: { en: "What to do", ja: "操作" }, choices: ["list", "check", "schema"] }],
    options: scenariosOptions,
    load: async () => (await import("./scenarios.ts")).scenarios,
  }),
];
