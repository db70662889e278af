/** The parts of an absolute URL, as `URL` gives them. */
export interface ReadUrl {
  readonly href: string;
  readonly host: string;
  readonly hostname: string;
  readonly pathname: string;
  readonly search: string;
  readonly holdsCredentials: boolean;
}

/** A server is asked at a handful of URLs, thousands of times; a longer one is seldom asked for twice. */
const mostKept = 64;
const longestKept = 256;
const kept = new Map<string, ReadUrl>();

/** Reads a URL, and one that was read before from memory. @throws TypeError where it is none */
export function readUrl(text: string): ReadUrl {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const { href, host, hostname, pathname, search, username, password } = new URL(text);
  const read = { href, host, hostname, pathname, search, holdsCredentials: username !== "" || password !== "" };
  if (text.length <= longestKept) {
    // Emptied rather than aged: whoever asks for ever new URLs gains nothing by either.
    if (kept.size >= mostKept) kept.clear();
    kept.set(text, read);
  }
  return read;
}
