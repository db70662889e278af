import type { ToolChoiceWord } from "../chat.ts";
import type { JsonObject } from "../json.ts";
import type {
  Answer,
  Inspection,
  ListedModels,
  ParserState,
  Question,
  RenderedPrompt,
  RenderInput,
  ServerProbe,
  SetUpClaims,
} from "./probe.ts";

export type { ParserState } from "./probe.ts";

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
  | "none_twin"
  /** The rendered prompt again with the same seed through a route without template and parser (Ollama). */
  | "raw_generate";

/**
 * One kind of server as a flat record of named facts. Shared code asks the record, never the name of a kind.
 * Sources: the servers' code and measurements with scripted models; see ARCHITECTURE.md.
 */
export interface ServerRecord {
  readonly kind: ServerKind;
  readonly title: string;
  /** False where this kind is known from its source code alone and was never run beside this lab. */
  readonly tried: boolean;
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
  /** A parser that belongs to the model reads calls out of replies to requests without tools, too. */
  readonly builtinParsesWithoutTools: boolean;
  /** True where a call under `required` may legally be preceded by free text, and may therefore never come. */
  readonly requiredAllowsText: boolean;
  /** Raw channels to ask for with the request itself, by transport mode, in order of preference. */
  readonly inBandRaw: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
  /** Raw channels to ask afterwards, only where no whole call was served, in order of preference. */
  readonly sideRaw: { readonly body: readonly RawChannel[]; readonly stream: readonly RawChannel[] };
  /**
   * Raw channels that still show something after the server failed on the model's output, with the transport mode that
   * brings it out (Ollama's builtin parsers fail a body but let a stream with logprobs through).
   */
  readonly rawAfterError: readonly { readonly channel: RawChannel; readonly stream: boolean }[];
  /** True where `system_fingerprint` differs with the options and the model that the server was started with. */
  readonly fingerprintMarksSetUp: boolean;
  /** Extra request keys that every measured request carries (llama-server: `cache_prompt:false`, for repeatability). */
  readonly requestExtras: Readonly<Record<string, unknown>>;
  /** Route of the kind's own chat API, which takes Ollama's request shape; null where it has none. */
  readonly nativeChat: string | null;
  /** What to change in the template where it loses something. */
  readonly templateFixes: { readonly system: ServerFix | null; readonly results: ServerFix | null };
  /** What to change where a template of the user's own is not used; null where that cannot be. */
  readonly ignoredTemplateFix: ServerFix | null;
  /** How the user has thinking set apart from the answer; null where nobody but the owner can. */
  readonly reasoningFix: ServerFix | null;
  /** How the user gives this server a longer context; null where nobody but its owner can. */
  contextFix(tokens: number): ServerFix | null;
  /**
   * Request keys that switch a model's thinking off; null where the kind has none. Ollama answers 400 to its key where the
   * model does not think at all.
   */
  readonly thinkingOff: {
    readonly keys: Readonly<Record<string, unknown>>;
    readonly onlyWhereThinking: boolean;
  } | null;
  /** Error texts that mean: this server or set-up refuses tools. */
  readonly refusals: readonly RefusalPattern[];
  /** Error texts that mean: the server failed on the model's own output. */
  readonly parseFailures: readonly ErrorPattern[];
  /** True where a prompt that does not fit the context is cut without an error. */
  readonly cutsSilently: boolean;
  /** Error texts that mean: the prompt does not fit the context. */
  readonly contextErrors: readonly ErrorPattern[];
  /** Error texts that mean: the server is up but cannot answer now (loading, out of memory). */
  readonly unavailableErrors: readonly RegExp[];
  /** Error texts with a server's status (500) that are nevertheless the request's fault. */
  readonly requestErrors: readonly RegExp[];
  /** Text of the error for a model that is not there. */
  readonly missingModel: RegExp;
  /**
   * Matches the tail of a stream that ended because the server failed, where it does not say so (Ollama's /v1 ends with a
   * chunk of empty model name and no `[DONE]`); null where failures come as an error object.
   */
  readonly silentStreamFailure: RegExp | null;
  /** How a known parser of this kind loses a foreign format, as measured: what it did tells which parser is active. */
  readonly lossSignatures: readonly LossSignature[];
  /** How to recognise this kind; null for the kind that is left when no other fits. */
  readonly recognition: Recognition | null;
  /**
   * What the list of models says about a name that is not in it: `listed` it does not exist, `open` it may exist all the
   * same, `any` the name in a request is ignored.
   */
  readonly modelNames: "listed" | "open" | "any";
  /** True where a request with tools under `auto` is refused unless a parser is configured, so that a 200 proves one. */
  readonly acceptedToolsProveParser: boolean;
  /** Does a listed name mean the model that was asked for? */
  sameModel(asked: string, listed: string): boolean;
  /** Reads what this kind shows of its set-up. Never generates. */
  inspect(probe: ServerProbe): Promise<Inspection>;
  /** The prompt this server makes of messages and tools, as far as it shows it. Never generates more than a token. */
  renderPrompt(probe: Pick<ServerProbe, "ask" | "model">, input: RenderInput): Promise<RenderedPrompt>;
  /**
   * The question that goes on from a rendered prompt as the chat request would, without template, parser or grammar; null
   * where the kind has no such route.
   */
  readonly rawCompletion: ((request: JsonObject, prompt: string) => Question) | null;
  /**
   * How the user makes this server read a format; null where it cannot be done by an option. `parserNames` are the names
   * of {@link ToolCallFormat.parsers} for this kind, `parserActive` says whether some parser is at work already.
   */
  parserFix(format: string, parserNames: readonly string[], parserActive: boolean): ServerFix | null;
}

/** How a kind is told from the others: by a route of its own, and by traces that survive a proxy. */
export interface Recognition {
  /** GET routes that only this kind answers, best first. None has a side effect. */
  readonly paths: readonly string[];
  /** What an answer of such a route shows; null when it is not this kind's. */
  recognise(answer: Answer, models: ListedModels): { readonly version: string | null } | null;
  /** `owned_by` in the list of models; null where it says nothing. */
  readonly ownedBy: RegExp | null;
  /** `server` response header; null where it says nothing. */
  readonly serverHeader: RegExp | null;
}

/** What becomes of whole calls of `format` under `parser`, by transport mode. */
export interface LossSignature {
  readonly format: string;
  readonly body: "leaked" | "swallowed";
  readonly stream: "leaked" | "swallowed";
  readonly parser: string;
}

/** Recognises an error body: HTTP statuses it comes with (also as `code` inside a stream) and a pattern of its message. */
export interface ErrorPattern {
  readonly statuses: readonly number[];
  readonly message: RegExp;
}

/** What is missing or broken where a server refuses tools. */
export type RefusalSubject = "parser_option" | "model_capability" | "template" | "tokenizer" | "version";

/** Recognises a refusal of tools. */
export interface RefusalPattern extends ErrorPattern {
  readonly about: RefusalSubject;
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
  /** What the server says of its set-up; absent where it says nothing. */
  readonly claims?: SetUpClaims | undefined;
}
