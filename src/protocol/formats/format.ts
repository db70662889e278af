import type { JsonObject, JsonValue } from "../json.ts";

/** A call as a model means it: a tool's name and its arguments, decoded. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/**
 * A call as found in text, read strictly. `arguments` is what the format's own grammar gives: an object for JSON formats,
 * raw strings per parameter for XML-like ones (typing them is a matter of the tool's schema). `argumentsText` is the text
 * it was read from.
 */
export interface ScannedCall {
  readonly name: string;
  readonly arguments: JsonValue;
  readonly argumentsText: string;
  /** Raw text per parameter, to be typed by the tool's schema; true only for formats without types of their own. */
  readonly untyped: boolean;
}

/**
 * A stretch of the input. Pieces joined are the input; `start` and `end` are UTF-16 offsets into all text pushed so far.
 * `broken`: a family's markup at work that gives no whole call; `reason` is `cut` when the input ended inside it.
 */
export type Piece =
  | { readonly kind: "text"; readonly start: number; readonly end: number }
  | {
      readonly kind: "call";
      readonly format: string;
      /** True where nothing but its place marks the call: JSON, code, or what is left of a format without its markers. */
      readonly bare: boolean;
      readonly start: number;
      readonly end: number;
      readonly calls: readonly ScannedCall[];
    }
  | {
      readonly kind: "broken";
      readonly format: string;
      readonly bare: boolean;
      readonly start: number;
      readonly end: number;
      readonly reason: "cut" | "malformed";
      /** Whole calls of the same block that stood before the damage. */
      readonly calls: readonly ScannedCall[];
      /** Name of the damaged call, where it could still be read. */
      readonly name: string | null;
      /** Text of its arguments up to the damage. */
      readonly argumentsText: string;
    };

/**
 * What a reader says of its candidate. Offsets are relative to the candidate's start. `no` must come within the
 * prologue (opener, white space, first key or name), which keeps the whole scan linear: later damage is `broken`.
 */
export type ReaderStep =
  | { readonly kind: "more" }
  | { readonly kind: "no" }
  /** Read to its end and found to be no call: plain text up to `end`, which need not be looked at again. */
  | { readonly kind: "text"; readonly end: number }
  | { readonly kind: "call"; readonly end: number; readonly calls: readonly ScannedCall[] }
  | {
      readonly kind: "broken";
      readonly end: number;
      readonly reason: "cut" | "malformed";
      readonly calls: readonly ScannedCall[];
      readonly name: string | null;
      readonly argumentsText: string;
    };

/** Reads one candidate. `buffer` starts at the opener and only ever grows; the reader keeps its own cursor. */
export interface CallReader {
  read(buffer: string, ended: boolean): ReaderStep;
}

/** Counts characters looked at, so that tests can prove a scan linear without a clock. */
export interface Meter {
  steps: number;
}

/** How a format stands at one place of a text, seen from its first few characters: it may be one, it is none, or too little has come. */
export type Glance = "in" | "out" | "more";

/** One wire form of a format: where it can begin, and how it is read. */
export interface WireForm {
  /** Literal strings that can open a call. Several forms may share one: the body decides. */
  readonly openers: readonly string[];
  /** `sentence`: the openers are words of prose, so they count only at the beginning of a line or sentence. Default: anywhere. */
  readonly opensAt?: "anywhere" | "sentence";
  /**
   * For forms that begin with the tool's own name, at the beginning of a line or sentence: what may follow the name. A name is
   * an ASCII identifier here, with dots and hyphens.
   */
  readonly nameThen?: readonly string[];
  /** True where the name may follow a sentence without white space, because a marker between the two was stripped. */
  readonly nameMayJoin?: boolean;
  /** True where nothing but JSON or code marks the call, so that only its place can make it one. */
  readonly bare: boolean;
  /** Rules out most candidates within a few characters, before a reader is opened; for openers that are common characters. */
  glance?(buffer: string, at: number, meter: Meter): Glance;
  openReader(meter: Meter): CallReader;
}

/**
 * Names of the options that make a server read this format, by kind and state of the server; the best choice first, empty
 * where none does. {@link parserNamesFor} picks the list for a version.
 */
export interface ParserNames {
  /** vLLM since 0.11, as of August 2026. */
  readonly vllm: readonly string[];
  /** vLLM 0.10, August 2025; the same as `vllm` where absent, less the names that it did not have yet. */
  readonly vllm010?: readonly string[];
  /** SGLang as of July 2026. */
  readonly sglang: readonly string[];
  /** Names that SGLang has gained since. */
  readonly sglangNewer?: readonly string[];
  /** Names of Ollama's built-in parsers; models with a Go template are read by their template. */
  readonly ollama: readonly string[];
  /** How llama-server comes to read it: a handler chosen by the chat template. */
  readonly "llama-server": readonly string[];
}

/** One way in which models write tool calls as text. To add one, see CONTRIBUTING. */
export interface ToolCallFormat extends WireForm {
  readonly name: string;
  /** The format under whose name this one is read, where both write the same text and only the server's option differs. */
  readonly readAs?: string;
  /** Names that it uses for something else: in it no tool of such a name can be called. */
  readonly reservedNames?: readonly string[];
  /** What is left of it where a server strips special tokens; always bare. */
  readonly residue?: WireForm;
  readonly parsers: ParserNames;
  /** Model families that write it. */
  readonly models: string;
  /** What a model that uses this format writes for `calls`. */
  render(calls: readonly ToolCall[]): string;
}
