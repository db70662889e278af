import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import { familyTags } from "../../src/testbed/set-ups/set-up.ts";
import { exclusiveGoTemplate, hermesGoTemplate, plainGoTemplate } from "../../src/testbed/templates/go.ts";
import { planned } from "./suite-models.ts";

/** A Go template with a model that decides by it; what stands in the template is Go's, so it can compare little. */
interface OnOllama {
  readonly template: string;
  readonly file: Uint8Array;
}

const otherwise = "I know of none.";

/** The marker of the first decision whose Go condition holds stands before the generation prompt. */
function deciding(template: string, decisions: readonly { readonly when: string; readonly text: string }[]): OnOllama {
  const texts = [...new Set([otherwise, ...decisions.map(({ text }) => text)])];
  const marked = decisions.map(
    ({ when, text }, index) =>
      `{{- ${index === 0 ? "if" : "else if"} ${when} }}${scriptMarker(`text-${texts.indexOf(text)}`)}`,
  );
  const generation = '{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant';
  if (!template.includes(generation)) throw new Error("the template has no generation prompt to decide before");
  const file = scriptedGguf({
    name: "scripted",
    scripts: texts.map((text, index) => ({ name: `text-${index}`, branches: [{ probability: 1, text }] })),
    fallback: "text-0",
    tags: familyTags,
    contextLength: 32_768,
  });
  return { template: template.replace(generation, `${marked.join("")}{{ end }}${generation}`), file };
}

/** With tools the system prompt is not written, so the model cannot know what stands there. */
export const exclusiveOnOllama: OnOllama = deciding(
  exclusiveGoTemplate,
  planned("system-prompt")
    .filter(({ tools }) => tools === null)
    .map(({ messages, expectation }) => ({
      when: `and (not $.Tools) (eq .Content ${JSON.stringify(messages.at(-1)?.content ?? "")})`,
      text: expectation.probe?.answer[0] ?? "",
    })),
);

/** A model that finds the word in every prompt: what is cut shows in the count of tokens alone. */
export const clampedOnOllama: OnOllama = deciding(
  hermesGoTemplate,
  planned("context").map(({ messages, expectation }) => {
    const [code = ""] = expectation.probe?.answer ?? [];
    const text = String(messages.at(-1)?.content ?? "");
    const start = text.slice(0, text.indexOf(code) + code.length);
    return { when: `eq (printf "%.${[...start].length}s" .Content) ${JSON.stringify(start)}`, text: code };
  }),
);

/** Says that it knows tools, and writes none. */
export const lyingGoTemplate = plainGoTemplate.replace(
  "{{- range .Messages }}",
  "{{- if .Tools }}{{ end }}{{- range .Messages }}",
);
