import { llamaServer } from "./llama-server.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import type { ServerKind, ServerRecord } from "./server.ts";
import { sglang } from "./sglang.ts";
import { vllm } from "./vllm.ts";

/** Every server kind the lab knows, in the order in which identification asks for them. */
export const serverRecords: readonly ServerRecord[] = [ollama, llamaServer, vllm, sglang, openai];

const byKind = new Map<ServerKind, ServerRecord>(serverRecords.map((record) => [record.kind, record]));

/** The record of a kind. */
export function serverRecord(kind: ServerKind): ServerRecord {
  return byKind.get(kind) ?? openai;
}
