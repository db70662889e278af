import type { SwapCard } from "../../gate/swap-card.ts";
import type { Check, ComparisonView, GateVerdict } from "../../gate/verdict.ts";
import { type GateWords, verdictSentence } from "../../gate/words/gate-words.ts";
import { html, type SafeHtml } from "../html/escape.ts";
import { messagesFor } from "../messages/catalogue.ts";
import type { Lang } from "../messages/messages.ts";
import { caseRow, flowText, gateWordsFor, lightTone, lineRow, severalTargets, verdictTone } from "./rows.ts";

const shownCases = 200;

/** The gate's word at the head of a report: what it says, what was checked, and the proof. */
export function gateSection(verdict: GateVerdict, lang: Lang): SafeHtml {
  const words = gateWordsFor(lang);
  const { titles } = words;
  const { comparison, baseline } = verdict;
  return html`<section id="gate"><h2>${titles.gate}</h2>
<article class="card gate-card light-${verdictTone(verdict.kind)}"><p class="title"><span class="light">${words.kinds[verdict.kind]}</span></p>
<p class="sentence">${verdictSentence(verdict, words)}</p>
<p class="identity">${titles.run} ${verdict.run}${baseline === null ? "" : ` · ${titles.baseline} ${baseline.name} (${baseline.run})`}</p></article>
${comparison === null ? null : comparisonBlocks(comparison, lang)}
<details><summary>${titles.checks} (${verdict.checks.length})</summary>${checkList(verdict.checks, words)}</details>
${proofBlock(verdict, words)}</section>
`;
}

/** Swap cards at the head of a report. */
export function swapSection(cards: readonly SwapCard[], lang: Lang): SafeHtml {
  if (cards.length === 0) return html``;
  return html`<section id="swap"><div class="cards">${cards.map((card) => swapCard(card, gateWordsFor(lang)))}</div></section>
`;
}

/** Two runs side by side. */
export function comparisonSection(view: ComparisonView, lang: Lang): SafeHtml {
  const words = gateWordsFor(lang);
  return html`<section id="comparison"><h2>${words.titles.comparison}</h2><p class="lead">${view.before.name} → ${view.after.name}</p>
${view.problems.length === 0 ? null : checkList(view.problems, words)}${comparisonBlocks(view, lang)}</section>
`;
}

