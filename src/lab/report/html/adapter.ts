import type { RouteSummary, StageSummary } from "../../stats/adapter-summary.ts";
import type { Rate } from "../../stats/summary.ts";
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
import { bar } from "./bars.ts";
import { html, type SafeHtml } from "./escape.ts";

/** Style of the section; joined to the page's. */
export const adapterStyles = `
.routes, .stages { width: 100%; border-collapse: collapse; }
.routes { table-layout: fixed; }
.routes thead th, .stages thead th { font-size: 12.5px; font-weight: 500; color: var(--muted); text-align: left; padding: 0 0 6px 16px; vertical-align: bottom; }
.routes tbody th, .stages tbody th { font-weight: 500; font-size: 13.5px; text-align: left; vertical-align: top; padding: 9px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.routes td, .stages td { vertical-align: top; padding: 9px 0 9px 16px; border-top: 1px solid var(--line); font-size: 13.5px; }
.routes thead th:first-child, .stages thead th:first-child { padding-left: 0; }
.routes .all th, .routes .all td { font-weight: 650; border-top: 2px solid var(--line); }
.stages td.number { white-space: nowrap; }
.stages .why { display: block; }
.up { color: var(--good); font-weight: 650; }
.down { color: var(--gone); font-weight: 650; }
#adapter .lead { margin-bottom: 12px; }
#adapter .card { margin-bottom: 18px; }
#adapter .scroll { margin-top: 18px; }
#adapter .caveat { max-width: 110ch; }
`;

/** Routes side by side, then quality and cost of each stage; nothing where no target has an adapter. */
export function adapterSection(views: readonly AdapterView[], messages: Messages): SafeHtml {
  if (views.length === 0) return html``;
  const words = adapterWordsFor(messages.lang);
  return html`<section id="adapter"><h2>${words.title}</h2>
<p class="lead">${words.lead}</p>
${views.map((view) => card(view, words, messages))}
<p class="caveat">${words.foot}</p></section>
`;
}

function card(view: AdapterView, words: AdapterWords, messages: Messages): SafeHtml {
  const { direct, adapter } = view;
  const { beside } = adapter;
  const gain = beside === null ? null : gainWords(beside, words);
  return html`<article class="card"><header><h3>${view.target}</h3>${
    beside === null ? null : html`<p class="identity">${words.pairs(beside.pairs, beside.scenarios)}</p>`
  }</header>
<table class="routes"><thead><tr><th scope="col"></th><th scope="col">${words.direct}</th><th scope="col">${words.adapter}</th></tr></thead><tbody>
${view.rows.map(
  (row) =>
    html`<tr><th scope="row">${row.suite} · <code>${row.arm}</code></th><td>${cellOf(row.direct, messages)}</td><td>${cellOf(row.adapter, messages)}</td></tr>`,
)}
<tr class="all"><th scope="row">${words.all}</th><td>${rateOf(direct)}</td><td>${rateOf(adapter)}</td></tr>
${beside === null ? null : html`<tr><th scope="row">${words.gainedLost}</th><td></td><td><span class="${direction(beside)}">${gainedLost(beside)}</span>${gain === null ? null : html` <span class="range">${gain.join(", ")}</span>`}</td></tr>`}
<tr><th scope="row">${words.unsafe}</th><td>${boundedCount(direct.unsafe, words)}</td><td><span class="${adapter.unsafe.count > direct.unsafe.count ? "down" : ""}">${boundedCount(adapter.unsafe, words)}</span></td></tr>
<tr><th scope="row">${words.added}</th><td>-</td><td>${stageTime(adapter.addedMs)}</td></tr>
</tbody></table>
${view.stages.length === 0 ? null : stageTable(view.stages, words)}
${idleWords(view, words) === null ? null : html`<p class="caveat">${idleWords(view, words)}</p>`}</article>`;
}

function stageTable(stages: readonly StageSummary[], words: AdapterWords): SafeHtml {
  const { stage, acted, withIt, direct, withoutIt, median, slowest, bytes, decisions } = words;
  return html`<div class="scroll"><table class="stages"><thead><tr>${[stage, acted, withIt, direct, withoutIt, median, slowest, bytes, decisions].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>
${stages.map(
  (each) =>
    html`<tr><th scope="row"><code>${each.stage}</code></th><td class="number">${each.acted}</td><td class="number">${fraction(each.delivered)}</td><td class="number">${fraction(each.deliveredDirect)}</td><td class="number">${
      each.ablation === null ? "-" : html`<span class="${direction(each.ablation)}">${gainedLost(each.ablation)}</span>`
    }</td><td class="number">${stageTime(each.medianMs)}</td><td class="number">${stageTime(each.slowestMs)}</td><td class="number">${signedBytes(each.meanBytes)}</td><td>${each.decisions.slice(0, 6).map(({ decision, count }) => html`<span class="why">${decision} × ${count}</span>`)}</td></tr>`,
)}
</tbody></table></div>`;
}

function cellOf(view: CellView, messages: Messages): SafeHtml {
  if (view.kind !== "rated") return html`<span class="plain">${plainView(view, messages)}</span>`;
  const { delivered } = view.tally;
  return withBar(delivered);
}

function rateOf({ delivered }: RouteSummary): SafeHtml {
  return withBar(delivered);
}

function withBar(delivered: Rate): SafeHtml {
  const share = delivered.of === 0 ? 0 : (100 * delivered.count) / delivered.of;
  const label = `${fraction(delivered)} ${interval(delivered) ?? ""}`;
  return html`<div class="rate"><b>${delivered.count}<i>/${delivered.of}</i></b><span class="range">${interval(delivered, "–")}</span></div>${bar([{ kind: "delivered", from: 0, to: share }], label, delivered)}`;
}

function direction({ onlyThis, onlyOther }: { readonly onlyThis: number; readonly onlyOther: number }): string {
  return onlyThis > onlyOther ? "up" : onlyThis < onlyOther ? "down" : "";
}
