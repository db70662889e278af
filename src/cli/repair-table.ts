import type { RepairLedger } from "../lab/classify/repair-ledger.ts";
import { cell, tableLines } from "../lab/report/console/table.ts";
import { wrap } from "../lab/report/console/terminal-layout.ts";
import { visibleText } from "../lab/report/terminal-text.ts";
import type { DisplayLanguage } from "./messages.ts";

const words = {
  en: {
    head: ["repair", "safety", "unsafe", "wrong", "right", "score", "without", "gain"],
    all: "all repairs",
    safety: { lossless: "lossless", lossy: "lossy", semantic: "semantic" },
    unsafe: "Handed on where nothing may be",
    without: "without repairs",
    unused: "Not needed by any case",
  },
  ja: {
    head: ["修復", "性質", "危険", "誤り", "正解", "得点(あり)", "(なし)", "差"],
    all: "すべての修復",
    safety: { lossless: "無損失", lossy: "損失あり", semantic: "推測" },
    unsafe: "渡してはならないのに渡したケース",
    without: "修復なしでは",
    unused: "どのケースにも不要だった修復",
  },
} as const satisfies Record<DisplayLanguage, unknown>;

/** The ledger of repairs as lines of a table, unsafe ones first. */
export function repairTable(ledger: RepairLedger, language: DisplayLanguage, width: number): readonly string[] {
  const { head, all, safety, unsafe, without, unused } = words[language];
  const signed = (count: number): string => (count > 0 ? `+${count}` : String(count));
  const named = (ids: readonly string[]): string =>
    ids.length === 0 ? "" : ` (${ids.slice(0, 3).map(visibleText).join(", ")}${ids.length > 3 ? ", …" : ""})`;
  const { entries } = ledger;
  const rows = entries.map((entry) => [
    entry.repair,
    safety[entry.safety],
    String(entry.unsafe.length),
    String(entry.wrong.length),
    String(entry.right),
    `${entry.score.with}/${entry.score.of}`,
    `${entry.score.without}/${entry.score.of}`,
    `${signed(entry.score.with - entry.score.without)}${named([...entry.unsafe, ...entry.wrong])}`,
  ]);
  const total = ledger.all;
  const sum = (pick: (entry: RepairLedger["entries"][number]) => number): string =>
    String(entries.reduce((count, entry) => count + pick(entry), 0));
  return [
    "",
    ...tableLines(
      [
        head,
        ...rows,
        [
          all,
          "",
          sum((entry) => entry.unsafe.length),
          sum((entry) => entry.wrong.length),
          sum((entry) => entry.right),
          `${total.with}/${total.of}`,
          `${total.without}/${total.of}`,
          signed(total.with - total.without),
        ],
      ].map((row) => row.map((text) => cell(text))),
      0,
    ),
    "",
    `${unsafe}: ${ledger.unsafe.with}/${ledger.unsafe.of} (${without} ${ledger.unsafe.without}/${ledger.unsafe.of})`,
    ...(ledger.unused.length === 0 ? [] : wrap(`${unused}: ${ledger.unused.join(", ")}`, width)),
  ];
}