function comparisonBlocks(view: ComparisonView, lang: Lang): SafeHtml {
  const words = gateWordsFor(lang);
  const messages = messagesFor(lang);
  const { titles } = words;
  const several = severalTargets(view.lines);
  const rows = view.lines.map((line) => ({ line, row: lineRow(line, words, several), flow: flowText(line, messages) }));
  const cases = view.cases.slice(0, shownCases).map((each) => caseRow(each, several, messages.words.streamed));
  return html`${view.cards.length === 0 ? null : html`<div class="cards">${view.cards.map((card) => swapCard(card, words))}</div>`}
${
  rows.length === 0
    ? html`<p class="lead">${titles.nothingCompared}</p>`
    : html`<div class="scroll"><table class="plain-table line-table"><thead><tr>${[titles.line, titles.before, titles.after, titles.change, titles.chance, titles.leftOpen, titles.detectable, titles.scenarios, titles.flows].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(({ row, flow }) => html`<tr><td>${row.name}</td><td class="number">${row.before}</td><td class="number">${row.after}</td><td class="number">${row.change}</td><td class="number">${row.chance}</td><td class="number">${row.open}</td><td class="number">${row.detectable}</td><td>${row.scenarios}</td><td>${flow ?? "-"}</td></tr>`)}</tbody></table></div><p class="caveat">${titles.howToRead}</p>`
}
${
  cases.length === 0
    ? null
    : html`<details><summary>${titles.cases} (${view.cases.length}/${view.casesCompared})</summary><div class="scroll"><table class="plain-table"><thead><tr>${[titles.case, titles.before, titles.after, "Fisher", "Holm"].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${cases.map((row) => html`<tr><td>${row.name}</td><td class="number">${row.before}</td><td class="number">${row.after}</td><td class="number">${row.fisher}</td><td class="number">${row.adjusted}</td></tr>`)}</tbody></table></div></details>`
}
${view.notes.length === 0 ? null : html`<ul class="seen">${view.notes.map((note) => html`<li>${words.note(note)}</li>`)}</ul>`}`;
}

function swapCard(card: SwapCard, words: GateWords): SafeHtml {
  return html`<article class="card swap-card light-${lightTone(card.light)}"><p class="title"><span class="light">${words.lights[card.light]}</span> <strong>${words.swapTitle(card)}</strong></p>
<table class="swap"><tbody>${card.lines.map((line) => html`<tr class="light-${lightTone(line.light)}"><th scope="row">${words.aspects[line.aspect]}</th><td><span class="light">${words.lights[line.light]}</span></td><td>${words.swapReason(line.reason)}</td></tr>`)}</tbody></table></article>`;
}

function checkList(checks: readonly Check[], words: GateWords): SafeHtml {
  return html`<ul class="checks">${checks.map((check) => html`<li class="light-${verdictTone(check.kind)}"><span class="light">${words.kinds[check.kind]}</span> ${words.check(check)}</li>`)}</ul>`;
}

function proofBlock({ proof }: GateVerdict, { titles }: GateWords): SafeHtml {
  const told = [proof.run, proof.baseline].flatMap((each, index) => (each === null ? [] : [{ each, index }]));
  if (told.length === 0) return html``;
  return html`<details><summary>${titles.proof}</summary><div class="scroll"><table class="plain-table"><tbody>${told.map(
    ({ each, index }) =>
      html`<tr><td>${index === 0 ? titles.run : titles.baseline} ${each.run}</td><td class="number">${each.measured}/${each.planned}</td><td>${titles.requests} ${each.requests === null ? "-" : `${each.requests.answered}/${each.requests.sent}`}</td><td>${each.firstSentAt ?? "-"} – ${each.lastSentAt ?? "-"}</td><td>${each.targets.map(({ name, server, identity }) => html`<div>${name}, ${server}: <code>${JSON.stringify(identity)}</code></div>`)}</td></tr>`,
  )}</tbody></table></div></details>`;
}

/** Styles of gate and comparison, on top of the report's own. */
export const gateStyles = `
.gate-card { margin-bottom: 18px; }
.light-good .light { color: var(--good); background: var(--good-soft); }
.light-bad .light { color: var(--gone); background: var(--gone-soft); }
.light-open .light { color: var(--lost); background: var(--lost-soft); }
.light { display: inline-block; border-radius: 4px; padding: 1px 8px; font-size: 12.5px; font-weight: 600; white-space: nowrap; }
tr.light-good .light { color: var(--good); background: var(--good-soft); }
tr.light-bad .light { color: var(--gone); background: var(--gone-soft); }
tr.light-open .light { color: var(--lost); background: var(--lost-soft); }
.gate-card.light-good, .swap-card.light-good { border-left: 4px solid var(--good-fill); }
.gate-card.light-bad, .swap-card.light-bad { border-left: 4px solid var(--gone-fill); }
.gate-card.light-open, .swap-card.light-open { border-left: 4px solid var(--lost-fill); }
.gate-card .title .light, .swap-card .title .light { font-size: 15px; padding: 2px 10px; }
.swap { width: 100%; border-collapse: collapse; margin-top: 6px; font-size: 14px; }
.swap th { font-weight: 500; text-align: left; padding: 7px 12px 7px 0; vertical-align: baseline; white-space: nowrap; }
.swap td { padding: 7px 12px 7px 0; vertical-align: baseline; overflow-wrap: anywhere; }
.swap tr + tr > * { border-top: 1px solid var(--line); }
#gate details, #comparison details { margin-top: 10px; }
#gate .caveat, #comparison .caveat { margin: 8px 0 4px; }
#comparison .cards, #gate .cards { margin: 12px 0 18px; }
.line-table td:first-child { white-space: nowrap; }
.checks { list-style: none; margin-top: 8px; }
.checks li { padding: 4px 0; font-size: 14px; overflow-wrap: anywhere; }
`;
