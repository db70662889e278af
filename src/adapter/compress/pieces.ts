import type { Segment } from "./segments.ts";

/** A text of so many UTF-16 units is worked through in pieces, so that others get their turn in between. */
export const pieceLength = 256 * 1024;
/** How far back from there a good place for a cut is looked for. */
const slack = 4 * 1024;

/**
 * Cuts a long text so that no word and, where it can be helped, no line is cut: at an empty line, else at the end of a line that does
 * not promise something for the next one, else at a blank. Gives the text itself where it is short.
 */
export function cutPieces(text: string): readonly Segment[] {
  const pieces: Segment[] = [];
  let start = 0;
  while (text.length - start > 2 * pieceLength) {
    const end = cutBefore(text, start + pieceLength);
    pieces.push({ start, end });
    start = end;
  }
  pieces.push({ start, end: text.length });
  return pieces;
}

function cutBefore(text: string, limit: number): number {
  const window = text.slice(limit - slack, limit);
  for (const ends of [/\n\n(?!\n)/g, /(?<![:=]\s*)\n/g, /\s/g]) {
    let last = -1;
    for (const match of window.matchAll(ends)) last = match.index + match[0].length;
    if (last !== -1) return limit - slack + last;
  }
  const unit = text.charCodeAt(limit);
  return unit >= 0xdc00 && unit < 0xe000 ? limit + 1 : limit;
}
