import type { convert } from "html-to-text";

/** A page as text. */
export interface PageText {
  readonly title: string | null;
  readonly text: string;
}

/** Deeper and wider pages are cut there: what builds and walks a tree must not be a stranger's choice. */
const limits = { maxInputLength: 4 * 1024 * 1024, maxDepth: 120, maxChildNodes: 5000, ellipsis: "…" };
const leastText = 200;
/** Elements that may be open at a time. A tree deeper than that costs the square of its size, and no person wrote it. */
const deepestPage = 1000;
const voidElements: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** The text of an HTML page: its main part where it names one, without links, pictures, scripts and navigation. */
export async function htmlText(html: string): Promise<PageText> {
  const title = /<title[^>]{0,200}>([^<]{1,400})/i.exec(html.slice(0, 100_000))?.[1] ?? null;
  if (isTooDeep(html)) return { title: title === null ? null : tidy(title), text: tidy(withoutTags(html)) };
  // Loaded with the first page: most adapters read none, and it takes 15 MB.
  const { convert } = await import("html-to-text");
  const main = /<main[\s>]/i.test(html) ? convertPart(convert, html, "main") : "";
  const text = main.length >= leastText ? main : convertPart(convert, html, "body");
  return { title: title === null ? null : tidy(convertPart(convert, title, "body")), text: tidy(text) };
}

function convertPart(converter: typeof convert, html: string, base: "main" | "body"): string {
  return converter(html, {
    wordwrap: false,
    limits,
    baseElements: { selectors: [base], returnDomByDefault: true },
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      { selector: "img", format: "skip" },
      ...[
        "nav",
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "iframe",
        "object",
        "form",
        "header",
        "footer",
        "aside",
      ].map((selector) => ({ selector, format: "skip" })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "table", options: { uppercaseHeaderCells: false } },
    ],
  });
}

/** Counts every element that was not closed by its own name: more than are really open, never fewer. */
function isTooDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  for (const [, slash, written = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9-]{0,40})/gi)) {
    const name = written.toLowerCase();
    if (voidElements.has(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash === "/" && count === 0) continue;
    const step = slash === "/" ? -1 : 1;
    open.set(name, count + step);
    depth += step;
    if (depth > deepestPage) return true;
  }
  return false;
}

/** What is left of a page that is not worth a tree. */
function withoutTags(html: string): string {
  return html.replace(/<(?:script|style)\b[^<>]{0,2000}>[^<]{0,100000}/gi, "").replace(/<[^<>]{0,2000}>/g, "\n");
}

/** Text without control characters and without long runs of blank lines. */
export function tidy(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** A decoder for the charset that the head, or the first bytes of the page, name; UTF-8 where neither does or none knows it. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const named =
    /charset\s*=\s*["']?([\w-]{1,40})/i.exec(contentType)?.[1] ??
    /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(
      new TextDecoder("latin1").decode(bytes.subarray(0, 2048)),
    )?.[1];
  return decoderFor(named ?? "utf-8").decode(bytes);
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder("utf-8");
  }
}
