import { createRequire } from "node:module";
import type undici from "undici";

// The whole of undici brings fetch, web sockets, caches and mocks along, which more than doubles the time a command takes to
// start. The first two are what `import { … } from "undici"` would give; the version is pinned. A proxy needs the whole.
const require = createRequire(import.meta.url);

export const Pool: typeof undici.Pool = require("undici/lib/dispatcher/pool.js");
export const connectorOf: typeof undici.buildConnector = require("undici/lib/core/connect.js");

export function loadProxyAgent(): typeof undici.ProxyAgent {
  return (require("undici") as typeof undici).ProxyAgent;
}
