import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Handler, TransportError } from "../../../src/protocol/handler.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../src/protocol/json.ts";

export const wireFolder = fileURLToPath(new URL("../../fixtures/wire", import.meta.url));

/** Bytes of a recorded reply, by its file name below fixtures/wire. */
export function wireBytes(file: string): Uint8Array {
  return readFileSync(join(wireFolder, file));
}

export function wireText(file: string): string {
  return readFileSync(join(wireFolder, file), "utf8");
}

export interface RecordedRequest {
  readonly file: string;
  readonly setup: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

export const recordedRequests: readonly RecordedRequest[] = wireText("side/requests.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedRequest);

export function recordedRequest(file: string): RecordedRequest {
  const found = recordedRequests.find((recorded) => recorded.file === file);
  if (found === undefined) throw new Error(`no recorded request for ${file}`);
  return found;
}

/** What a test wants answered otherwise than by the recordings; undefined falls through to them. */
export type Extra = (request: {
  method: string;
  path: string;
  body: JsonObject;
}) => Response | TransportError | undefined;

export interface FixtureServer {
  readonly handler: Handler;
  /** `METHOD path` of everything asked. */
  readonly asked: string[];
  readonly bodies: JsonObject[];
}

/** A server that answers with recorded bytes: GET by path, POST by path and equal body, else a 404 of its kind. */
export function fixtureServer(setup: string, extra: Extra = () => undefined): FixtureServer {
  const known = recordedRequests.filter((recorded) => recorded.setup.startsWith(setup));
  const asked: string[] = [];
  const bodies: JsonObject[] = [];
  const handler: Handler = async (request) => {
    const path = request.url.slice(new URL(request.url).origin.length);
    const text = await request.text();
    const parsed = text === "" ? null : parseJson(text);
    const body = isJsonObject(parsed) ? parsed : {};
    asked.push(`${request.method} ${path}`);
    bodies.push(body);
    const own = extra({ method: request.method, path, body });
    if (TransportError.is(own)) throw own;
    if (own !== undefined) return own;
    const hit = known.find(
      (recorded) =>
        recorded.method === request.method &&
        recorded.path === path &&
        recorded.status !== 503 &&
        (request.method === "GET" || canonicalJson(recorded.body) === canonicalJson(parsed ?? null)),
    );
    if (hit === undefined)
      return new Response("404 page not found", { status: 404, headers: { "content-type": "text/plain" } });
    return serve(`side/${hit.file}`, hit.status, hit.headers);
  };
  return { handler, asked, bodies };
}

/** A recorded body as a response. */
export function serve(file: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const { "content-length": _length, ...kept } = headers;
  return new Response(wireBytes(file) as Uint8Array<ArrayBuffer>, { status, headers: kept });
}
