import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls, rootCertificates } from "node:tls";
import type { buildConnector, Dispatcher } from "undici";
import { type Handler, TransportError } from "../protocol/handler.ts";
import { fieldsOf, type PlainFields } from "../protocol/plain-message.ts";
import { abortSignalOf, takePlainBody } from "../protocol/plain-request.ts";
import { readUrl } from "../protocol/read-url.ts";
import { speaksTls } from "./failure.ts";
import { hopByHopHeaders } from "./headers.ts";
import { connectorOf, loadProxyAgent, Pool } from "./undici-parts.ts";
import { aborted, duration, type ExchangeLimits, type OutgoingRequest, startExchange } from "./upstream-exchange.ts";

/** Limits in milliseconds; 0 switches one off. */
export interface Timeouts {
  /** Until the connection stands, TLS included. Default 10 s. */
  readonly connectMs?: number | undefined;
  /** From sending the request to the first byte of the body. Default 5 minutes: prompts are read before anything is written. */
  readonly firstByteMs?: number | undefined;
  /** Between two pieces of the body. Default 2 minutes. Time in which the reader does not want more is not counted. */
  readonly idleMs?: number | undefined;
  /** For the whole exchange. Default: none. */
  readonly totalMs?: number | undefined;
}

export interface UpstreamOptions {
  readonly timeouts?: Timeouts | undefined;
  /** Most connections at a time; absent = as many as there are requests. */
  readonly connections?: number | undefined;
  /** `ca`: a certificate in PEM that is trusted beside the well-known ones. */
  readonly tls?: { readonly ca?: string | undefined; readonly rejectUnauthorized?: boolean | undefined } | undefined;
  /** URL of an HTTP proxy; its credentials stand in the URL. */
  readonly proxy?: string | null | undefined;
}

/** A real server as a Handler, with a pool of connections of its own. */
export interface Upstream extends Handler {
  /** Ends every connection; requests under way fail as aborted. */
  close(): Promise<void>;
}

/**
 * The server at `baseUrl` as a Handler: only path and query of a request count, set behind the path of the base URL. Nothing is
 * retried, redirected or decompressed. Throws one clear line where a URL is none; the Handler rejects only with TransportError.
 */
export function upstream(baseUrl: string, options: UpstreamOptions = {}): Upstream {
  const base = serverUrl(baseUrl);
  const proxy = options.proxy == null || options.proxy === "" ? null : serverUrl(options.proxy);
  const limits: ExchangeLimits = {
    firstByteMs: options.timeouts?.firstByteMs ?? 300_000,
    idleMs: options.timeouts?.idleMs ?? 120_000,
    totalMs: options.timeouts?.totalMs ?? 0,
  };
  const dispatcher = createDispatcher(base, proxy, options);
  const secure = base.protocol === "https:";
  const place = { server: hostAndPort(base), via: proxy === null ? null : hostAndPort(proxy), secure };
  const prefix = base.pathname.replace(/\/+$/, "");
  let answered = false;
  let tlsProbe: Promise<boolean> | undefined;
  const authorization = base.username === "" ? null : basicAuthorization(base);

  const handler: Handler = async (request) => {
    const signal = abortSignalOf(request);
    const body = await outgoingBody(request);
    if (signal?.aborted === true) throw aborted(signal);
    const { pathname, search } = readUrl(request.url);
    const outgoing: OutgoingRequest = {
      origin: base.origin,
      path: `${prefix}${pathname}${search}`,
      method: request.method,
      headers: outgoingHeaders(fieldsOf(request), body instanceof Readable, authorization),
      body,
    };
    try {
      const response = await startExchange(dispatcher, outgoing, signal, limits, place);
      answered = true;
      return response;
    } catch (error) {
      // A limit of our own has no cause: there the server is silent, it has not closed anything.
      const closed = TransportError.is(error) && error.phase === "first_byte" && error.cause !== undefined;
      if (!closed || answered || secure || proxy !== null) throw error;
      tlsProbe ??= acceptsTls(base);
      if (!(await tlsProbe)) throw error;
      const { phase, message } = speaksTls(place.server);
      throw new TransportError(phase, message, { cause: error });
    }
  };
  return Object.assign(handler, { close: () => dispatcher.destroy() });
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "") {
    throw new Error(
      `${JSON.stringify(text)} is no URL of a server; write it with its scheme, for example http://localhost:8000`,
    );
  }
  return url;
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port}`;
}

function basicAuthorization(url: URL): string {
  const credentials = Buffer.from(`${percentDecoded(url.username)}:${percentDecoded(url.password)}`);
  return `Basic ${credentials.toString("base64")}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A password may hold a percent sign that encodes nothing.
    return text;
  }
}

