import { isJsonObject, type JsonValue, parseJson } from "../../protocol/json.ts";
import type { PinnedFetch } from "../turn.ts";
import { bareHost, isAddress, publicAddressesOnly } from "./address.ts";
import { readBytes, reasonOf } from "./fetch-page.ts";
import { tidy } from "./page-text.ts";
import { allowedForm } from "./page-url.ts";

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

export type SearchResult =
  | { readonly kind: "hits"; readonly hits: readonly SearchHit[] }
  | { readonly kind: "failed"; readonly reason: string };

export interface SearchWorld {
  readonly web: PinnedFetch;
  /** Base URL of the SearXNG instance. The user named it, so it may be on this machine. */
  readonly searxng: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const mostHits = 6;
const longestExcerpt = 400;
const longestTitle = 160;

/** Asks a SearXNG instance through its JSON API. Never rejects. */
export async function searchWeb(query: string, world: SearchWorld): Promise<SearchResult> {
  const timeout = AbortSignal.timeout(world.timeoutMs);
  const signal = AbortSignal.any([world.signal, timeout]);
  const failed = (reason: string): SearchResult => ({ kind: "failed", reason });
  try {
    const response = await ask(searchUrl(world.searxng, query), { ...world, signal });
    const body =
      response.body === null ? "" : new TextDecoder().decode((await readBytes(response.body, world.maxBytes)).bytes);
    // SearXNG ships with the JSON format switched off and answers 403 then.
    if (response.status === 403)
      return failed("the search service answers no JSON (HTTP 403); its settings need `json` under search.formats");
    if (!response.ok) return failed(`the search service answered with HTTP status ${response.status}`);
    const hits = readHits(parseJson(body));
    return hits === null ? failed("the search service did not answer with SearXNG's JSON") : { kind: "hits", hits };
  } catch (error) {
    return failed(
      timeout.aborted ? `no answer of the search service within ${world.timeoutMs / 1000} s` : reasonOf(error),
    );
  }
}

function searchUrl(base: string, query: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/search$/, "")}/search`;
  url.search = new URLSearchParams({ q: query, format: "json" }).toString();
  return url;
}

async function ask(url: URL, world: SearchWorld): Promise<Response> {
  const { username, password } = url;
  const credentials = username === "" ? null : btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  url.username = "";
  url.password = "";
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    ...(credentials === null ? {} : { authorization: `Basic ${credentials}` }),
  };
  const host = bareHost(url.hostname);
  const addresses = isAddress(host) ? [host] : await world.web.resolve(host, world.signal);
  let failure: unknown = new Error(`${host} has no address`);
  for (const address of addresses) {
    try {
      return await world.web.fetch(url.href, { address, headers, signal: world.signal });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function readHits(body: JsonValue | undefined): readonly SearchHit[] | null {
  if (!isJsonObject(body) || !Array.isArray(body["results"])) return null;
  const hits: SearchHit[] = [];
  for (const result of body["results"]) {
    if (hits.length === mostHits) break;
    if (!isJsonObject(result) || typeof result["url"] !== "string") continue;
    const url = allowedForm(result["url"]);
    if (url === null || isUnfit(url) || hits.some((hit) => hit.url === url)) continue;
    hits.push({
      url,
      title: oneLine(result["title"], longestTitle),
      excerpt: oneLine(result["content"], longestExcerpt),
    });
  }
  return hits;
}

/** A search finds pages; an address of a local network among them is somebody's trap and would be refused anyway. */
function isUnfit(url: string): boolean {
  const host = bareHost(new URL(url).hostname);
  return isAddress(host) && publicAddressesOnly(host) !== null;
}

function oneLine(value: JsonValue | undefined, longest: number): string {
  if (typeof value !== "string") return "";
  const line = tidy(value).replace(/\s+/g, " ");
  return line.length <= longest ? line : `${line.slice(0, longest)}…`;
}
