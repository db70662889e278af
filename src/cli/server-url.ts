import { UserError } from "./errors.ts";

/** A server as its URL names it. Requests go to `root` + `apiPrefix` + "/chat/completions"; neither ends in a slash. */
export interface ServerUrl {
  readonly root: string;
  readonly apiPrefix: string;
  /** `root` + `apiPrefix`, without credentials: what people see. */
  readonly shown: string;
  /** Authorization that stood in the URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads a base URL in the sense of OpenAI clients. A missing path means /v1; a path that ends in a version keeps what stands
 * before it as the server's root, because a server's own routes (/tokenize, /api/show, /props) are beside the version.
 * @throws UserError naming `where` and offering the mended URL
 */
export function parseServerUrl(text: string, where: string): ServerUrl {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const mended = `http://${text.replace(/^\/+/, "")}`;
    if (!URL.canParse(mended)) throw new UserError(`${where}: "${text}" is no URL; write http://HOST:PORT/v1`);
    throw new UserError(`${where}: "${text}" has no scheme; write ${readable(new URL(mended))}`);
  }
  if (!URL.canParse(text)) throw new UserError(`${where}: "${text}" is no URL; write http://HOST:PORT/v1`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    const mended = new URL(text.replace(/^[^:]+:/, "http:"));
    throw new UserError(`${where}: only http and https are spoken, not ${url.protocol}//; write ${readable(mended)}`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new UserError(`${where}: a base URL has no query; write ${readable(withoutQuery(url))}`);
  }
  const endpoint = /\/(chat\/completions|completions|responses|models)\/?$/.exec(url.pathname);
  if (endpoint !== null) {
    const base = withoutQuery(url);
    base.pathname = url.pathname.slice(0, endpoint.index);
    throw new UserError(`${where}: that is the address of one route; write ${readable(base)}`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  const versioned = /^(.*)(\/v\d+)$/.exec(path);
  const apiPrefix = path === "" ? "/v1" : (versioned?.[2] ?? path);
  const root = `${url.origin}${versioned?.[1] ?? ""}`;
  return { root, apiPrefix, shown: `${root}${apiPrefix}`, headers: basicAuthorization(url) };
}

/** True for addresses of this machine only. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/**
 * The proxy that the usual environment variables name for this URL, or null. Loopback never goes through a proxy; a proxy
 * could not reach it. @throws UserError for a proxy that is no http or https URL
 */
export function proxyFor(url: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const target = new URL(url);
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name.toLowerCase()] || env[name];
  if (!proxy || isLoopback(url) || isExempt(target, env["no_proxy"] || env["NO_PROXY"] || "")) return null;
  if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
    throw new UserError(
      `${name}: "${withoutSecrets(proxy)}" is no http or https URL; write http://HOST:PORT or unset it`,
    );
  }
  return proxy;
}

function isExempt(target: URL, list: string): boolean {
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = host.replace(/^\*?\./, "");
      return domain !== "" && (target.hostname === domain || target.hostname.endsWith(`.${domain}`));
    });
}

function basicAuthorization(url: URL): Readonly<Record<string, string>> {
  if (url.username === "" && url.password === "") return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials, "utf8").toString("base64")}` };
}

function readable(url: URL): string {
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  if (copy.pathname === "/" || copy.pathname === "") copy.pathname = "/v1";
  return copy.href.replace(/\/$/, "");
}

function withoutQuery(url: URL): URL {
  const copy = new URL(url);
  copy.search = "";
  copy.hash = "";
  return copy;
}

function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//");
}
