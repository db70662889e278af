import { visibleText } from "../terminal-text.ts";

/**
 * Text of a model, a server or a user in Markdown, in a heading or inside HTML alike: it can open no markup, no HTML, no link
 * and no formula, and calls nobody by an at sign. On one line.
 */
export function markdownText(text: string): string {
  return (
    visibleText(text)
      // References are read in Markdown and in HTML; backslashes only in the former.
      .replace(/[&<>@#`*[\]|~$\\{}]/g, reference)
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, reference)
      // A bare address would become a link.
      .replace(/(?<=\bhttps?|\bwww):(?=\/\/)|(?<=\bwww)\./gi, reference)
  );
}

function reference(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** A row of a table. The cells are Markdown already. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** A table with its head; columns from the second on are set to the right where `numbers` says so. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], numbers = true): string {
  const rule = head.map((_, index) => (numbers && index > 0 ? "--:" : "---"));
  return [tableRow(head), tableRow(rule), ...rows.map(tableRow)].join("\n");
}

/** Something to unfold. GitHub needs the blank lines to read Markdown inside. */
export function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** Parts in their order of importance, as many as fit in `limit` bytes; `leftOut` stands where some did not. */
export function fitted(parts: readonly string[], limit: number, leftOut: string): string {
  const bytes = (text: string) => Buffer.byteLength(text, "utf8");
  const kept: string[] = [];
  let size = bytes(leftOut) + 2;
  let missing = false;
  for (const part of parts) {
    const own = bytes(part) + 2;
    if (size + own > limit) {
      missing = true;
      continue;
    }
    size += own;
    kept.push(part);
  }
  return `${[...kept, ...(missing ? [leftOut] : [])].join("\n\n")}\n`;
}
