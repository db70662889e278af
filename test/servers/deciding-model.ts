import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { type ScriptedModelOptions, scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { familyTags } from "../../src/testbed/set-ups/set-up.ts";

/**
 * What a model writes where its conversation is of a kind. `when` is an expression of Jinja, in which `said.question` is what the
 * user said last; null: always.
 */
export interface Decision {
  readonly when: string | null;
  readonly text: string;
}

const generation = /\n\{%- if add_generation_prompt %\}\n/;

const lookBack = `
{%- set said = namespace(question="") %}
{%- for message in messages %}{%- if message.role == "user" %}{%- set said.question = message.content %}{%- endif %}{%- endfor %}`;

interface DecidingOptions {
  readonly otherwise?: string;
  readonly contextLength?: number;
  /** Texts that are one token each. */
  readonly words?: readonly string[];
}

/** A model file for llama-server and Ollama, of {@link decidingOptions}. */
export function decidingModel(
  template: string,
  decisions: readonly Decision[],
  options: DecidingOptions = {},
): Uint8Array {
  return scriptedGguf(decidingOptions(template, decisions, options));
}

/**
 * A model that decides by its conversation what it writes: the template ends in the marker of the first decision that holds.
 * The server sees a template as any other, and a conversation in which nothing holds is answered with `otherwise`.
 */
export function decidingOptions(
  template: string,
  decisions: readonly Decision[],
  { otherwise = "Hm.", contextLength = 32_768, words = [] }: DecidingOptions = {},
): ScriptedModelOptions {
  const texts = [...new Set([otherwise, ...decisions.map(({ text }) => text)])];
  const marker = (text: string): string => scriptMarker(`text-${texts.indexOf(text)}`);
  const branches = decisions.map(
    ({ when, text }, index) => `{%- ${index === 0 ? "if" : "elif"} ${when ?? "true"} %}{{- "${marker(text)}" }}`,
  );
  const decided = branches.length === 0 ? "" : `${lookBack}\n${branches.join("\n")}\n{%- endif %}`;
  if (!generation.test(template)) throw new Error("the template has no generation prompt to decide before");
  return {
    name: "scripted",
    scripts: texts.map((text, index) => ({ name: `text-${index}`, branches: [{ probability: 1, text }] })),
    fallback: "text-0",
    chatTemplate: template.replace(generation, (found) => `${decided}${found}`),
    tags: [...familyTags, ...words],
    align: ["<tool_call>\n"],
    openers: ["<tool_call>"],
    contextLength,
  };
}
