import { bareHost, isAddress } from "./address.ts";

/** A URL that may be asked for, as far as its form goes; its addresses are still to be checked. */
export type PageUrl =
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "refused"; readonly reason: string };

/** Names that stand for this machine or its network, whatever a resolver says. */
const localNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|onion|in-addr\.arpa|ip6\.arpa)$/;

/** Ports of other protocols, as browsers refuse them; below 1024 only those of the web are open anyway. */
const foreignPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  9200, 10080, 11211, 27017,
]);

/** Reads a URL as strictly as one that a program has written must be read. */
export function readPageUrl(text: string): PageUrl {
  const refuse = (reason: string): PageUrl => ({ kind: "refused", reason });
  // Tabs, line ends and backslashes would be mended silently, and mean another host to the next reader.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse("it holds characters that no URL has");
  const match = /^(https?):\/\/([^/?#]+)/i.exec(text);
  if (match === null || !URL.canParse(text)) return refuse("it is no http or https URL");
  const authority = match[2] ?? "";
  if (authority.includes("@")) return refuse("it carries a user name or password");
  const url = new URL(text);
  const written = bareHost(authority.replace(/:\d*$/, "")).toLowerCase();
  const host = bareHost(url.hostname);
  if (isAddress(host) && !isWrittenPlainly(written, host)) return refuse("its address is written in an unusual form");
  const name = host.replace(/\.$/, "");
  if (localNames.test(name)) return refuse("its host is a name of a local network");
  if (!isAddress(host) && !name.includes(".")) return refuse("its host is a name of a local network");
  const port = url.port === "" ? null : Number(url.port);
  if (port !== null && ((port < 1024 && port !== 80 && port !== 443) || foreignPorts.has(port)))
    return refuse(`port ${port} is no port of web pages`);
  url.hash = "";
  return { kind: "url", url };
}

/** IPv4 as four decimal numbers, IPv6 as hexadecimal groups alone: octal, hexadecimal, short, mixed and full-width forms are not. */
function isWrittenPlainly(written: string, host: string): boolean {
  return host.includes(":") ? /^[0-9a-f:]+$/.test(written) : written === host;
}

const urlStart = /https?:\/\//gi;
const longestUrl = 2048;
const delimiter = /[\s"'`<>{}|\\^「」『』（）【】《》〈〉“”、。，；！？]/;

/**
 * Every URL that stands in a text, in the normal form that `allowedForm` gives. Where one ends is often a matter of reading
 * (punctuation, Japanese without a space), so each reading counts; no reading is more than what stands there.
 */
export function urlsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(urlStart)) {
    const rest = text.slice(match.index, match.index + longestUrl);
    const end = rest.slice(match[0].length).search(delimiter);
    const whole = end === -1 ? rest : rest.slice(0, match[0].length + end);
    for (const reading of [whole, /^[\x21-\x7e]+/.exec(whole)?.[0] ?? ""]) {
      for (const form of [reading, reading.replace(/[.,;:!?)\]*_]+$/, "")]) {
        const url = allowedForm(form);
        if (url !== null) found.add(url);
      }
    }
  }
  return [...found];
}

/** The form in which URLs are compared: normalised, without fragment. Null where it is no URL that may be fetched. */
export function allowedForm(text: string): string | null {
  const read = readPageUrl(text);
  return read.kind === "url" ? read.url.href : null;
}
