import { TransportError } from "../handler.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { serverRecord, serverRecords } from "./index.ts";
import { type Answer, type Ask, type ListedModels, listAt, type Statement, stringAt } from "./probe.ts";
import type { ServerKind, ServerRecord } from "./server.ts";

/** What a server is, and how that is known. */
export interface Identification {
  readonly kind: ServerKind;
  /** Null where the server does not show it. */
  readonly version: string | null;
  /** `route`: its own route answered; `traces`: only what survives a proxy was seen; `given`: the user said so; `none`: nothing fits, so any OpenAI-compatible server. */
  readonly by: "route" | "traces" | "given" | "none";
  readonly statements: readonly Statement[];
  readonly models: ListedModels;
  /** True where some route wanted another key. */
  readonly unauthorised: boolean;
  /** True where everything that answered was an HTML page. */
  readonly htmlOnly: boolean;
}

export interface IdentifyOptions {
  /** Path prefix of the OpenAI API, "/v1" as a rule. */
  readonly apiPrefix: string;
  /** The kind as the user gave it; then only its own route is asked. */
  readonly kind?: ServerKind | null | undefined;
}

/** Failures in a row after which a server that has not answered once is given up: each may have cost a whole timeout. */
const patience = 2;

/**
 * Finds out what kind of server answers, with at most six GET requests that have no side effect. Pages, refusals and dead
 * routes are part of the picture. Rejects with the TransportError only when nothing answered at all.
 */
export async function identify(ask: Ask, options: IdentifyOptions): Promise<Identification> {
  const seen: Answer[] = [];
  let failures = 0;
  const get = async (path: string): Promise<Answer | TransportError> => {
    const answer = await ask({ path });
    if (TransportError.is(answer)) {
      failures += 1;
      // An address that cannot be reached is the same for every route.
      const unreachable =
        answer.phase === "dns" || answer.phase === "connect" || answer.phase === "tls" || answer.phase === "aborted";
      if (seen.length === 0 && (unreachable || failures >= patience)) throw answer;
    } else seen.push(answer);
    return answer;
  };

  const models = readModels(await get(`${options.apiPrefix}/models`));
  const given = options.kind ?? null;
  const hinted = given === null ? hintedRecord(models, seen) : serverRecord(given);
  const candidates = given === null ? inOrder(hinted) : [serverRecord(given)];
  const found = await firstRecognised(candidates, hinted, get, models);
  const common = {
    models,
    unauthorised: seen.some((answer) => answer.status === 401 || answer.status === 403),
    htmlOnly: seen.length > 0 && seen.every(isHtml),
  };
  if (found !== null) {
    const { record, version, path, reference } = found;
    const text = `${record.title}${version === null ? "" : ` ${version}`}: it answers ${path}.`;
    return {
      ...common,
      kind: record.kind,
      version,
      by: given === null ? "route" : "given",
      statements: [{ text, reference }],
    };
  }
  const modelsReference = TransportError.is(models.answer) ? null : models.answer.reference;
  if (hinted !== null) {
    const how = given === null ? "the list of models or the server header names it" : "named by the user";
    const text = `${hinted.title}: ${how}; its own route does not show a version.`;
    return {
      ...common,
      kind: hinted.kind,
      version: null,
      by: given === null ? "traces" : "given",
      statements: [{ text, reference: modelsReference }],
    };
  }
  const text = "No known server showed itself: treated as any OpenAI-compatible endpoint.";
  return { ...common, kind: "openai", version: null, by: "none", statements: [{ text, reference: modelsReference }] };
}

interface Found {
  readonly record: ServerRecord;
  readonly version: string | null;
  readonly path: string;
  readonly reference: number | null;
}

async function firstRecognised(
  candidates: readonly ServerRecord[],
  hinted: ServerRecord | null,
  get: (path: string) => Promise<Answer | TransportError>,
  models: ListedModels,
): Promise<Found | null> {
  for (const record of candidates) {
    const paths = record.recognition?.paths ?? [];
    // Older names of a route are worth a request only where something speaks for the kind.
    for (const path of record === hinted ? paths : paths.slice(0, 1)) {
      const answer = await get(path);
      if (TransportError.is(answer)) continue;
      const recognised = record.recognition?.recognise(answer, models) ?? null;
      if (recognised !== null) return { record, version: recognised.version, path, reference: answer.reference };
    }
  }
  return null;
}

function hintedRecord(models: ListedModels, seen: readonly Answer[]): ServerRecord | null {
  const owners = (models.entries ?? []).map((entry) => stringAt(entry, "owned_by") ?? "");
  const headers = seen.map((answer) => answer.headers["server"] ?? "");
  return (
    serverRecords.find(({ recognition }) => owners.some((owner) => recognition?.ownedBy?.test(owner) ?? false)) ??
    serverRecords.find(({ recognition }) =>
      headers.some((header) => recognition?.serverHeader?.test(header) ?? false),
    ) ??
    null
  );
}

function inOrder(hinted: ServerRecord | null): readonly ServerRecord[] {
  const rest = serverRecords.filter((record) => record.recognition !== null && record !== hinted);
  return hinted === null ? rest : [hinted, ...rest];
}

/** Reads a list of models in OpenAI's shape, tolerating a bare array and the `models` key of other APIs. */
function readModels(answer: Answer | TransportError): ListedModels {
  if (TransportError.is(answer) || answer.status !== 200) return { entries: null, names: [], answer };
  const body = parseJson(answer.text);
  const list = listAt(body, "data") ?? listAt(body, "models") ?? (Array.isArray(body) ? body : undefined);
  if (list === undefined) return { entries: null, names: [], answer };
  const entries = list.filter((item): item is JsonObject => isJsonObject(item));
  const names = entries.flatMap((entry) => [
    ...[stringAt(entry, "id") ?? stringAt(entry, "name") ?? stringAt(entry, "model")].filter(
      (name) => name !== undefined,
    ),
    ...(listAt(entry, "aliases") ?? []).filter((alias) => typeof alias === "string"),
  ]);
  return { entries, names: [...new Set(names)], answer };
}

/** Is the answer a page for people rather than an API's? */
function isHtml(answer: Answer): boolean {
  return /\bhtml\b/i.test(answer.headers["content-type"] ?? "") || /^\s*<(?:!doctype|html)\b/i.test(answer.text);
}
