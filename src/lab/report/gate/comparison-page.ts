import { createHash } from "node:crypto";
import type { ComparisonView } from "../../gate/verdict.ts";
import { html, markup } from "../html/escape.ts";
import { styles } from "../html/styles.ts";
import type { Lang } from "../messages/messages.ts";
import { comparisonSection, gateStyles } from "./html.ts";
import { gateWordsFor } from "./rows.ts";

/** A comparison as one HTML file without any script: nothing but its own style is allowed. */
export function comparisonPage(view: ComparisonView, lang: Lang): string {
  const css = styles + gateStyles;
  const hash = createHash("sha256").update(css, "utf8").digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const { titles } = gateWordsFor(lang);
  return `${
    html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${titles.comparison} · ${view.before.name} · ${view.after.name}</title>
<style>${markup(css)}</style>
</head>
<body>
<header class="top"><div class="brand"><h1>harness-lab</h1><p>${titles.comparison}</p></div></header>
<main>${comparisonSection(view, lang)}</main>
</body>
</html>`.safe
  }\n`;
}
