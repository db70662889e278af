import { toolCallFormats } from "../../protocol/formats/index.ts";
import {
  llamaHermes,
  llamaHermesThink,
  llamaLlama3,
  llamaMistral,
  llamaPlain,
  llamaQwen3Coder,
} from "./llama-server.ts";
import {
  ollamaDamagedTools,
  ollamaExclusive,
  ollamaHermes,
  ollamaNative,
  ollamaNoTools,
  ollamaParserOnly,
  ollamaQwen3Coder,
  ollamaQwen35,
} from "./ollama.ts";
import { openaiSetUp } from "./openai.ts";
import type { SetUp } from "./outcome.ts";
import { vllmHermes, vllmHermesQwen3, vllmLlama3, vllmNoParser, vllmQwen3Coder } from "./vllm.ts";

/** The kinds of server that can be simulated. */
export const simulatedKinds = ["vllm", "ollama", "llama-server", "openai"] as const;
export type SimulatedKind = (typeof simulatedKinds)[number];

/** The keys of a profile that choose the set-up. */
export interface SetUpChoice {
  readonly kind: SimulatedKind;
  readonly parser?: string | null | undefined;
  readonly reasoningParser?: string | null | undefined;
  readonly template?: string | undefined;
}

const ollamaTemplates: Readonly<Record<string, SetUp>> = {
  hermes: ollamaHermes,
  noresults: { ...ollamaHermes, name: "ollama, template noresults" },
  lying: { ...ollamaHermes, name: "ollama, template lying" },
  overridden: { ...ollamaQwen3Coder, name: "ollama, template overridden" },
  hermesfunction: ollamaDamagedTools,
  exclusive: ollamaExclusive,
  notools: ollamaNoTools,
  "qwen3-coder": ollamaQwen3Coder,
  parseronly: ollamaParserOnly,
  "qwen3.5": ollamaQwen35,
  native: ollamaNative,
};

const llamaTemplates: Readonly<Record<string, SetUp>> = {
  hermes: llamaHermes,
  "hermes-think": llamaHermesThink,
  qwen3coder: llamaQwen3Coder,
  llama3: llamaLlama3,
  mistral: llamaMistral,
  plain: llamaPlain,
};

/** Spellings that mean a measured template. */
const aliases: Readonly<Record<string, string>> = {
  qwen3_coder: "qwen3-coder",
  qwen3coder: "qwen3-coder",
  qwen35: "qwen3.5",
  llama3_json: "llama3",
  hermes_think: "hermes-think",
};

/** Canonical name of an Ollama template (its Go template, builtin pair, or `native`). */
export function ollamaTemplateName(choice: SetUpChoice): string {
  const name = choice.template ?? given(choice.parser) ?? "hermes";
  return aliases[name] ?? name;
}

/** Canonical name of a llama-server template. */
export function llamaTemplateName(choice: SetUpChoice): string {
  const name = choice.template ?? given(choice.parser) ?? "hermes";
  const canonical = aliases[name] ?? name;
  return canonical === "qwen3-coder" ? "qwen3coder" : canonical;
}

/** A parser name; null for an absent, null or "none" one. */
export function given(name: string | null | undefined): string | null {
  return name === undefined || name === null || name === "none" || name === "" ? null : name;
}

/** The measured set-up that a profile names for a model of `format`; a text that says what is measured where there is none. */
export function findSetUp(choice: SetUpChoice, format: string): SetUp | string {
  switch (choice.kind) {
    case "vllm":
      return vllmSetUp(given(choice.parser), given(choice.reasoningParser));
    case "ollama": {
      const name = ollamaTemplateName(choice);
      return (
        withoutReasoning(choice) ??
        ollamaTemplates[name] ??
        unmeasured("ollama template", name, Object.keys(ollamaTemplates))
      );
    }
    case "llama-server": {
      const name = llamaTemplateName(choice);
      return (
        withoutReasoning(choice) ??
        llamaTemplates[name] ??
        unmeasured("llama-server template", name, Object.keys(llamaTemplates))
      );
    }
    case "openai":
      return openaiSetUp(
        format,
        toolCallFormats.map((known) => known.name),
      );
    default:
      return choice.kind satisfies never;
  }
}

function vllmSetUp(parser: string | null, reasoningParser: string | null): SetUp | string {
  if (reasoningParser !== null) {
    if (parser === "hermes" && reasoningParser === "qwen3") return vllmHermesQwen3;
    return `reasoningParser ${reasoningParser} with parser ${parser ?? "none"} was not measured on vllm; measured: qwen3 with parser hermes`;
  }
  if (parser === null) return vllmNoParser;
  if (parser === "hermes") return vllmHermes;
  if (parser === "qwen3_coder") return vllmQwen3Coder;
  if (parser === "llama3_json") return vllmLlama3;
  return unmeasured("vllm parser", parser, ["hermes", "qwen3_coder", "llama3_json", "none"]);
}

function withoutReasoning(choice: SetUpChoice): string | undefined {
  const name = given(choice.reasoningParser);
  return name === null
    ? undefined
    : `reasoningParser ${name}: ${choice.kind} has no such option; choose a template that knows thinking`;
}

function unmeasured(what: string, name: string, known: readonly string[]): string {
  return `${what} ${name} was not measured; measured: ${known.join(", ")}`;
}
