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
      readonly start: number;
      readonly end: number;
      readonly calls: readonly ScannedCall[];
    }
  | {
      readonly kind: "broken";
      readonly format: string;
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

/** Names of the server options that make a server read this format, by server kind; empty where none does. */
export interface ParserNames {
  readonly vllm: readonly string[];
  readonly sglang: readonly string[];
  readonly ollama: readonly string[];
  /** How llama-server comes to read it: a handler chosen by the chat template. */
  readonly "llama-server": readonly string[];
}

/** One way in which models write tool calls as text. To add one, see CONTRIBUTING. */
export interface ToolCallFormat {
  readonly name: string;
  /** Literal strings that can open a call. Several formats may share one: the body decides. */
  readonly openers: readonly string[];
  /** True where nothing but JSON or code marks the call, so that only its place can make it one. */
  readonly bare: boolean;
  readonly parsers: ParserNames;
  openReader(meter: Meter): CallReader;
  /** What a model that uses this format writes for `calls`. */
  render(calls: readonly ToolCall[]): string;
}
