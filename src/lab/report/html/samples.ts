import type { Messages } from "../messages/messages.ts";
import { html, type SafeHtml } from "./escape.ts";

/** The frame of the sample list; the page's script fills it from the data that follows. */
export function samplesSection({ words }: Messages): SafeHtml {
  const choice = (id: string, label: string) =>
    html`<label>${label}<select id="filter-${id}" data-column="${id}"><option value="">${words.all}</option></select></label>`;
  return html`<section id="samples"><h2>${words.samples}</h2>
<noscript><p class="lead">${words.needsScript}</p></noscript>
<form id="filters" role="search"><label class="grow">${words.search}<input type="search" id="search" placeholder="${words.searchHint}" autocomplete="off"></label>${choice("target", words.target)}${choice("suite", words.suite)}${choice("arm", words.arm)}${choice("headline", words.headline)}${choice("owner", words.owner)}<button type="button" id="clear">${words.clear}</button><output id="shown"></output></form>
<div class="browser"><div id="list" aria-label="${words.samples}"></div><div id="detail" tabindex="-1"><p class="placeholder">${words.selectSample}</p></div></div></section>
`;
}
