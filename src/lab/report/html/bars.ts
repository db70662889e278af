import type { Rate } from "../../stats/summary.ts";
import { html, type SafeHtml } from "./escape.ts";

/** A stretch of a bar, in per cent of its width. */
export interface BarPart {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** A colour and what it stands for. */
export function legendEntry(kind: string, label: string): SafeHtml {
  return html`<span class="entry"><span class="key ${kind}"></span>${label}</span>`;
}

/** A bar of coloured stretches with a whisker for an interval below it. Drawn with attributes only: the page's policy allows no inline styles. */
export function bar(parts: readonly BarPart[], label: string, whisker: Rate | null = null): SafeHtml {
  const height = whisker === null ? 8 : 14;
  return html`<svg class="bar" viewBox="0 0 100 ${height}" height="${height}" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="track" x="0" y="0" width="100" height="8"/>${parts
    .filter((part) => part.to > part.from)
    .map(
      (part) =>
        html`<rect class="part-${part.kind}" x="${fixed(part.from)}" y="0" width="${fixed(part.to - part.from)}" height="8"/>`,
    )}${whisker === null ? null : interval(whisker)}</svg>`;
}

function interval({ low, high }: Rate): SafeHtml {
  const [from, to] = [Math.min(99.6, Math.max(0.4, low * 100)), Math.min(99.6, Math.max(0.4, high * 100))];
  return html`<path class="whisker" d="M${fixed(from)} 9.5V13.5M${fixed(from)} 11.5H${fixed(to)}M${fixed(to)} 9.5V13.5"/>`;
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
