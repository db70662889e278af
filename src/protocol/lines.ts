/** Longest line, in UTF-16 units, that is kept: a server that never breaks a line must not fill the memory. */
export const maxLineLength = 16 * 1024 * 1024;

/** Cuts text that arrives in pieces into lines, in time linear in its length. */
export interface LineSplitter {
  /** Lines that the piece completed, without their line breaks; null stands for a line that was over the limit. */
  push(text: string): (string | null)[];
  /** The unterminated rest; undefined when there is none. */
  end(): string | null | undefined;
}

/**
 * A splitter at LF; with `carriageReturn` also at CR and CRLF, as server-sent events ask.
 * A line longer than `limit` is given as null, and its text is not kept.
 */
export function createLineSplitter(options: { carriageReturn: boolean; limit?: number }): LineSplitter {
  const limit = options.limit ?? maxLineLength;
  // Fragments are joined once per line: adding each piece to one string and searching it again would be quadratic.
  let fragments: string[] = [];
  let length = 0;
  let overlong = false;
  let afterCarriageReturn = false;

  function keep(fragment: string): void {
    if (fragment === "" || overlong) return;
    length += fragment.length;
    if (length > limit) {
      overlong = true;
      fragments = [];
    } else {
      fragments.push(fragment);
    }
  }

  function take(last: string): string | null {
    keep(last);
    const line = overlong ? null : fragments.length === 1 ? (fragments[0] ?? "") : fragments.join("");
    fragments = [];
    length = 0;
    overlong = false;
    return line;
  }

  return {
    push(piece) {
      if (piece === "") return [];
      let text = piece;
      if (afterCarriageReturn) {
        // The CR has ended its line already; an LF right behind it belongs to the same break.
        afterCarriageReturn = false;
        if (text.startsWith("\n")) text = text.slice(1);
      }
      const lines: (string | null)[] = [];
      let start = 0;
      if (!options.carriageReturn || !text.includes("\r")) {
        for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", start)) {
          lines.push(take(text.slice(start, at)));
          start = at + 1;
        }
      } else {
        for (const match of text.matchAll(/\r\n|\n|\r/g)) {
          lines.push(take(text.slice(start, match.index)));
          start = match.index + match[0].length;
        }
        afterCarriageReturn = text.endsWith("\r");
      }
      keep(text.slice(start));
      return lines;
    },
    end() {
      if (length === 0) return undefined;
      return take("");
    },
  };
}
