import { createHash } from "node:crypto";
import { adapterViews } from "./adapter-view.ts";
import { calibrationSection } from "./calibration/html.ts";
import { choiceSection } from "./choice.ts";
import { gateSection, gateStyles, swapSection } from "./gate/html.ts";
import { adapterSection, adapterStyles } from "./html/adapter.ts";
import { armsSection } from "./html/arms.ts";
import { diagnosesSection } from "./html/diagnoses.ts";
import { html, jsonForScript, markup, type SafeHtml } from "./html/escape.ts";
import { aboutSection, cellsSection, exclusionsSection } from "./html/facts.ts";
import { pageLabels } from "./html/labels.ts";
import { probesSection } from "./html/probes.ts";
import { createSharedTexts, indexColumns, indexLine, packSamples, pageSample } from "./html/sample-data.ts";
import { samplesSection } from "./html/samples.ts";
import { script } from "./html/script.ts";
import { styles } from "./html/styles.ts";
import { verdictSection } from "./html/verdict.ts";
import { messagesFor } from "./messages/catalogue.ts";
import type { Messages } from "./messages/messages.ts";
import type { ReportModel } from "./model.ts";
import type { RenderOptions, Report } from "./report.ts";

/** Samples that are packed, and unpacked by the page, together. */
const samplesPerBlock = 50;

const pageStyles = styles + gateStyles + adapterStyles;

/** The run as one HTML file that needs no network: what happened, the tables, every sample's texts with the evidence marked. */
export const htmlReport = {
  name: "html",
  fileName: "report.html",
  describe: "one self-contained page with tables, diagnoses and every sample's raw text",
  async *render(model: ReportModel, { lang }: RenderOptions) {
    const messages = messagesFor(lang);
    yield `${pageHead(model, messages).safe}\n`;
    yield html`<main>${model.verdict === null ? null : gateSection(model.verdict, lang)}${choiceSection(model.choice, messages)}${swapSection(model.swaps, lang)}${calibrationSection(model.calibration, lang)}${verdictSection(model.targets, messages)}${adapterSection(adapterViews(model.summary), messages)}${armsSection(model.targets, messages)}${probesSection(model.targets, messages)}${diagnosesSection(model.targets, messages)}${exclusionsSection(model, messages)}${samplesSection(messages)}${cellsSection(model, messages)}${aboutSection(model, messages)}</main>\n`
      .safe;
    const shared = createSharedTexts();
    let block: unknown[] = [];
    // One block is packed while the next one is gathered.
    let packed: Promise<string> | null = null;
    const places = new Map<string, number>();
    for await (const sample of model.samples()) {
      places.set(sample.row.id, places.size);
      block.push(pageSample(sample, shared));
      if (block.length === samplesPerBlock) {
        if (packed !== null) yield await packed;
        packed = blockElement(block);
        block = [];
      }
    }
    if (packed !== null) yield await packed;
    if (block.length > 0) yield await blockElement(block);
    // The index follows the samples as they were written, so that a sample's place tells its block.
    const rows = model.rows
      .filter((row) => places.has(row.id))
      .sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
    yield dataElement("index", { columns: indexColumns, rows: rows.map(indexLine), perBlock: samplesPerBlock });
    yield `<script type="text/plain" id="shared">${await packSamples(shared.texts)}</script>\n`;
    yield dataElement("labels", pageLabels(messages));
    yield `<script>${script}</script>\n</body>\n</html>\n`;
  },
} as const satisfies Report;

/** Everything is refused but this page's own style and script, known by their hashes: no network, no injected code. */
export function contentSecurityPolicy(): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
  return `default-src 'none'; script-src ${hash(script)}; style-src ${hash(pageStyles)}; base-uri 'none'; form-action 'none'`;
}

function pageHead({ record, summary }: ReportModel, messages: Messages): SafeHtml {
  const { words } = messages;
  return html`<!doctype html>
<html lang="${messages.lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${markup(contentSecurityPolicy())}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${words.reportTitle} · ${record.run}</title>
<style>${markup(pageStyles)}</style>
</head>
<body>
<header class="top"><div class="brand"><h1>harness-lab</h1><p>${words.reportTitle}</p></div>
<p class="run"><span>${record.run}</span><span>${words.samplesMeasured(summary.measured, summary.planned)}</span></p>
<nav><a href="#verdict">${words.verdict}</a><a href="#arms">${words.armsTitle}</a><a href="#diagnoses">${words.diagnoses}</a><a href="#samples">${words.samples}</a><a href="#about">${words.aboutRun}</a></nav>
<button type="button" id="theme">${words.theme}</button></header>`;
}

async function blockElement(samples: readonly unknown[]): Promise<string> {
  return `<script type="text/plain" class="packed">${await packSamples(samples)}</script>\n`;
}

function dataElement(id: string, value: unknown): string {
  return `<script type="application/json" id="${id}">${jsonForScript(value).safe}</script>\n`;
}
