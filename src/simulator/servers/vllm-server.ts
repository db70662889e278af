import { textResponse } from "../responses.ts";
import type { ServerContext } from "../server-context.ts";
import type { ParserMetrics } from "./vllm-metrics.ts";

/** What all routes of one vLLM share. */
export interface VllmServer {
  readonly context: ServerContext;
  readonly version: string;
  readonly contextLength: number;
  readonly fingerprint: string;
  readonly parser: string | null;
  readonly reasoningParser: string | null;
  readonly metrics: ParserMetrics;
}

/** An HTTP error in vLLM's envelope. */
export function vllmError(status: number, type: string, message: string, param: string | null = null): Response {
  return vllmReply({ error: { message, type, param, code: status } }, status);
}

/** A JSON reply with vLLM's headers. */
export function vllmReply(body: unknown, status = 200): Response {
  return textResponse(JSON.stringify(body), status, { "content-type": "application/json", server: "uvicorn" });
}
