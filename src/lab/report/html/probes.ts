import { plainView, tallyNotes } from "../cell-words.ts";
import type { Messages } from "../messages/messages.ts";
import type { TargetView } from "../model.ts";
import { fraction, interval } from "../numbers.ts";
import { type ProbeRow, type ProbesView, seenWords, tokenWords } from "../probe-tables.ts";
import { bar } from "./bars.ts";
import { html, type SafeHtml } from "./escape.ts";

/** Suites of conversations, one card each: how many passed, what was seen, how the prompt grew. */
export function probesSection(targets: readonly TargetView[], messages: Messages): SafeHtml {
  const tables = targets.flatMap((target) =>
    target.tables.filter((table): table is ProbesView => table.kind === "probes").map((view) => ({ target, view })),
  );
  if (tables.length === 0) return html``;
  return html`<section id="conversations"><h2>${messages.words.conversationsTitle}</h2>
<p class="lead">${messages.words.conversationsLead}</p>
<div class="cards">${tables.map(({ target, view }) => probesCard(target.name, view, messages))}</div></section>
`;
}

function probesCard(target: string, view: ProbesView, messages: Messages): SafeHtml {
  const { words } = messages;
  const place = [
    view.suite,
    ...(view.route === "direct" ? [] : [view.route]),
    ...(view.shape === "small" ? [] : [messages.shapes[view.shape]]),
  ];
  return html`<article class="card"><header><h3>${target}</h3><p class="identity">${place.join(" · ")}</p></header>
<table class="arms"><thead><tr><th scope="col">${words.arm}</th><th scope="col">${words.passed}</th><th scope="col">${words.seen}</th><th scope="col">${words.promptTokens}</th></tr></thead>
<tbody>${view.rows.map((row) => probeRow(row, messages))}</tbody></table></article>`;
}

function probeRow(row: ProbeRow, messages: Messages): SafeHtml {
  const { view } = row;
  if (view.kind !== "rated")
    return html`<tr><th scope="row"><code>${row.label}</code></th><td class="blank" colspan="3"><div class="plain">${plainView(view, messages)}</div></td></tr>`;
  const { delivered } = view.tally;
  const share = delivered.of === 0 ? 0 : (100 * delivered.count) / delivered.of;
  const notes = [...seenWords(row, messages), ...tallyNotes({ ...view, kind: "unrated" }, messages)];
  return html`<tr><th scope="row"><code>${row.label}</code></th><td class="rated"><div class="rate"><b>${delivered.count}<i>/${delivered.of}</i></b><span class="range">${interval(delivered, "–")}</span></div>${bar([{ kind: "delivered", from: 0, to: share }], fraction(delivered), delivered)}</td><td><div class="outcomes">${notes.map((note) => html`<span>${note}</span>`)}</div></td><td>${tokenWords(row)}</td></tr>`;
}
