import type { JsonValue } from "./json.ts";

/** What a stretch of a scripted text is. `format` names how the call is written, in the words of the format registry. */
export type KnownMeaning =
  /** A call where calls stand. `whole`; `cut`: the text ends inside it; `broken`: no reader could make arguments of it. */
  | {
      readonly kind: "call";
      readonly format: string;
      readonly name: string;
      readonly arguments: JsonValue | null;
      readonly state: "whole" | "cut" | "broken";
    }
  /** A call that is only shown: an example, a refusal, a draft. */
  | { readonly kind: "quotation"; readonly format: string }
  /** A marker of the text contract. */
  | { readonly kind: "marker"; readonly name: string; readonly task: string }
  /** The result of what was asked, stated. */
  | { readonly kind: "value" }
  /** A claim that a tool was run. */
  | { readonly kind: "claim" }
  /** A command for the user to run, in place of a call. */
  | { readonly kind: "command" };

/** A stretch with a meaning, in UTF-16 units of the text. `thinking`: it stands in the thinking part. */
export interface KnownPart {
  readonly start: number;
  readonly end: number;
  readonly thinking: boolean;
  readonly meaning: KnownMeaning;
}

/**
 * What a scripted model writes, known before any server has seen it: the exact text and what its stretches are. It says
 * nothing of what a server makes of it.
 */
export interface KnownTruth {
  /** Name of the script. */
  readonly script: string;
  /** All that is generated, without the token that ends the turn. */
  readonly text: string;
  readonly parts: readonly KnownPart[];
}

/** What is known of a set-up because somebody built it. */
export interface KnownSetUp {
  /** Unique among the set-ups of its server: "hermes", "qwen3_coder". */
  readonly id: string;
  readonly server: "llama-server" | "ollama" | "vllm";
  /** Does anything on this server parse calls of this model? */
  readonly parser: boolean;
  /** The format that this set-up reads and its grammar writes; null where it reads none. */
  readonly format: string | null;
  /** How the tools reach the prompt of this model. */
  readonly tools: "whole" | "damaged" | "missing";
  /**
   * Where a grammar leads the model: nowhere, after a trigger and where a call is forced (llama-server), or only where a call
   * is forced (vLLM).
   */
  readonly grammar: "none" | "after_trigger" | "forced";
  /** The prompt itself opens the thinking, so that a reply begins inside it. */
  readonly opensThinking?: boolean;
}

/** How a sample was asked. */
export interface AskedTruth {
  readonly choice: "auto" | "required" | "named" | "none";
  /** The marker contract: no tools in the request. */
  readonly marker: boolean;
  readonly stream: boolean;
}

/** What a server answered, read from its bytes by the plainest means. */
export interface Observation {
  readonly status: number | null;
  /** Message of an error body or of an error object inside a stream. */
  readonly error: string | null;
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly argumentsText: string }[];
  readonly finish: string | null;
  /** Tokens that the server says were generated; null where it does not. */
  readonly completionTokens: number | null;
  /** False for a stream that came without its closing event. */
  readonly done: boolean;
  /** What the server itself says was generated, where it says so. */
  readonly generated: string | null;
}

/** What is right about a sample. Sets hold what the definitions leave open; mostly they hold one. */
export interface SampleTruth {
  readonly axes: readonly string[];
  readonly owners: readonly string[];
  /** Findings that must be there; none other of {@link TruthReader.comparedFindings} may be. Null where the words are not the script's. */
  readonly findings: readonly string[] | null;
  /** Why, for the list of misses. */
  readonly because: string;
}

/**
 * What a server made of one scripted reply. `call`: the calls of the script, whole and unchanged; `leaked`, `swallowed`; `mangled`:
 * calls with other names, arguments or in another number; `forced`: a call that the script does not hold; `quoted`: a call
 * made of one that was only shown; `reasoning`: only in the reasoning; `text`: a reply without a call, unharmed; `lost_text`:
 * one that did not come back; `refused`: tools refused; `error`.
 */
export const conformanceOutcomes = [
  "call",
  "leaked",
  "swallowed",
  "mangled",
  "forced",
  "quoted",
  "reasoning",
  "text",
  "lost_text",
  "refused",
  "error",
] as const;
export type ConformanceOutcome = (typeof conformanceOutcomes)[number];

/**
 * Reads the truth from a script and a server's bytes. Whoever is measured against it is handed it, and has no part in it.
 */
export interface TruthReader {
  readonly comparedFindings: readonly string[];
  observe(status: number | null, body: string, streamed: boolean): Observation;
  /** `generated` is what the model really wrote: the script, unless a grammar led it elsewhere; null where no channel shows that. */
  truthOf(
    script: KnownTruth,
    setUp: KnownSetUp,
    asked: AskedTruth,
    seen: Observation,
    generated: string | null,
  ): SampleTruth;
  outcomeOf(script: KnownTruth, seen: Observation): ConformanceOutcome;
}
