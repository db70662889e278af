import { plainView, tallyNotes } from "../cell-words.ts";
import { type DiagnosisView, toneOf } from "../diagnosis-view.ts";
import type { Messages } from "../messages/messages.ts";
import type { TargetView } from "../model.ts";
import { serverName } from "../names.ts";
import { fraction, interval } from "../numbers.ts";
import type { MatrixView } from "../tables.ts";
import type { CellView } from "../tally.ts";
import { bar, legendEntry } from "./bars.ts";
import { fixLine, ownerBadge } from "./diagnoses.ts";
import { html, type SafeHtml } from "./escape.ts";

/** One card a target: what happened, whose fault it is, what mends it, and the contract matrix as the proof. */
export function verdictSection(targets: readonly TargetView[], messages: Messages): SafeHtml {
  return html`<section id="verdict"><h2>${messages.words.verdict}</h2>
<p class="lead">${messages.words.matrixLead}</p>
${legend(messages)}
<div class="cards">${targets.map((target) => card(target, messages))}</div></section>
`;
}

function legend({ words }: Messages): SafeHtml {
  return html`<p class="legend">${legendEntry("part-delivered", words.delivered)}${legendEntry("part-attempted", words.attemptedOnly)}${legendEntry("key-whisker", words.interval)}</p>`;
}

function card(target: TargetView, messages: Messages): SafeHtml {
  const [lead] = target.diagnoses;
  const matrices = target.tables.filter((table): table is MatrixView => table.kind === "matrix");
  const tone = lead === undefined ? "open" : toneOf(lead.diagnosis.owner);
  return html`<article class="card verdict-card tone-${tone}"><header><h3>${target.name}</h3><p class="identity">${identity(target, messages)}</p></header>
<div class="card-title">${target.unmet === null ? null : html`<p class="warn">${messages.words.unmet}: ${target.unmet}</p>`}${
    lead === undefined
      ? html`<p class="title"><span class="owner">${messages.words.noDiagnosisShort}</span></p>`
      : html`<p class="title">${ownerBadge(lead.diagnosis.owner, messages)} <strong>${messages.diagnosisTitles[lead.diagnosis.code]}</strong></p>`
  }</div>
<div class="card-tables">${matrices.map((matrix) => matrixTable(matrix, messages, matrices.length > 1))}</div>
<div class="card-text">${
    lead === undefined
      ? html`<p class="sentence">${messages.noDiagnosis(target.measured, target.planned)}</p>`
      : leadText(lead, target.diagnoses.length - 1, messages)
  }</div></article>`;
}

/** Model, server and parser in one line. */
export function identity({ record }: TargetView, messages: Messages): string {
  if (record === null) return "";
  const { facts } = record;
  const server = [serverName(facts.kind, messages), facts.version].filter((part) => part !== null).join(" ");
  return `${record.model} · ${server} · ${messages.words.parser}: ${messages.parserState(facts.toolParser)}`;
}

function leadText(lead: DiagnosisView, others: number, messages: Messages): SafeHtml {
  const parts = messages.diagnosisParts(lead.facts);
  return html`<p class="sentence">${parts.happened}</p>${fixLine(lead, parts, messages)}${
    parts.caveat === null ? null : html`<p class="caveat">${parts.caveat}</p>`
  }${others > 0 ? html`<p class="more"><a href="#diagnoses">${messages.words.moreDiagnoses(others)}</a></p>` : null}`;
}

function matrixTable(view: MatrixView, messages: Messages, several: boolean): SafeHtml {
  const place = several ? `${view.route} · ${messages.shapes[view.shape]}` : "";
  return html`<table class="matrix"><thead><tr><th scope="col">${place}</th>${view.contracts.map((contract) => html`<th scope="col">${messages.contracts[contract]}</th>`)}</tr></thead>
<tbody>${view.rows.map((row) => html`<tr><th scope="row">${messages.classes[row.class]}</th>${view.contracts.map((contract) => matrixCell(row.cells[contract], messages))}</tr>`)}</tbody></table>`;
}

function matrixCell(view: CellView, messages: Messages): SafeHtml {
  if (view.kind !== "rated") {
    const why = view.kind === "not_testable" && view.reason !== "" ? html`<div class="why">${view.reason}</div>` : null;
    return html`<td class="blank"><div class="plain">${plainView(view, messages)}</div>${why}</td>`;
  }
  const { delivered, attempted } = view.tally;
  const share = (count: number) => (delivered.of === 0 ? 0 : (100 * count) / delivered.of);
  const reached = share(delivered.count);
  const tried = Math.max(reached, attempted.of === 0 ? 0 : (100 * attempted.count) / attempted.of);
  const range = interval(delivered, "–");
  const label = [`${messages.words.delivered} ${fraction(delivered)}`, range ?? "", ...tallyNotes(view, messages)].join(
    ", ",
  );
  const lost = attempted.count > delivered.count;
  return html`<td class="${lost ? "lost" : reached === 100 ? "full" : "part"}"><div class="rate"><b>${delivered.count}<i>/${delivered.of}</i></b>${tallyNotes(view, messages).map((note) => html`<span class="note">${note}</span>`)}</div>${bar(
    [
      { kind: "delivered", from: 0, to: reached },
      { kind: "attempted", from: reached, to: tried },
    ],
    label,
    delivered,
  )}<div class="range">${range}</div></td>`;
}
