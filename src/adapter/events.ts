import type { JsonValue } from "../protocol/json.ts";
import type { Usage } from "../protocol/reply.ts";

/** Who wrote a call: the upstream's API, the model as text that `scan` read, or the adapter itself. */
export type CallOrigin = "native" | "text" | "adapter";

/**
 * A complete tool call on its way to the client. `name` is the chat name (namespace folded in, see DeclaredTool);
 * `argumentsText` is JSON text as far as anyone has checked it: stages may mend it until `validate`, which is the last to look.
 */
export interface AdapterCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly origin: CallOrigin;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

/** Why a reply could not be had or stopped half-way; `code` is OpenAI's word for it where there is one. */
export interface Failure {
  /** HTTP status to answer with where nothing was sent yet. */
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  /** Seconds to wait before trying again, as the upstream said. */
  readonly retryAfter?: number | undefined;
}

/**
 * What a reply is made of inside the adapter, in order; the same for both fronts, streamed or not. `end` or `failed` comes once,
 * last. `finishReason` of `end` is what the upstream said; the fronts derive their own from the calls that really went out.
 */
export type AdapterEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly call: AdapterCall }
  /** Work that the adapter did itself, for clients that can show it (Codex shows a web search). Never needed to understand the reply. */
  | { readonly kind: "activity"; readonly activity: "web_search" | "open_page"; readonly detail: JsonValue }
  | { readonly kind: "end"; readonly finishReason: FinishReason; readonly usage: Usage | null }
  | { readonly kind: "failed"; readonly failure: Failure };

/** The events of an answer in plain text. */
export function textAnswer(text: string): readonly AdapterEvent[] {
  return [
    { kind: "text", text },
    { kind: "end", finishReason: "stop", usage: null },
  ];
}

/** The events of an answer that is one or several calls. */
export function callAnswer(calls: readonly AdapterCall[]): readonly AdapterEvent[] {
  return [
    ...calls.map((call): AdapterEvent => ({ kind: "call", call })),
    { kind: "end", finishReason: "tool_calls", usage: null },
  ];
}
