import { TransportError } from "../../protocol/handler.ts";
import { parseJson } from "../../protocol/json.ts";
import type { PinnedFetch } from "../turn.ts";
import { type AddressRule, bareHost, isAddress } from "./address.ts";
import { decodePage, htmlText, type PageText, tidy } from "./page-text.ts";
import { readPageUrl } from "./page-url.ts";

export interface PageLimits {
  /** Bytes read of one body, as sent and as unpacked. */
  readonly maxBytes: number;
  /** For one page with its redirects. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

/** What came of asking for a page. `refused`: it was not asked for, by a rule; `failed`: it could not be had. */
export type PageResult =
  | { readonly kind: "page"; readonly url: string; readonly page: PageText; readonly cut: boolean }
  | { readonly kind: "refused"; readonly url: string; readonly reason: string }
  | { readonly kind: "failed"; readonly url: string; readonly reason: string };

/** What reaches the world, and which addresses it may reach. */
export interface PageWorld {
  readonly web: PinnedFetch;
  readonly rule: AddressRule;
  readonly signal: AbortSignal;
}

const readable =
  /^(?:text\/(?!event-stream)[\w.+-]+|application\/(?:json|xml|xhtml\+xml|[\w.-]+\+(?:json|xml)|javascript|yaml|x-yaml|toml))$/;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a page as text. Each hop is checked anew: the URL's form, then every address that its name has; one that is refused
 * refuses the name, and the connection goes to a checked address and to no other. Never rejects.
 */
export async function fetchPage(text: string, limits: PageLimits, world: PageWorld): Promise<PageResult> {
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([world.signal, timeout]);
  let asked = text;
  try {
    for (let hop = 0; hop <= limits.maxRedirects; hop++) {
      const reading = readPageUrl(asked);
      if (reading.kind === "refused") return { kind: "refused", url: asked, reason: reading.reason };
      const { url } = reading;
      const address = await checkedAddress(url, { ...world, signal });
      if (address.kind === "refused") return { kind: "refused", url: asked, reason: address.reason };
      const response = await world.web.fetch(url.href, { address: address.address, headers: requestHeaders, signal });
      const location = redirects.has(response.status) ? response.headers.get("location") : null;
      if (location === null) return await readPage(url.href, response, limits.maxBytes);
      await response.body?.cancel();
      if (!URL.canParse(location, url.href)) return { kind: "failed", url: url.href, reason: "it redirects to no URL" };
      const next = redirectTarget(location, url);
      if (url.protocol === "https:" && !/^https:/i.test(next))
        return { kind: "refused", url: next, reason: "it redirects from https to http" };
      asked = next;
    }
    return { kind: "failed", url: asked, reason: `it redirects more than ${limits.maxRedirects} times` };
  } catch (error) {
    const reason = timeout.aborted ? `no complete answer within ${limits.timeoutMs / 1000} s` : reasonOf(error);
    return { kind: "failed", url: asked, reason };
  }
}

const requestHeaders = {
  accept: "text/html, application/xhtml+xml, text/plain, application/json;q=0.9, text/*;q=0.8",
  "accept-language": "*",
  "accept-encoding": "identity",
  "user-agent": "harness-lab-adapter",
};

/** An absolute target stays as it is written, so that an unusual form of it is seen. */
function redirectTarget(location: string, from: URL): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(location) ? location : relativeTarget(location, from);
}

function relativeTarget(location: string, from: URL): string {
  // "//host" names a host as well.
  return /^[/\\]{2}/.test(location) ? `${from.protocol}${location}` : new URL(location, from).href;
}

/** The address to ask, once every one of the name's has been found fit. */
async function checkedAddress(
  url: URL,
  world: PageWorld,
): Promise<
  { readonly kind: "address"; readonly address: string } | { readonly kind: "refused"; readonly reason: string }
> {
  const host = bareHost(url.hostname);
  const addresses = isAddress(host) ? [host] : await world.web.resolve(host, world.signal);
  for (const address of addresses) {
    const reason = world.rule(address);
    if (reason !== null) return { kind: "refused", reason: `its host is at ${reason}` };
  }
  // IPv4 first: many machines have no way out over IPv6.
  const address = addresses.find((one) => !one.includes(":")) ?? addresses[0];
  if (address === undefined) throw new TransportError("dns", `${host} has no address`);
  return { kind: "address", address };
}

async function readPage(url: string, response: Response, maxBytes: number): Promise<PageResult> {
  const failed = async (reason: string): Promise<PageResult> => {
    await response.body?.cancel();
    return { kind: "failed", url, reason };
  };
  if (!response.ok) return failed(`the server answered with HTTP status ${response.status}`);
  const contentType = response.headers.get("content-type") ?? "text/plain";
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (!readable.test(type)) return failed(`it is of type ${JSON.stringify(type.slice(0, 80))}, which is no text`);
  const body = unpacked(response);
  if (body === null) return failed("it is packed in a way that cannot be read here");
  const { bytes, cut } = await readBytes(body, maxBytes);
  const text = decodePage(bytes, contentType);
  const isHtml = type.includes("html") || (type === "text/plain" && /^\s*<(?:!doctype html|html)/i.test(text));
  return { kind: "page", url, page: isHtml ? await htmlText(text) : { title: null, text: plainText(text, type) }, cut };
}

/** JSON on one line is written over several, so that it can be shortened by lines. */
function plainText(text: string, type: string): string {
  if (!type.endsWith("json")) return tidy(text);
  const value = parseJson(text);
  return tidy(value === undefined ? text : JSON.stringify(value, null, 1));
}

/** The body without its content encoding, which some servers use unasked; null for one that is not known. */
function unpacked(response: Response): ReadableStream<Uint8Array> | null {
  const body = response.body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  const encoding = (response.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return body;
  if (encoding !== "gzip" && encoding !== "x-gzip" && encoding !== "deflate") {
    void body.cancel();
    return null;
  }
  const unpacker = new DecompressionStream(encoding === "deflate" ? "deflate" : "gzip");
  return body.pipeThrough(unpacker as unknown as Pair);
}

type Pair = { readonly readable: ReadableStream<Uint8Array>; readonly writable: WritableStream<Uint8Array> };

/** Reads so many bytes and leaves the rest: what a few bytes unpack to has no other limit. */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly cut: boolean }> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let cut = false;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const chunk = read.value.subarray(0, maxBytes - length);
    cut = chunk.length < read.value.length;
    chunks.push(chunk);
    length += chunk.length;
    if (cut) break;
  }
  await reader.cancel().catch(() => undefined);
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, cut };
}

/** One line for an error of the transport or of unpacking. */
export function reasonOf(error: unknown): string {
  if (TransportError.is(error)) return error.message;
  return error instanceof Error ? error.message.replace(/\s+/g, " ").slice(0, 200) : "it could not be read";
}
