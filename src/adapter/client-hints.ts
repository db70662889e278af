import { isJsonObject, type JsonObject, parseJson } from "../protocol/json.ts";
import type { PlainFields } from "../protocol/plain-message.ts";
import type { ClientHints, ClientName } from "./turn.ts";

const secret = /authorization|cookie|api-key|token|secret/;

/** Reads from head and body who sent a request. Never throws; what is not said stays null. */
export function readClientHints(headers: PlainFields, body: JsonObject): ClientHints {
  const kept: Record<string, string> = {};
  for (const name in headers) if (!secret.test(name)) kept[name] = headers[name] ?? "";
  const agent = kept["user-agent"] ?? "";
  const originator = kept["originator"] ?? "";
  const name = clientName(agent, originator);
  return {
    name,
    version: /[/ ](\d+\.\d[\w.-]*)/.exec(agent)?.[1] ?? null,
    turnMetadata: turnMetadata(kept, body),
    headers: kept,
  };
}

function clientName(agent: string, originator: string): ClientName {
  if (/^codex/i.test(originator) || /^codex/i.test(agent)) return "codex";
  if (/opencode/i.test(agent)) return "opencode";
  if (/qwen-?code/i.test(agent)) return "qwen-code";
  if (/\bai-sdk\//i.test(agent)) return "ai-sdk";
  if (/^openai\//i.test(agent)) return "openai";
  return "unknown";
}

function turnMetadata(headers: Readonly<Record<string, string>>, body: JsonObject): JsonObject | null {
  const inBody = isJsonObject(body["client_metadata"]) ? body["client_metadata"]["x-codex-turn-metadata"] : undefined;
  for (const text of [headers["x-codex-turn-metadata"], inBody]) {
    const value = typeof text === "string" ? parseJson(text) : undefined;
    if (isJsonObject(value)) return value;
  }
  return null;
}
