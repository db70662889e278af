import { columns, pad } from "./terminal-layout.ts";

/** One line of a cell; `style` is applied after padding, so that colour never disturbs the columns. */
export interface CellLine {
  readonly text: string;
  readonly style?: ((text: string) => string) | undefined;
}

/** A cell of one or more lines. */
export type TableCell = readonly CellLine[];

/** A cell of one line. */
export function cell(text: string, style?: (text: string) => string): TableCell {
  return [{ text, style }];
}

/** Rows set in columns that are as wide as their widest line, `gap` apart, `indent` from the left; no trailing space. */
export function tableLines(rows: readonly (readonly TableCell[])[], indent: number, gap = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { length }] of row.entries()) {
      const lines = row[index] ?? [];
      if (length > 0) widths[index] = Math.max(widths[index] ?? 0, ...lines.map((line) => columns(line.text)));
    }
  }
  return rows.flatMap((row) => {
    const height = Math.max(1, ...row.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const last = row.findLastIndex((lines) => (lines[line]?.text ?? "") !== "");
      const texts = row.slice(0, last + 1).map((lines, index) => {
        const { text, style } = lines[line] ?? { text: "", style: undefined };
        const padded = index === last ? text : pad(text, widths[index] ?? 0);
        return style === undefined ? padded : style(padded);
      });
      return last < 0 ? "" : " ".repeat(indent) + texts.join(" ".repeat(gap));
    });
  });
}
