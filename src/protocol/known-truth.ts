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
