import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { KnownMeaning, KnownPart, KnownTruth } from "../../protocol/known-truth.ts";

/** A piece of a script: words, or words with a meaning, or a thinking part around pieces. */
export type ScriptPiece =
  | string
  | { readonly words: string; readonly meaning: KnownMeaning }
  | { readonly thinking: readonly ScriptPiece[] };

/** Joins pieces to the text that a model will write, with the meaning of its stretches. */
export function writeScript(script: string, pieces: readonly ScriptPiece[]): KnownTruth {
  const parts: KnownPart[] = [];
  let text = "";
  const write = (list: readonly ScriptPiece[], thinking: boolean): void => {
    for (const piece of list) {
      if (typeof piece === "string") text += piece;
      else if ("thinking" in piece) {
        text += "<think>\n";
        write(piece.thinking, true);
        text += "\n</think>\n\n";
      } else {
        parts.push({ start: text.length, end: text.length + piece.words.length, thinking, meaning: piece.meaning });
        text += piece.words;
      }
    }
  };
  write(pieces, false);
  return { script, text, parts };
}

type Call = Extract<KnownMeaning, { kind: "call" }>;

/**
 * A call as its family writes it, byte for byte by hand: what a script says must not depend on the code that reads it.
 */
export function call(
  format: "hermes" | "qwen3_coder" | "llama3_json" | "mistral",
  name: string,
  given: JsonObject,
): ScriptPiece {
  const meaning: Call = { kind: "call", format, name, arguments: given, state: "whole" };
  switch (format) {
    case "hermes":
      return {
        words: `<tool_call>\n{"name": "${name}", "arguments": ${spaced(given)}}\n</tool_call>`,
        meaning,
      };
    case "qwen3_coder": {
      const parameters = Object.entries(given).map(
        ([key, value]) => `<parameter=${key}>\n${plain(value)}\n</parameter>\n`,
      );
      return { words: `<tool_call>\n<function=${name}>\n${parameters.join("")}</function>\n</tool_call>`, meaning };
    }
    case "llama3_json":
      return { words: `{"name": "${name}", "parameters": ${spaced(given)}}`, meaning };
    case "mistral":
      return { words: `[TOOL_CALLS][{"name": "${name}", "arguments": ${spaced(given)}, "id": "a1B2c3D4e"}]`, meaning };
    default:
      return format satisfies never;
  }
}

/** A call in words of one's own: cut, broken, or in a spelling that no family has. */
export function oddCall(
  format: string,
  name: string,
  words: string,
  more: Partial<Pick<Call, "arguments" | "state">> = {},
): ScriptPiece {
  return { words, meaning: { kind: "call", format, name, arguments: null, state: "whole", ...more } };
}

/** The words of a call that is only shown. */
export function quotation(format: string, words: string): ScriptPiece {
  return { words, meaning: { kind: "quotation", format } };
}

/** `{{NAME: task}}`. */
export function marker(name: string, task: string): ScriptPiece {
  return { words: `{{${name}: ${task}}}`, meaning: { kind: "marker", name, task } };
}

/** Words that state the result, claim a run, or give a command. */
export function means(kind: "value" | "claim" | "command", words: string): ScriptPiece {
  return { words, meaning: { kind } };
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** JSON with the blanks that models put behind colons and commas. */
function spaced(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item ?? null)}`)
    .join(", ")}}`;
}
