import { type ChatMessage, messageText, type Tool } from "../chat.ts";
import type { RenderedPrompt, RenderInput, Statement } from "./probe.ts";
import type { TargetFacts } from "./server.ts";

/** What a rendered prompt shows about tools and system text. */
export interface RenderFinding {
  readonly tools: TargetFacts["toolsInPrompt"];
  readonly system: TargetFacts["systemInPrompt"];
  readonly statement: Statement;
}

/** What Go prints for a value that a template meant to be JSON. */
const goSyntax = /<nil>|\bmap\[/;

/**
 * Looks for each tool's name and each of its parameters in a rendered prompt, outside the conversation's own texts, and for
 * the system text. Tools printed in Go syntax count as damaged although every name is there.
 */
export function checkRenderedText(
  text: string,
  input: RenderInput,
): Omit<RenderFinding, "statement"> & { readonly detail: string } {
  const around = withoutConversation(text, input.messages);
  const system = systemState(text, input.messages);
  const missing = input.tools.filter((tool) => !mentions(around, tool.function.name)).map((tool) => tool.function.name);
  if (input.tools.length > 0 && missing.length === input.tools.length) {
    return { tools: "missing", system, detail: `no tool is in the prompt (${missing.join(", ")})` };
  }
  if (missing.length > 0) return { tools: "damaged", system, detail: `not in the prompt: ${missing.join(", ")}` };
  const lost = input.tools.flatMap((tool) =>
    parameterNames(tool)
      .filter((name) => !mentions(around, name))
      .map((name) => `${tool.function.name}.${name}`),
  );
  if (lost.length > 0) return { tools: "damaged", system, detail: `parameters not in the prompt: ${lost.join(", ")}` };
  const shown = goSyntax.exec(withoutDescriptions(around, input.tools));
  if (shown !== null) return { tools: "damaged", system, detail: `the tools are printed in Go syntax (${shown[0]})` };
  if (input.tools.length === 0) return { tools: "unknown", system, detail: "no tools were sent" };
  return { tools: "whole", system, detail: "every tool and every parameter is in the prompt" };
}

/** Judges what a server rendered; where it shows only a length, `withoutTools` gives the length of the same prompt without tools. */
export function judgeRendering(
  rendered: RenderedPrompt,
  input: RenderInput,
  withoutTools: RenderedPrompt | null,
): RenderFinding {
  switch (rendered.kind) {
    case "text": {
      const { tools, system, detail } = checkRenderedText(rendered.text, input);
      const systemWords = system === "dropped" ? "; the system prompt is not in it" : "";
      return {
        tools,
        system,
        statement: { text: `Rendered prompt: ${detail}${systemWords}.`, reference: rendered.reference },
      };
    }
    case "tokens": {
      if (withoutTools?.kind !== "tokens") {
        return unknownFinding("The server shows the prompt's length only.", rendered.reference);
      }
      const cost = rendered.count - withoutTools.count;
      // That the prompt grows shows that something of the tools is in it, not that they are whole.
      return cost > 0
        ? unknownFinding(`The tools take ${cost} tokens of the prompt; its text is not shown.`, rendered.reference)
        : {
            tools: "missing",
            system: "unknown",
            statement: {
              text: "The prompt is no longer with tools than without: they are not in it.",
              reference: rendered.reference,
            },
          };
    }
    case "refused":
      return unknownFinding(
        `The server does not render these tools: ${rendered.message} (HTTP ${rendered.status}).`,
        rendered.reference,
      );
    case "unavailable":
      return unknownFinding(`The rendered prompt is not shown: ${rendered.why}.`, null);
    default:
      return rendered satisfies never;
  }
}

function unknownFinding(text: string, reference: number | null): RenderFinding {
  return { tools: "unknown", system: "unknown", statement: { text, reference } };
}

/** The prompt without the conversation's texts, in which a user may well mention a tool. */
function withoutConversation(text: string, messages: readonly ChatMessage[]): string {
  return messages
    .map(messageText)
    .filter((said) => said.trim() !== "")
    .sort((left, right) => right.length - left.length)
    .reduce((rest, said) => rest.replace(said.trim(), () => "\n"), text);
}

function withoutDescriptions(text: string, tools: readonly Tool[]): string {
  return tools
    .flatMap((tool) => descriptions(tool.function))
    .reduce((rest, said) => rest.split(said).join("").split(JSON.stringify(said).slice(1, -1)).join(""), text);
}

function descriptions(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "description" && typeof item === "string" && item !== "" ? [item] : descriptions(item),
  );
}

function systemState(text: string, messages: readonly ChatMessage[]): TargetFacts["systemInPrompt"] {
  const wanted = messages
    .filter((message) => message.role === "system" || message.role === "developer")
    .map((message) => squeeze(messageText(message)))
    .filter((said) => said !== "");
  if (wanted.length === 0) return "unknown";
  const shown = squeeze(text);
  return wanted.every((said) => shown.includes(said)) ? "kept" : "dropped";
}

/** Templates trim and re-indent; what counts is that the words are there. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function parameterNames(tool: Tool): readonly string[] {
  const properties = tool.function.parameters?.["properties"];
  return typeof properties === "object" && properties !== null && !Array.isArray(properties)
    ? Object.keys(properties)
    : [];
}

/** Is the name there as a word of its own, written plainly or with JSON's \u escapes? */
function mentions(text: string, name: string): boolean {
  return [name, asciiJson(name)].some((form) => {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + form.length])) return true;
    }
    return false;
  });
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

function asciiJson(name: string): string {
  return JSON.stringify(name)
    .slice(1, -1)
    .replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
