import { escapeCharacter, unseenCharacters } from "../terminal-text.ts";

/** Markup that may stand in a page as it is. Only `html` and `markup` make it. */
export interface SafeHtml {
  readonly safe: string;
}

type Value = string | number | SafeHtml | readonly SafeHtml[] | null;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * A piece of a page. Every value is escaped, for text and for quoted attributes alike, and unseen characters are written
 * out, so that no text can turn the page around; only `SafeHtml` passes. The one place where HTML is escaped.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): SafeHtml {
  let safe = strings[0] ?? "";
  for (const [index, value] of values.entries()) safe += markupOf(value) + (strings[index + 1] ?? "");
  return { safe };
}

/** Markup written by this program, not by anyone else. */
export function markup(safe: string): SafeHtml {
  return { safe };
}

/** JSON that may stand inside a script element: no tag can begin in it. */
export function jsonForScript(value: unknown): SafeHtml {
  return { safe: JSON.stringify(value).replace(/</g, "\\u003c") };
}

function markupOf(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return escapeText(value);
  if ("safe" in value) return value.safe;
  return value.map((part) => part.safe).join("");
}

function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(unseenCharacters, (character) => (character === "\n" ? character : escapeCharacter(character)));
}
