import type { Owner } from "../../classify/classification.ts";
import { type DiagnosisView, toneOf } from "../diagnosis-view.ts";
import type { DiagnosisParts } from "../messages/diagnosis-facts.ts";
import type { Messages } from "../messages/messages.ts";
import type { TargetView } from "../model.ts";
import { quoteName } from "../names.ts";
import type { Quote } from "../quotes.ts";
import { html, type SafeHtml } from "./escape.ts";

const shownIds = 6;

/** Every diagnosis with its evidence, target by target, and the replies worth reading. */
export function diagnosesSection(targets: readonly TargetView[], messages: Messages): SafeHtml {
  const told = targets.filter((target) => target.diagnoses.length > 0 || target.quotes.length > 0);
  if (told.length === 0) return html``;
  return html`<section id="diagnoses"><h2>${messages.words.diagnoses}</h2>
${told.map(
  (target) => html`<div class="told"><h3>${target.name}</h3><div class="told-body">
${target.diagnoses.map((view) => diagnosisBlock(view, messages))}
${target.quotes.length === 0 ? null : html`<div class="quotes"><h4>${messages.words.replies}</h4>${target.quotes.map((quote) => quoteBlock(quote, messages))}</div>`}
</div></div>`,
)}
</section>
`;
}

/** An owner's name in the colour of whom it concerns. */
export function ownerBadge(owner: Owner, messages: Messages): SafeHtml {
  return html`<span class="owner tone-${toneOf(owner)}">${messages.owners[owner]}</span>`;
}

/** The remedy, its option set as code with a button that copies it. */
export function fixLine({ diagnosis }: DiagnosisView, parts: DiagnosisParts, messages: Messages): SafeHtml | null {
  if (parts.fix === null || diagnosis.fix === null) return null;
  const { option } = diagnosis.fix;
  const at = parts.fix.indexOf(option);
  const text =
    at < 0
      ? html`${parts.fix}`
      : html`${parts.fix.slice(0, at)}<code>${option}</code>${parts.fix.slice(at + option.length)}`;
  return html`<p class="fix"><span class="fix-label">${messages.words.fix}</span><span>${text}</span><button type="button" class="copy" data-copy="${option}">${messages.words.copy}</button></p>`;
}

function diagnosisBlock(view: DiagnosisView, messages: Messages): SafeHtml {
  const { diagnosis, facts } = view;
  const parts = messages.diagnosisParts(facts);
  return html`<article class="diagnosis tone-${toneOf(diagnosis.owner)}"><p class="title">${ownerBadge(diagnosis.owner, messages)} <strong>${messages.diagnosisTitles[diagnosis.code]}</strong> <span class="count">${facts.count}/${facts.of}</span>${
    diagnosis.certainty === "inferred" ? html` <span class="inferred">${messages.certainty.inferred}</span>` : null
  }${diagnosis.route === "direct" ? null : html` <span class="inferred">${diagnosis.route}</span>`}</p>
<p class="sentence">${parts.happened}</p>${fixLine(view, parts, messages)}${parts.caveat === null ? null : html`<p class="caveat">${parts.caveat}</p>`}
${sampleLinks(diagnosis.samples, messages)}</article>`;
}

function sampleLinks(ids: readonly string[], messages: Messages): SafeHtml | null {
  if (ids.length === 0) return null;
  const more = ids.length - shownIds;
  return html`<p class="ids"><span>${messages.words.evidence}</span> ${ids.slice(0, shownIds).map((id) => sampleLink(id))}${more > 0 ? html`<details><summary>${messages.words.more(more)}</summary>${ids.slice(shownIds).map((id) => sampleLink(id))}</details>` : null}</p>`;
}

function sampleLink(id: string): SafeHtml {
  return html`<a class="id" href="#sample=${encodeURIComponent(id)}">${id}</a> `;
}

function quoteBlock(quote: Quote, messages: Messages): SafeHtml {
  const mark = quote.kind === "leaked" || quote.kind === "swallowed" ? "call" : quote.kind;
  return html`<figure class="quote${mark === "call" ? " raw" : ""}"><figcaption>${quoteName(quote.kind, messages)} ${sampleLink(quote.id)}</figcaption><blockquote dir="auto">${quote.cutBefore ? "…" : ""}${quote.before}<mark class="mark-${mark}">${quote.marked}</mark>${quote.after}${quote.cutAfter ? "…" : ""}</blockquote></figure>`;
}