function createDispatcher(base: URL, proxy: URL | null, options: UpstreamOptions): Dispatcher {
  const connectMs = options.timeouts?.connectMs ?? 10_000;
  const { ca, rejectUnauthorized } = options.tls ?? {};
  const tls = {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
  const common = { connections: options.connections ?? null, pipelining: 1 };
  // One server, one pool: an agent would look for it at each request.
  if (proxy === null) return new Pool(base.origin, { ...common, connect: connector(connectMs, tls) });
  const connect = { timeout: connectMs, ...tls };
  // A tunnel only where TLS needs one: many proxies allow CONNECT to port 443 alone.
  const ProxyAgent = loadProxyAgent();
  return new ProxyAgent({
    ...common,
    uri: proxy.href,
    proxyTunnel: base.protocol === "https:",
    requestTls: connect,
    proxyTls: connect,
  });
}

/** The client's own connect timer is coarse and cannot tell a silent network from a server that never finishes TLS. */
function connector(connectMs: number, tls: { ca?: string[]; rejectUnauthorized?: boolean }): buildConnector.connector {
  const connect = connectorOf({ ...tls, timeout: 0 } as buildConnector.BuildOptions);
  return (target, callback) => {
    // The types say void; it is the socket, which this needs for its timer.
    const socket = connect(target, (...result) => {
      clearTimeout(timer);
      callback(...result);
    }) as unknown as Socket;
    let reached = false;
    socket.once("connect", () => {
      reached = true;
    });
    const server = `${target.hostname}:${target.port || (target.protocol === "https:" ? 443 : 80)}`;
    const timer =
      connectMs > 0
        ? setTimeout(() => {
            const message = reached
              ? `no TLS handshake with ${server} within ${duration(connectMs)}; if it speaks plain HTTP, use http://`
              : `no connection to ${server} within ${duration(connectMs)}`;
            socket.destroy(new TransportError(reached ? "tls" : "connect", message));
          }, connectMs)
        : undefined;
  };
}

/**
 * Many TLS servers close a plain connection without a word. Where nothing has ever been answered and the connection was
 * closed, one handshake without a request tells that case from a server that fails.
 */
function acceptsTls(base: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const port = Number(base.port === "" ? 80 : base.port);
    const socket = connectTls({
      host: base.hostname.replace(/^\[|\]$/g, ""),
      port,
      rejectUnauthorized: false,
      timeout: 1000,
    });
    const settle = (accepts: boolean) => {
      socket.destroy();
      resolve(accepts);
    };
    const refuse = () => settle(false);
    socket.once("secureConnect", () => settle(true));
    socket.once("timeout", refuse);
    socket.on("error", refuse);
    socket.once("close", refuse);
  });
}

function outgoingHeaders(
  received: PlainFields,
  streaming: boolean,
  authorization: string | null,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const dropped = hopByHopHeaders(received["connection"]);
  for (const name in received) {
    if (dropped.has(name) || name === "host" || name === "expect") continue;
    // A body in one piece has the length that it has; the header may be of another encoding of it.
    if (name === "content-length" && !streaming) continue;
    headers[name] = received[name] ?? "";
  }
  // Answers are evidence and are read here: none is asked for in a form that would have to be unpacked first.
  headers["accept-encoding"] = "identity";
  if (authorization !== null) headers["authorization"] ??= authorization;
  return headers;
}

/** A body in one piece is sent as it is; a longer one streams, read only as fast as it can be sent. */
async function outgoingBody(request: Request): Promise<OutgoingRequest["body"]> {
  const plain = takePlainBody(request);
  if (plain !== undefined) return plain;
  if (request.body === null) return null;
  const reader = request.body.getReader();
  try {
    const first = await reader.read();
    if (first.done) return new Uint8Array(0);
    const second = await reader.read();
    if (second.done) return first.value;
    return Readable.from(rest([first.value, second.value], reader), { objectMode: false });
  } catch (error) {
    throw TransportError.is(error) ? error : aborted(request.signal);
  }
}

async function* rest(
  read: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel();
  }
}
