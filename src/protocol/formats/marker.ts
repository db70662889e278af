/** One `{{NAME: task}}` in a text; offsets in UTF-16 units. `closed` is false where the text ended inside it. */
export interface MarkerMatch {
  readonly name: string;
  readonly task: string;
  readonly start: number;
  readonly end: number;
  readonly closed: boolean;
}

const opener = /\{\{([A-Z][A-Z_]*):/g;

/** What a model that keeps the marker contract writes. */
export function renderMarker(name: string, task: string): string {
  return `{{${name}: ${task}}}`;
}

/**
 * All markers of a text, whatever their names, in order. A marker ends at the first `}}` that leaves its own braces
 * balanced, so that a task may hold `{}` or a dictionary; it never runs over a blank line.
 */
export function scanMarkers(text: string): readonly MarkerMatch[] {
  const matches: MarkerMatch[] = [];
  opener.lastIndex = 0;
  for (let match = opener.exec(text); match !== null; match = opener.exec(text)) {
    const start = match.index;
    const bodyStart = opener.lastIndex;
    let depth = 0;
    let cursor = bodyStart;
    let closed = false;
    for (; cursor < text.length; cursor++) {
      const character = text[cursor];
      if (character === "{") depth++;
      else if (character === "}" && depth > 0) depth--;
      else if (character === "}" && text[cursor + 1] === "}") {
        closed = true;
        break;
      } else if (character === "\n" && text[cursor + 1] === "\n") break;
    }
    const end = closed ? cursor + 2 : cursor;
    matches.push({ name: match[1] ?? "", task: text.slice(bodyStart, cursor).trim(), start, end, closed });
    opener.lastIndex = Math.max(end, bodyStart);
  }
  return matches;
}
