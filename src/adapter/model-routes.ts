import { type Handler, jsonResponse, TransportError } from "../protocol/handler.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../protocol/json.ts";

/** Version that `codex --oss` accepts as a recent enough Ollama. */
const ollamaVersion = "0.13.4";

/** Where a list of models comes from. */
export interface UpstreamList {
  readonly upstream: Handler;
  readonly apiPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The models of the upstream, as its own list says; empty where it has none or cannot be reached. */
async function listModels({ upstream, apiPrefix, headers, signal }: UpstreamList): Promise<readonly JsonObject[]> {
  try {
    const response = await upstream(new Request(`http://upstream.invalid${apiPrefix}/models`, { headers, signal }));
    const value = parseJson(await response.text());
    const data = isJsonObject(value) ? value["data"] : undefined;
    return Array.isArray(data) ? data.filter((entry: JsonValue) => isJsonObject(entry)) : [];
  } catch (error) {
    if (TransportError.is(error)) return [];
    throw error;
  }
}

/** `/v1/models`: OpenAI's list, with the array `models` that Codex's discovery reads beside it. */
export async function modelsResponse(list: UpstreamList): Promise<Response> {
  const data = (await listModels(list)).map((entry) => ({
    id: String(entry["id"] ?? ""),
    object: "model",
    created: typeof entry["created"] === "number" ? entry["created"] : 0,
    owned_by: typeof entry["owned_by"] === "string" ? entry["owned_by"] : "upstream",
  }));
  return jsonResponse({ object: "list", data, models: [] });
}

/** The questions that `codex --oss` asks an Ollama before its first turn; null for any other path. */
export async function ollamaProbe(path: string, list: UpstreamList): Promise<Response | null> {
  if (path === "/api/version") return jsonResponse({ version: ollamaVersion });
  if (path === "/api/tags") {
    const models = await listModels(list);
    return jsonResponse({
      models: models.map((entry) => ({
        name: String(entry["id"] ?? ""),
        model: String(entry["id"] ?? ""),
        modified_at: new Date(0).toISOString(),
        size: 0,
        digest: "",
        details: {},
      })),
    });
  }
  if (path === "/api/pull") {
    // Nothing is ever pulled through the adapter: a model that is missing is named by the first turn.
    return new Response('{"status":"success"}\n', { headers: { "content-type": "application/x-ndjson" } });
  }
  return null;
}
