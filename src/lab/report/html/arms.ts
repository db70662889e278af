import { plainView, tallyNotes } from "../cell-words.ts";
import { type Messages, type Outcome, outcomes } from "../messages/messages.ts";
import type { TargetView } from "../model.ts";
import { fraction, interval } from "../numbers.ts";
import type { ArmCell, ArmsView } from "../tables.ts";
import { type BarPart, bar, legendEntry } from "./bars.ts";
import { html, type SafeHtml } from "./escape.ts";

/** Where the calls of each arm went, whole and streamed, one table a target. */
export function armsSection(targets: readonly TargetView[], messages: Messages): SafeHtml {
  const tables = targets.flatMap((target) =>
    target.tables.filter((table): table is ArmsView => table.kind === "arms").map((view) => ({ target, view })),
  );
  if (tables.length === 0) return html``;
  const seen = outcomes.filter((outcome) => tables.some(({ view }) => occurs(view, outcome)));
  return html`<section id="arms"><h2>${messages.words.armsTitle}</h2>
<p class="lead">${messages.words.armsLead}</p>
<p class="legend">${seen.map((outcome) => legendEntry(`part-${outcome}`, messages.outcomes[outcome]))}</p>
<div class="cards">${tables.map(({ target, view }) => armsCard(target.name, view, messages))}</div></section>
`;
}

function occurs(view: ArmsView, outcome: Outcome): boolean {
  return view.rows.some((row) => [row.whole, row.streamed].some((arm) => arm?.outcomes.has(outcome) === true));
}

function armsCard(target: string, view: ArmsView, messages: Messages): SafeHtml {
  const { words } = messages;
  const place = [
    view.suite,
    ...(view.route === "direct" ? [] : [view.route]),
    ...(view.shape === "small" ? [] : [messages.shapes[view.shape]]),
  ];
  const modes = (["whole", "streamed"] as const).filter((mode) => view.rows.some((row) => row[mode] !== null));
  return html`<article class="card"><header><h3>${target}</h3><p class="identity">${place.join(" · ")}</p></header>
<table class="arms"><thead><tr><th scope="col">${words.arm}</th>${modes.map((mode) => html`<th scope="col">${mode === "whole" ? words.wholeLong : words.streamedLong}</th>`)}</tr></thead>
<tbody>${view.rows.map((row) => html`<tr><th scope="row"><code>${row.arm}</code>${row.irrelevant ? html`<div class="why">${words.irrelevant}</div>` : null}</th>${modes.map((mode) => armCell(row[mode], messages))}</tr>`)}</tbody></table></article>`;
}

function armCell(arm: ArmCell | null, messages: Messages): SafeHtml {
  if (arm === null) return html`<td class="blank"><div class="plain">${messages.words.notAsked}</div></td>`;
  const { view, outcomes: counts } = arm;
  if (view.kind === "not_testable" || view.kind === "not_measured" || view.kind === "not_asked") {
    const why = view.kind === "not_testable" && view.reason !== "" ? html`<div class="why">${view.reason}</div>` : null;
    return html`<td class="blank"><div class="plain">${plainView(view, messages)}</div>${why}</td>`;
  }
  const rated = view.kind === "rated";
  const details = outcomes
    .filter((outcome) => outcome !== "delivered" && counts.has(outcome))
    .map(
      (outcome) =>
        html`<span class="count-${outcome}">${messages.words.counted(counts.get(outcome) ?? 0, messages.outcomes[outcome])}</span>`,
    );
  const notes = tallyNotes({ ...view, kind: "unrated" }, messages).map((note) => html`<span>${note}</span>`);
  const head = rated
    ? html`<b>${view.tally.delivered.count}<i>/${view.tally.delivered.of}</i></b><span class="range">${interval(view.tally.delivered, "–")}</span>`
    : html`<span class="plain">${messages.words.notRated}</span>`;
  const label = [
    ...(rated ? [`${messages.words.delivered} ${fraction(view.tally.delivered)}`] : []),
    ...[...counts].map(([outcome, count]) => messages.words.counted(count, messages.outcomes[outcome])),
  ];
  return html`<td class="${rated ? "rated" : "unrated"}"><div class="rate">${head}</div>${bar(stretches(counts), label.join(", "))}<div class="outcomes">${details}${notes}</div></td>`;
}

function stretches(counts: ReadonlyMap<Outcome, number>): BarPart[] {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts: BarPart[] = [];
  let from = 0;
  for (const outcome of outcomes) {
    const to = from + (all === 0 ? 0 : (100 * (counts.get(outcome) ?? 0)) / all);
    parts.push({ kind: outcome, from, to });
    from = to;
  }
  return parts;
}
