import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent } from "./undici-parts.ts";
import { startExchange } from "./upstream-exchange.ts";

/** Reaches pages of the web over connections whose address the caller has chosen and checked. */
export interface PagesOverPinnedConnections {
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  fetch(
    url: string,
    options: {
      readonly address: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
    },
  ): Promise<Response>;
}

/** Each request has a connection of its own, to the address given and no other: a name that is looked up again could have changed. */
export function pinnedFetch(): PagesOverPinnedConnections {
  return {
    async resolve(host) {
      const bare = host.replace(/^\[|\]$/g, "");
      if (isIP(bare) !== 0) return [bare];
      return (await lookup(bare, { all: true })).map(({ address }) => address);
    },
    async fetch(url, { address, headers, signal }) {
      const { origin, pathname, search, host, protocol } = new URL(url);
      const family = isIP(address);
      if (family === 0) throw new Error(`${JSON.stringify(address)} is no address`);
      const pinned: LookupFunction = (_name, options, callback) => {
        if (options.all === true) callback(null, [{ address, family }]);
        else callback(null, address, family);
      };
      const agent = new Agent({ connections: 1, connect: { lookup: pinned, timeout: 10_000 } });
      const response = await startExchange(
        agent,
        {
          origin,
          path: `${pathname}${search}`,
          method: "GET",
          headers: { ...headers, "accept-encoding": "identity" },
          body: null,
        },
        signal,
        { firstByteMs: 15_000, idleMs: 15_000, totalMs: 60_000 },
        { server: host, via: null, secure: protocol === "https:" },
      );
      // The agent ends its connection when the body is done; nothing else is ever sent on it.
      agent.close().catch(() => {});
      return response;
    },
  };
}
