import type { ToolChoiceWord } from "./chat.ts";

/**
 * What was irregular in the way a call was served, though it could be read: `no_id` (OpenAI's shape wants one), `same_id`
 * (another call has it too), `index_reused` (a second call at an index already taken), `legacy_field` (function_call),
 * `other_choice` (text and call came as two choices of one reply), `arguments_as_object` and `arguments_as_text` (the shape
 * of the other API).
 */
export const wireFaults = [
  "no_id",
  "same_id",
  "index_reused",
  "legacy_field",
  "other_choice",
  "arguments_as_object",
  "arguments_as_text",
] as const;
export type WireFault = (typeof wireFaults)[number];

/** A tool call as the API served it. `argumentsText` is JSON text as sent; Ollama's native object is serialised. */
export interface ServedCall {
  readonly id: string | null;
  readonly name: string;
  readonly argumentsText: string;
  /** Absent where the call came as it should. */
  readonly faults?: readonly WireFault[];
}

/** Token counts as reported; null where the server did not say. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** An error object of a server, from an HTTP error body, a 200 body or a stream. */
export interface ServerErrorBody {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | number | null;
}

/**
 * One choice of a reply, assembled from a body or folded from a stream; the same shape for every server.
 * Absent, null and empty texts are all "": servers differ in which they send and it means nothing.
 */
export interface ChatReply {
  readonly choice: number;
  readonly content: string;
  /** Text of `reasoning`, `reasoning_content` or `thinking`, whichever the server uses. */
  readonly reasoning: string;
  readonly calls: readonly ServedCall[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  /** vLLM `token_ids` (with the stop token) where they were asked for and given. */
  readonly tokenIds: readonly number[] | null;
  /** Joined `logprobs.content[].token` where they were asked for and given. */
  readonly logprobText: string | null;
  /** llama-server `__verbose.content`: what was generated, steered or not. Null in streams, where it is empty. */
  readonly verboseText: string | null;
  readonly systemFingerprint: string | null;
  /** An error object inside the reply, with whatever came before it kept in the other fields. */
  readonly error: ServerErrorBody | null;
}

/**
 * How the message, not the socket, ended: `complete` (a body, or a stream with its `[DONE]` or `done:true`), `no_done` (the
 * stream stopped without it), `unreadable` (no part of it could be read as a reply).
 */
export type MessageEnd = "complete" | "no_done" | "unreadable";

/**
 * All that could be read from one HTTP response body. `problems` name broken JSON, undecodable bytes and the like; `lossy` is
 * true where a part of the reply is among them that could have held anything, a call too.
 */
export interface ReadReply {
  readonly replies: readonly ChatReply[];
  readonly end: MessageEnd;
  readonly problems: readonly string[];
  readonly lossy: boolean;
}

/** The reply of nothing: what a reader starts from. */
export const emptyReply: ChatReply = {
  choice: 0,
  content: "",
  reasoning: "",
  calls: [],
  finishReason: null,
  usage: null,
  tokenIds: null,
  logprobText: null,
  verboseText: null,
  systemFingerprint: null,
  error: null,
};

/** What the request asked, as far as judging a reply needs it. */
export interface RequestFacts {
  readonly choice: ToolChoiceWord;
  readonly namedTool: string | null;
  readonly stream: boolean;
  readonly maxTokens: number | null;
}
