import { createRequire } from "node:module";
import type undici from "undici";
import buildConnector from "undici/lib/core/connect.js";
import UndiciPool from "undici/lib/dispatcher/pool.js";

// The whole of undici brings fetch, web sockets, caches and mocks along, which more than doubles the time a command takes to
// start. These two are what `import { … } from "undici"` would give; the version is pinned. A proxy needs the whole.
export const Pool = UndiciPool as typeof undici.Pool;
export const connectorOf = buildConnector as typeof undici.buildConnector;

export function loadProxyAgent(): typeof undici.ProxyAgent {
  return (createRequire(import.meta.url)("undici") as typeof undici).ProxyAgent;
}
