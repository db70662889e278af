import type { ToolChoiceWord } from "../chat.ts";

/** The server kinds the lab knows; `openai` is any other OpenAI-compatible endpoint. */
export const serverKinds = ["vllm", "ollama", "llama-server", "sglang", "openai"] as const;
export type ServerKind = (typeof serverKinds)[number];

/**
 * How strong a raw text is as evidence: `in_band` comes from the very generation that is judged, `same_seed_replay` from a
 * repetition with the same seed and sampling, `second_generation` from another draw. Only the first two prove a swallowed call.
 */
export const evidenceGrades = ["in_band", "same_seed_replay", "second_generation"] as const;
export type EvidenceGrade = (typeof evidenceGrades)[number];

/** How the raw text of a reply can be had. */
export type RawChannel =
  /** vLLM: `return_token_ids` in the request, decoded through `/detokenize`. */
  | "token_ids"
  /** llama-server, not streamed: `verbose:true` in the request, text in `__verbose.content`. */
  | "verbose"
  /** The same request again with the same seed, not streamed, asking for `verbose` (llama-server) or `logprobs` (Ollama, vLLM). */
  | "verbose_replay"
  | "logprobs_replay"
  /** The same prompt with `tool_choice:"none"` (llama-server): no grammar, no parser. Shows the habit, not this reply. */
  | "none_twin";

/**
 * One kind of server as a flat record of named facts. Shared code asks the record, never the name of a kind.
 * Sources: the servers' code and measurements with scripted models; see ARCHITECTURE.md.
 */
export interface ServerRecord {
  readonly kind: ServerKind;
  readonly title: string;
  /** Port it listens on by default; null where there is no custom. */
  readonly defaultPort: number | null;
  /** `tool_choice` words without any effect on this kind: an arm that uses one is "not testable here". */
  readonly ignoredChoices: readonly ToolChoiceWord[];
  /** finish_reason beside calls that is normal here although it is not `tool_calls`, by choice word. */
  readonly callFinishReasons: Readonly<Record<ToolChoiceWord, readonly string[]>>;
  /** True where a grammar writes or rewrites calls under this choice, so that a valid call says little about the model. */
  readonly grammarChoices: readonly ToolChoiceWord[];
  /** True where the grammar also takes over after a trigger under auto (llama-server). */
  readonly grammarAfterTrigger: boolean;
  /** True where a call under `required` may legally be preceded by free text, and may therefore never come. */
  readonly requiredAllowsText: boolean;
  /** Raw channels to ask for with the request itself, by transport mode, in order of preference. */
  readonly inBandRaw: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
  /** Raw channels to ask afterwards, only where no whole call was served, in order of preference. */
  readonly sideRaw: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
  /** Extra request keys that every measured request carries (llama-server: `cache_prompt:false`, for repeatability). */
  readonly requestExtras: Readonly<Record<string, unknown>>;
  /** Error texts that mean: this server or set-up refuses tools. */
  readonly refusals: readonly ErrorPattern[];
  /** Error texts that mean: the server failed on the model's own output. */
  readonly parseFailures: readonly ErrorPattern[];
  /** Error texts that mean: the prompt does not fit the context. */
  readonly contextErrors: readonly ErrorPattern[];
  /** How the user makes this server read a format; null where it cannot be done by an option. */
  parserFix(format: string, parserNames: readonly string[]): ServerFix | null;
}

/** Recognises an error body: HTTP statuses it comes with (also as `code` inside a stream) and a pattern of its message. */
export interface ErrorPattern {
  readonly statuses: readonly number[];
  readonly message: RegExp;
  /** What is missing or broken, as an option or part of the set-up. */
  readonly about: "parser_option" | "model_capability" | "template" | "model_output" | "context" | "tokenizer";
}

/** A remedy that exists on this kind of server. `option` is the literal thing to type or write. */
export interface ServerFix {
  readonly kind: "flag" | "modelfile" | "template" | "model" | "request";
  readonly option: string;
}

/** What is known of a target after the target stage; enough to judge replies without asking the server again. */
export interface TargetFacts {
  readonly kind: ServerKind;
  readonly version: string | null;
  readonly model: string;
  readonly toolParser: ParserState;
  readonly reasoningParser: ParserState;
  readonly contextLength: number | null;
  /** Did the rendered prompt hold the tools whole? `unknown` where no route shows it and arithmetic is silent. */
  readonly toolsInPrompt: "whole" | "damaged" | "missing" | "unknown";
  readonly systemInPrompt: "kept" | "dropped" | "unknown";
}

/** Whether a parser is at work, its name where the server shows one, and how that is known. */
export interface ParserState {
  readonly state: "active" | "none" | "unknown";
  readonly name: string | null;
  readonly source: "flag" | "builtin" | "template" | "metric" | "error" | "unknown";
}
