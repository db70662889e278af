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

/** Adds a header as received; a value outside Latin-1 (raw UTF-8 on the wire) is kept as its bytes, as HTTP sees it. */
export function appendHeader(headers: Headers, name: string, value: string): void {
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
