import { askedWords, type Calibration } from "../../calibration/calibration.ts";
import { html, type SafeHtml } from "../html/escape.ts";
import type { Lang } from "../messages/messages.ts";
import { accuracyRows, accuracyTable, conformanceView, missLines, pairWord } from "./view.ts";
import { calibrationWords } from "./words.ts";

/** The section of a calibration: matrices, answers, and how often the lab was right; nothing where the run is none. */
export function calibrationSection(calibration: Calibration | null, lang: Lang): SafeHtml | null {
  if (calibration === null) return null;
  const words = calibrationWords(lang);
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): SafeHtml =>
    html`<div class="scroll"><table class="plain-table"><thead><tr>${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${rows.map(
      (row) => html`<tr>${row.map((text) => html`<td>${text}</td>`)}</tr>`,
    )}</tbody></table></div>`;
  const matrices = calibration.setUps.map((setUp) => {
    const heading = html`<h3>${setUp.setUp.server} ${setUp.version ?? ""} · ${setUp.setUp.id}</h3>`;
    if (setUp.unmet !== null) return html`${heading}<p class="lead">${setUp.unmet}</p>`;
    const view = conformanceView(setUp, calibration.scripts, words);
    return html`${heading}<p class="lead">${words.startedWith}: <code>${setUp.start}</code></p>${table(
      [words.format, ...askedWords.map((asked) => words.asked[asked])],
      view.rows.map(({ label, cells }) => [label, ...askedWords.map((asked) => pairWord(cells[asked]))]),
    )}${table(
      [words.question, words.whole, words.streamed],
      view.behaviours.map(({ label, answer }) => [label, answer.whole ?? "–", answer.streamed ?? "–"]),
    )}<p class="lead">${view.differences}</p>`;
  });
  const section = (rest: SafeHtml): SafeHtml =>
    html`<section id="calibration"><h2>${words.title}</h2><p class="lead">${words.lead} ${words.howToRead}</p>${matrices}${rest}</section>
`;
  // Where nothing was measured there is nothing that the lab was right or wrong about.
  if (calibration.setUps.every(({ unmet }) => unmet !== null)) return section(html``);
  const misses = missLines(calibration, words);
  const { head, rows } = accuracyTable(accuracyRows(calibration, words), words);
  return section(
    html`<h3>${words.accuracyTitle}</h3><p class="lead">${words.accuracyLead}</p>${table(head, rows)}<p class="lead">${words.misses(misses.length)}</p><ul>${misses.map((line) => html`<li>${line}</li>`)}</ul>`,
  );
}
