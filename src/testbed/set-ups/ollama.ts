import type { KnownSetUp } from "../../protocol/known-truth.ts";
import type { OllamaModel } from "../servers/ollama.ts";
import {
  damagedToolsGoTemplate,
  exclusiveGoTemplate,
  hermesGoTemplate,
  hermesThinkGoTemplate,
  plainGoTemplate,
} from "../templates/go.ts";
import { hermesTemplate } from "../templates/jinja.ts";
import type { SetUp } from "./set-up.ts";

/** A model on Ollama: a Go template, a builtin pair, or the file's own Jinja. */
export interface OllamaSetUp extends SetUp, Pick<OllamaModel, "template" | "renderer" | "parser"> {}

function known(id: string, format: string | null, more: Partial<KnownSetUp> = {}): KnownSetUp {
  return {
    id,
    server: "ollama",
    parser: format !== null,
    format,
    tools: format === null ? "missing" : "whole",
    grammar: "none",
    ...more,
  };
}

const coder = "qwen3-coder";

/** The four ways in which Ollama reads calls, with what goes wrong in each. */
export const ollamaSetUps: readonly OllamaSetUp[] = [
  { truth: known("hermes", "hermes"), template: hermesGoTemplate },
  { truth: known("hermes-think", "hermes"), template: hermesThinkGoTemplate },
  { truth: known("damaged-tools", "hermes", { tools: "damaged" }), template: damagedToolsGoTemplate },
  { truth: known("exclusive", "hermes"), template: exclusiveGoTemplate },
  { truth: known("no-tools", null), template: plainGoTemplate },
  { truth: known("qwen3-coder", "qwen3_coder"), renderer: coder, parser: coder },
  { truth: known("hermes-under-qwen3-coder", "qwen3_coder"), template: hermesGoTemplate, parser: coder },
  { truth: known("qwen3.5", "qwen3_coder"), renderer: "qwen3.5", parser: "qwen3.5" },
  { truth: known("native", "hermes", { grammar: "after_trigger" }), chatTemplate: hermesTemplate },
];
