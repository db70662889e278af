import type { KnownTruth } from "../../src/protocol/known-truth.ts";
import type { Script } from "../../src/testbed/scripted/cut-scripts.ts";
import { scriptedGguf } from "../../src/testbed/scripted/scripted-gguf.ts";
import type { OllamaModel } from "../../src/testbed/servers/ollama.ts";
import {
  damagedToolsGoTemplate,
  exclusiveGoTemplate,
  hermesGoTemplate,
  hermesThinkGoTemplate,
  plainGoTemplate,
} from "../../src/testbed/templates/go.ts";
import {
  hermesTemplate,
  hermesThinkTemplate,
  llama3Template,
  plainTemplate,
  qwen3CoderTemplate,
} from "../../src/testbed/templates/jinja.ts";
import type { SetUpTruth } from "./truth.ts";

/** A server with a template, and what we know of it because we built it. */
export interface LlamaSetUp {
  readonly id: string;
  readonly truth: SetUpTruth;
  readonly chatTemplate: string;
  /** Triggers of the grammar that llama-server derives from this template. */
  readonly align: readonly string[];
  readonly openers: readonly string[];
  readonly jinja?: boolean;
}

const llama = (tools: SetUpTruth["tools"], parser = true): SetUpTruth => ({
  server: "llama-server",
  parser,
  tools,
  grammar: parser,
});
const tag = "<tool_call>\n";

export const llamaSetUps: readonly LlamaSetUp[] = [
  { id: "hermes", truth: llama("whole"), chatTemplate: hermesTemplate, align: [tag], openers: ["<tool_call>"] },
  {
    id: "hermes-think",
    truth: llama("whole"),
    chatTemplate: hermesThinkTemplate,
    align: [tag],
    openers: ["<tool_call>"],
  },
  {
    id: "qwen3-coder",
    truth: llama("whole"),
    chatTemplate: qwen3CoderTemplate,
    align: [tag, "<function=run_python>"],
    openers: ["<tool_call>"],
  },
  { id: "llama3", truth: llama("whole"), chatTemplate: llama3Template, align: [], openers: ['{"name"'] },
  { id: "plain", truth: llama("missing", false), chatTemplate: plainTemplate, align: [], openers: [] },
  {
    id: "no-jinja",
    truth: llama("missing", false),
    chatTemplate: plainTemplate,
    align: [],
    openers: [],
    jinja: false,
  },
];

/** A model on Ollama, and what we know of it. */
export interface OllamaSetUp extends Pick<OllamaModel, "template" | "renderer" | "parser"> {
  readonly id: string;
  readonly truth: SetUpTruth;
  readonly chatTemplate?: string | undefined;
}

const ollama = (tools: SetUpTruth["tools"], parser = true, grammar = false): SetUpTruth => ({
  server: "ollama",
  parser,
  tools,
  grammar,
});

export const ollamaSetUps: readonly OllamaSetUp[] = [
  { id: "hermes", truth: ollama("whole"), template: hermesGoTemplate },
  { id: "hermes-think", truth: ollama("whole"), template: hermesThinkGoTemplate },
  { id: "damaged-tools", truth: ollama("damaged"), template: damagedToolsGoTemplate },
  { id: "exclusive", truth: ollama("whole"), template: exclusiveGoTemplate },
  { id: "no-tools", truth: ollama("missing", false), template: plainGoTemplate },
  { id: "qwen3-coder", truth: ollama("whole"), renderer: "qwen3-coder", parser: "qwen3-coder" },
  { id: "hermes-under-qwen3-coder", truth: ollama("whole"), template: hermesGoTemplate, parser: "qwen3-coder" },
  { id: "qwen3.5", truth: ollama("whole"), renderer: "qwen3.5", parser: "qwen3.5" },
  { id: "native", truth: ollama("whole", true, true), chatTemplate: hermesTemplate },
];

/** Tags that are one token each in the vocabularies of the families. */
export const tags = ["<tool_call>", "</tool_call>", "<think>", "</think>"] as const;

export function asScripts(truths: readonly KnownTruth[]): readonly Script[] {
  return truths.map(({ script, text }) => ({ name: script, branches: [{ probability: 1, text }] }));
}

/** A model file that plays these scripts under this template; the first one where a prompt asks for none. */
export function modelFile(
  truths: readonly KnownTruth[],
  setUp: {
    readonly chatTemplate?: string | undefined;
    readonly align?: readonly string[];
    readonly openers?: readonly string[];
  },
): Uint8Array {
  return scriptedGguf({
    name: "scripted",
    scripts: asScripts(truths),
    fallback: truths[0]?.script ?? "",
    chatTemplate: setUp.chatTemplate,
    tags,
    align: setUp.align ?? [tag],
    openers: setUp.openers ?? [],
  });
}
