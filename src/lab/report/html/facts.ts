import { plainView } from "../cell-words.ts";
import type { Messages } from "../messages/messages.ts";
import type { ReportModel, TargetView } from "../model.ts";
import { reasonName, serverName } from "../names.ts";
import { duration, fraction, interval } from "../numbers.ts";
import { cellView } from "../tally.ts";
import { html, type SafeHtml } from "./escape.ts";

/** Samples that were planned and say nothing about the model, grouped by reason. */
export function exclusionsSection(model: ReportModel, messages: Messages): SafeHtml {
  const { exclusions, summary } = model;
  if (exclusions.length === 0) return html``;
  return html`<section id="exclusions"><h2>${messages.words.exclusions}</h2>
<p class="lead">${messages.words.exclusionsLead(exclusions.length, summary.planned)}</p>
<div class="scroll"><table class="plain-table"><tbody>${exclusions
    .slice(0, 50)
    .map(
      ({ id, reason, detail }) =>
        html`<tr><td>${reasonName(reason, messages)}</td><td>${detail}</td><td><a class="id" href="#sample=${encodeURIComponent(id)}">${id}</a></td></tr>`,
    )}</tbody></table></div>${exclusions.length > 50 ? html`<p class="lead">${messages.words.more(exclusions.length - 50)}</p>` : null}</section>
`;
}

/** Every cell as statistics counted it, folded away: the numbers behind the tables. */
export function cellsSection(model: ReportModel, messages: Messages): SafeHtml {
  const { words } = messages;
  const headlines: Readonly<Record<string, string>> = messages.headlines;
  const titles = [
    words.target,
    words.suite,
    words.scenario,
    words.class,
    words.arm,
    words.mode,
    words.delivered,
    words.interval,
    words.attempted,
    words.measured,
    words.median,
    words.headline,
  ];
  return html`<section id="cells"><details><summary><h2>${words.cellsTitle}</h2></summary>
<div class="scroll"><table class="plain-table"><thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${model.summary.cells.map(
    (cell) => {
      const view = cellView([cell]);
      const rated = view.kind === "rated";
      const counts = Object.entries(cell.counts).map(([headline, count]) =>
        words.counted(count, headlines[headline] ?? headline),
      );
      return html`<tr><td>${cell.target}${cell.route === "direct" ? "" : ` · ${cell.route}`}</td><td>${cell.suite}</td><td>${cell.scenario}${cell.shape === "small" ? "" : ` · ${cell.shape}`}</td><td>${messages.classes[cell.class]}</td><td>${cell.arm}</td><td>${cell.stream ? words.streamed : words.whole}</td><td class="number">${rated ? fraction(cell.deliveredRate) : plainView(view, messages)}</td><td class="number">${rated ? interval(cell.deliveredRate, "–") : null}</td><td class="number">${rated ? fraction(cell.attemptedRate) : null}</td><td class="number">${cell.measured}/${cell.planned}</td><td class="number">${duration(cell.medianMs)}</td><td>${counts.join(", ")}</td></tr>`;
    },
  )}</tbody></table></div></details></section>
`;
}

/** What was run, against whom, and what the target stage saw. */
export function aboutSection(model: ReportModel, messages: Messages): SafeHtml {
  const { record } = model;
  const { words } = messages;
  return html`<section id="about"><h2>${words.aboutRun}</h2>
<dl class="facts">${pair(words.run, record.run)}${pair("harness-lab", `${record.lab.version} · Node ${record.lab.node}`)}${pair(words.seed, record.seed)}${pair(words.suite, record.plan.suites.join(", "))}${pair(words.planned, String(record.plan.samples))}</dl>
<div class="cards">${model.targets.map((target) => targetFacts(target, messages))}</div></section>
`;
}

function targetFacts({ name, record, unmet }: TargetView, messages: Messages): SafeHtml {
  if (record === null)
    return html`<article class="card"><h3>${name}</h3>${unmet === null ? null : html`<p class="warn">${messages.words.unmet}: ${unmet}</p>`}</article>`;
  const { facts } = record;
  const { words } = messages;
  return html`<article class="card"><h3>${name}</h3><dl class="facts">${pair(words.model, record.model)}${pair("URL", record.baseUrl)}${pair(words.server, [serverName(facts.kind, messages), facts.version ?? ""].join(" ").trim())}${pair(words.parser, messages.parserState(facts.toolParser))}${pair(words.reasoningParser, messages.parserState(facts.reasoningParser))}${facts.contextLength === null ? null : pair(words.contextLength, String(facts.contextLength))}</dl>
${record.evidence.length === 0 ? null : html`<ul class="seen">${record.evidence.map(({ statement }) => html`<li>${statement}</li>`)}</ul>`}
${record.notTestable.length === 0 ? null : html`<ul class="seen">${record.notTestable.map(({ arm, reason }) => html`<li><code>${arm}</code>: ${words.notTestable}. ${reason}</li>`)}</ul>`}</article>`;
}

function pair(name: string, value: string): SafeHtml {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}
