import { findFormat, toolCallFormats } from "../../protocol/formats/index.ts";
import type { UpstreamFacts } from "../turn.ts";
import { familyPrompts, promptByExample } from "./families.ts";
import type { ToolPrompt } from "./tool-prompt.ts";

/** Every format in which tools can be put to a model. */
export const promptFormats: readonly string[] = toolCallFormats.map((format) => format.name);

/** The way of putting tools into the prompt by name; null for a name that is none. */
export function toolPrompt(name: string): ToolPrompt | null {
  const family = familyPrompts.find((prompt) => prompt.format === name);
  if (family !== undefined) return family;
  const format = findFormat(name);
  return format === undefined ? null : promptByExample(format);
}

/** How tools are put to the model, and why. */
export interface PromptChoice {
  /** Null: natively, in `tools`. */
  readonly prompt: ToolPrompt | null;
  readonly words: string;
}

/** Chooses how tools are put to the model: as configured, else natively unless they do not reach the upstream's prompt whole. */
export function choosePrompt(format: string, facts: UpstreamFacts, model = ""): PromptChoice {
  if (format === "native") return { prompt: null, words: "native tools, as configured" };
  if (format !== "auto")
    return { prompt: toolPrompt(format), words: `tools in the prompt as ${format}, as configured` };
  if (facts.toolsInPrompt !== "missing" && facts.toolsInPrompt !== "damaged")
    return { prompt: null, words: "native tools (auto: nothing speaks against them)" };
  const fallback = textFormatFor(model);
  return {
    prompt: toolPrompt(fallback),
    words: `tools in the prompt as ${fallback} (auto: natively they are ${facts.toolsInPrompt} in the model's prompt)`,
  };
}

/** The text format that a model of that name was trained on, as far as its name tells; most others have seen Hermes'. */
export function textFormatFor(model: string): string {
  if (/qwen-?3(?:[._-]\d+)?-?coder|qwen3\.[5-9]/i.test(model)) return "qwen3_coder";
  if (/hermes/i.test(model)) return "hermes";
  if (/llama-?3/i.test(model)) return "llama3_json";
  if (/mi[sx]tral|ministral|devstral|magistral/i.test(model)) return "mistral";
  return "hermes";
}
