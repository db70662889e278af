import { upstream } from "../http/upstream.ts";
import type { Handler } from "../protocol/handler.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import { serverRecords } from "../protocol/servers/index.ts";
import { oneLine, UserError } from "./errors.ts";
import type { TargetSpec } from "./target-specs.ts";

/** Names of the models that a server lists, in its order. @throws UserError (exit 3) where no list can be had */
export async function listedModels(
  handler: Handler,
  server: Omit<TargetSpec, "name" | "model">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { apiPrefix, shown } = server.server;
  const request = new Request(`http://server${apiPrefix}/models`, { headers: server.headers, signal });
  let status: number;
  let text: string;
  try {
    const response = await handler(request);
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw new UserError(
      `${shown}/models gives no answer: ${oneLine(error)}. Check --base-url, or name a model with --model`,
      { exitCode: 3, cause: error },
    );
  }
  const names = modelNames(text);
  if (status === 200 && names !== null) return names;
  const hint =
    status === 401 || status === 403 ? "name the key's variable with --api-key-env" : "name a model with --model";
  throw new UserError(`${shown}/models answers ${status} without a list of models; ${hint}`, { exitCode: 3 });
}

function modelNames(text: string): readonly string[] | null {
  const body = parseJson(text);
  if (!isJsonObject(body) || !Array.isArray(body["data"])) return null;
  return body["data"].flatMap((entry) => (isJsonObject(entry) && typeof entry["id"] === "string" ? [entry["id"]] : []));
}

/** A server found on a default port of this machine. */
export interface FoundServer {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Ports on which local servers listen by default; 1234 is LM Studio's, which has no record of its own. */
export const discoveryPorts: readonly number[] = [
  ...serverRecords.flatMap(({ defaultPort }) => (defaultPort === null ? [] : [defaultPort])),
  1234,
];

/**
 * Asks ports of this machine, all at once and without any key, for their models; ports without an answer are left out. A server
 * that answers alike on 127.0.0.1 and ::1 is one server.
 */
export async function findLocalServers(
  signal: AbortSignal,
  ports: readonly number[] = discoveryPorts,
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(
    ports.map(async (port) => {
      const [plain, six] = await Promise.all(
        ["127.0.0.1", "[::1]"].map((host) => askPort(`http://${host}:${port}`, signal)),
      );
      const listed = [plain, six].filter((server) => server !== null && server !== undefined);
      const alike = listed.length === 2 && JSON.stringify(plain?.models) === JSON.stringify(six?.models);
      return alike ? listed.slice(0, 1) : listed;
    }),
  );
  return found.flat();
}

/** What a port lists; null where nothing usable answers. */
async function askPort(root: string, signal: AbortSignal): Promise<FoundServer | null> {
  const handler = upstream(root, { timeouts: { connectMs: 500, firstByteMs: 1500, idleMs: 1500, totalMs: 2000 } });
  try {
    const server = { root, apiPrefix: "/v1", shown: `${root}/v1`, headers: {} };
    const models = await listedModels(handler, { server, kind: null, headers: {} }, signal);
    return models.length === 0 ? null : { baseUrl: server.shown, models };
  } catch {
    return null;
  } finally {
    await handler.close();
  }
}
