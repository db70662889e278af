import type { PlainFields } from "../protocol/plain-message.ts";

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Tells which headers must not be passed on, given the message's own `connection` header. Names are lower case. */
export function hopByHopHeaders(connection: string | null | undefined): ReadonlySet<string> {
  if (connection == null || /^(close|keep-alive)?$/i.test(connection)) return hopByHop;
  return new Set([...hopByHop, ...connection.split(",").map((name) => name.trim().toLowerCase())]);
}

/**
 * The head of a message as received, without the headers of one connection: as plain fields where each stands for itself, else as a
 * `Headers`. `count`: how many lines the head had, where that is known; fewer names mean that some were joined or set aside.
 */
export function receivedHeaders(
  received: Readonly<Record<string, string | readonly string[] | undefined>>,
  pairs: () => Iterable<readonly [string, string]>,
  count?: number,
): PlainFields | Headers {
  const dropped = hopByHopHeaders(received["connection"] as string | undefined);
  const fields: Record<string, string> = {};
  let names = 0;
  for (const name in received) {
    const value = received[name];
    names += 1;
    if (typeof value !== "string" || beyondLatin1.test(value)) return joinedHeaders(pairs(), dropped);
    if (!dropped.has(name)) fields[name] = value;
  }
  return count === undefined || count === names ? fields : joinedHeaders(pairs(), dropped);
}

const beyondLatin1 = /[^\t\x20-\x7e\x80-\xff]/;

function joinedHeaders(pairs: Iterable<readonly [string, string]>, dropped: ReadonlySet<string>): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) if (!dropped.has(name)) appendHeader(headers, name, value);
  return headers;
}

/** Adds a header as received; a value outside Latin-1 (raw UTF-8 on the wire) is kept as its bytes, as HTTP sees it. */
function appendHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    headers.append(
      name,
      Buffer.from(value, "utf8")
        .toString("latin1")
        .replace(/[\r\n\0]/g, " "),
    );
  }
}
