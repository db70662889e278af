import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { familyTags } from "../../src/testbed/set-ups/set-up.ts";

/** What a model writes where its conversation is of a kind. `when` is an expression of Jinja; null: always. */
export interface Decision {
  readonly when: string | null;
  readonly text: string;
}

const generation = /\n\{%- if add_generation_prompt %\}\n/;

/**
 * A model file that decides by its conversation what it writes: the template ends in the marker of the first decision that
 * holds. The server sees a template as any other, and a conversation in which nothing holds is answered with `otherwise`.
 */
export function decidingModel(
  template: string,
  decisions: readonly Decision[],
  { otherwise = "Hm.", contextLength = 32_768 }: { readonly otherwise?: string; readonly contextLength?: number } = {},
): Uint8Array {
  const texts = [...new Set([otherwise, ...decisions.map(({ text }) => text)])];
  const marker = (text: string): string => scriptMarker(`text-${texts.indexOf(text)}`);
  const branches = decisions.map(
    ({ when, text }, index) => `{%- ${index === 0 ? "if" : "elif"} ${when ?? "true"} %}{{- "${marker(text)}" }}`,
  );
  const decided = branches.length === 0 ? "" : `\n${branches.join("\n")}\n{%- endif %}`;
  if (!generation.test(template)) throw new Error("the template has no generation prompt to decide before");
  return scriptedGguf({
    name: "scripted",
    scripts: texts.map((text, index) => ({ name: `text-${index}`, branches: [{ probability: 1, text }] })),
    fallback: "text-0",
    chatTemplate: template.replace(generation, (found) => `${decided}${found}`),
    tags: familyTags,
    align: ["<tool_call>\n"],
    openers: ["<tool_call>"],
    contextLength,
  });
}
