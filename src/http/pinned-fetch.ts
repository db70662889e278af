import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { rootCertificates } from "node:tls";
import type { buildConnector } from "undici";
import { TransportError } from "../protocol/handler.ts";
import { toTransportError } from "./failure.ts";
import { connectorOf, Pool } from "./undici-parts.ts";
import { type ExchangeLimits, startExchange } from "./upstream-exchange.ts";

export interface PinnedFetchOptions {
  /** Every address of a name; the system's resolver where absent. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
  /** Until the connection stands, in milliseconds. Default 5 s. */
  readonly connectMs?: number | undefined;
  /** Until the answer begins, and between two pieces of it, in milliseconds. Default 10 s. */
  readonly idleMs?: number | undefined;
  /** A certificate in PEM that is trusted beside the well-known ones. */
  readonly ca?: string | undefined;
}

/** Looks names up, and fetches from one given address. It has no opinion on which addresses are fit to be asked. */
export interface PinnedFetch {
  /** Every address that a name has now; rejects with a TransportError of phase `dns`, or `aborted`. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Sends a GET over a connection to exactly `address`; the URL's name is used for TLS and the Host header alone. Follows no
   * redirect, uses no proxy, unpacks nothing. Rejects only with a TransportError.
   */
  fetch(
    url: string,
    options: {
      readonly address: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
}

/** The real client of the web tools. Each fetch has a connection of its own, so that none is shared between pinned addresses. */
export function pinnedFetch(options: PinnedFetchOptions = {}): PinnedFetch {
  const find = options.resolve ?? systemAddresses;
  const idleMs = options.idleMs ?? 10_000;
  const limits: ExchangeLimits = { firstByteMs: idleMs, idleMs, totalMs: 0 };

  return {
    async resolve(host, signal) {
      try {
        return await orAborted(find(host), signal);
      } catch (error) {
        throw toTransportError(error, { server: host, via: null, secure: false, progress: "connecting" });
      }
    },
    async fetch(url, { address, headers, signal }) {
      const { hostname, host, origin, pathname, search, protocol } = new URL(url);
      const literal = hostname.replace(/^\[|\]$/g, "");
      // A socket to a literal asks nobody for its address, so there is nothing to pin.
      if (isIP(literal) !== 0 && literal !== address)
        throw new TransportError("connect", `${host} is an address itself and not ${address}`);
      const dispatcher = new Pool(origin, {
        connections: 1,
        pipelining: 0,
        connect: connectorOf({
          timeout: options.connectMs ?? 5_000,
          lookup: pinnedLookup(address),
          ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
        } as buildConnector.BuildOptions),
      });
      const secure = protocol === "https:";
      const request = { origin, path: `${pathname}${search}`, method: "GET", headers: { ...headers }, body: null };
      try {
        return await startExchange(dispatcher, request, signal, limits, { server: host, via: null, secure });
      } finally {
        // Lets an answer under way come to its end.
        dispatcher.close().catch(() => undefined);
      }
    },
  };
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function pinnedLookup(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

/** The system's resolver cannot be stopped; nobody has to wait for it. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(new TransportError("aborted", "the request was aborted", { cause: signal.reason }));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
