import { readFileSync } from "node:fs";
import { readClientHints } from "../../src/adapter/client-hints.ts";
import { readChatRequest } from "../../src/adapter/fronts/chat-request.ts";
import { readResponsesRequest } from "../../src/adapter/fronts/responses-request.ts";
import type { ClientHints } from "../../src/adapter/turn.ts";
import type { ChatRequest } from "../../src/protocol/chat.ts";

/** A real client's request as the stages see it; `file` names one of test/fixtures/captures. */
export function readCapture(file: string): { readonly original: ChatRequest; readonly client: ClientHints } {
  const text = readFileSync(new URL(`../fixtures/captures/${file}`, import.meta.url), "utf8");
  const { meta, headers, body } = JSON.parse(text);
  const reading = meta.path === "/v1/responses" ? readResponsesRequest(body) : readChatRequest(body);
  if (reading.kind !== "request") throw new Error(`${file} is no request: ${reading.failure.message}`);
  return { original: reading.original, client: readClientHints(Object.fromEntries(new Headers(headers)), body) };
}
