import {
  type AdapterView,
  boundedCount,
  gainedLost,
  gainWords,
  idleWords,
  signedBytes,
  stageTime,
} from "../adapter-view.ts";
import { plainView } from "../cell-words.ts";
import { type AdapterWords, adapterWordsFor } from "../messages/adapter-words.ts";
import type { Messages } from "../messages/messages.ts";
import { fraction, interval } from "../numbers.ts";
import type { CellView } from "../tally.ts";
import { visibleText } from "../terminal-text.ts";
import type { Colors } from "./colors.ts";
import { cell, type TableCell, tableLines } from "./table.ts";
import { pad, wrap } from "./terminal-layout.ts";

/** Routes side by side, then what each stage did and cost. */
export function adapterLines(view: AdapterView, messages: Messages, colors: Colors, width: number): string[] {
  const words = adapterWordsFor(messages.lang);
  const { direct, adapter } = view;
  const beside = adapter.beside;
  const gain = beside === null ? null : gainWords(beside, words);
  const rate = (of: AdapterView["direct"]) => `${fraction(of.delivered)} ${interval(of.delivered) ?? ""}`.trim();
  const rows: TableCell[][] = [
    [
      cell(`${words.title}: ${visibleText(view.target)}`, colors.bold),
      cell(words.direct, colors.dim),
      cell(words.adapter, colors.dim),
    ],
    ...view.rows.map((row) => [
      cell(`${visibleText(row.suite)} / ${visibleText(row.arm)}`),
      cell(viewWords(row.direct, messages)),
      cell(viewWords(row.adapter, messages)),
    ]),
    [cell(words.all, colors.bold), cell(rate(direct), colors.bold), cell(rate(adapter), colors.bold)],
    ...(beside === null ? [] : [[cell(words.gainedLost), cell(""), cell(gainedLost(beside), tone(beside, colors))]]),
    ...(gain === null ? [] : [[cell(words.gain), cell(""), gain.map((text) => ({ text }))]]),
    [
      cell(words.unsafe),
      cell(boundedCount(direct.unsafe, words)),
      cell(boundedCount(adapter.unsafe, words), adapter.unsafe.count > direct.unsafe.count ? colors.red : undefined),
    ],
    [cell(words.added), cell("-", colors.dim), cell(stageTime(adapter.addedMs))],
  ];
  return [
    ...tableLines(rows, 0),
    ...stageLines(view, words, colors),
    ...[idleWords(view, words), words.foot].flatMap((text) => (text === null ? [] : wrap(text, width).map(colors.dim))),
  ];
}

function stageLines({ stages }: AdapterView, words: AdapterWords, colors: Colors): readonly string[] {
  if (stages.length === 0) return [];
  const header = [
    words.stage,
    words.acted,
    words.withIt,
    words.direct,
    words.withoutIt,
    words.median,
    words.slowest,
    words.bytes,
  ].map((text) => cell(text, colors.dim));
  const rows = stages.map((stage) => [
    cell(visibleText(stage.stage)),
    cell(String(stage.acted)),
    cell(fraction(stage.delivered)),
    cell(fraction(stage.deliveredDirect)),
    stage.ablation === null ? cell("-", colors.dim) : cell(gainedLost(stage.ablation), tone(stage.ablation, colors)),
    cell(stageTime(stage.medianMs)),
    cell(stageTime(stage.slowestMs)),
    cell(signedBytes(stage.meanBytes)),
  ]);
  return ["", ...tableLines([header, ...rows], 0)];
}

function tone(
  { onlyThis, onlyOther }: { readonly onlyThis: number; readonly onlyOther: number },
  colors: Colors,
): ((text: string) => string) | undefined {
  return onlyThis > onlyOther ? colors.green : onlyThis < onlyOther ? colors.red : undefined;
}

function viewWords(view: CellView, messages: Messages): string {
  if (view.kind !== "rated") return plainView(view, messages);
  const { delivered } = view.tally;
  return `${pad(fraction(delivered), 5)} ${interval(delivered) ?? ""}`.trim();
}
