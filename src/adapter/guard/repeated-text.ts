/** Leaves out an answer that a model writes a second time behind itself. */
export interface RepeatedTextFilter {
  push(text: string): string;
  /** What was held back and is no repetition. */
  end(): string;
  /** The repetition that was left out; "" for none. */
  dropped(): string;
}

/** Shorter answers repeat themselves for good reasons. */
const shortestAnswer = 40;

/**
 * A filter for one reply. Behind a line break it holds text back as long as that is, letter for letter, what the reply began
 * with; only a whole second copy is left out.
 */
export function createRepeatedTextFilter(): RepeatedTextFilter {
  let said = "";
  /** A copy that may be under way, white space in front of it included. */
  let held = "";
  let dropped = "";

  /** True where `held` is white space with a line break, followed by a beginning of what was said. */
  function matches(): boolean {
    const copy = held.trimStart();
    if (!held.slice(0, held.length - copy.length).includes("\n")) return copy === "";
    return said.trim().startsWith(copy.trimEnd());
  }

  function settle(text: string): string {
    said += text;
    return text;
  }

  return {
    push(text) {
      let out = "";
      let rest = text;
      while (rest !== "") {
        if (held === "") {
          const from = said.trim().length + rest.length >= shortestAnswer ? firstBreak(said, rest) : -1;
          if (from === -1) return out + settle(rest);
          out += settle(rest.slice(0, from));
          rest = rest.slice(from);
          if (said.trim().length < shortestAnswer) {
            const more = rest.search(/[^\s]/);
            const upTo = more === -1 ? rest.length : more;
            out += settle(rest.slice(0, Math.max(1, upTo)));
            rest = rest.slice(Math.max(1, upTo));
            continue;
          }
        }
        held += rest;
        rest = "";
        if (matches()) continue;
        // No copy: what was held leaves, and a copy may begin at a later line of it.
        const later = held.indexOf("\n", held.length - held.trimStart().length);
        const upTo = later === -1 ? held.length : later;
        out += settle(held.slice(0, upTo));
        rest = held.slice(upTo);
        held = "";
      }
      return out;
    },
    end() {
      const copy = held.trim();
      if (copy !== "" && copy === said.trim()) {
        dropped = copy;
        held = "";
        return "";
      }
      const text = held;
      held = "";
      return text;
    },
    dropped: () => dropped,
  };
}

/** Where in `rest` the first line break stands; at once where the text said so far ends with one. */
function firstBreak(said: string, rest: string): number {
  if (said.endsWith("\n") && rest.startsWith("\n")) return 0;
  return rest.indexOf("\n");
}
