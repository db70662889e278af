import type { KnownSetUp } from "../../protocol/known-truth.ts";
import {
  hermesTemplate,
  hermesThinkTemplate,
  llama3Template,
  mistralTemplate,
  openThinkTemplate,
  plainTemplate,
  qwen3CoderTemplate,
} from "../templates/jinja.ts";
import type { SetUp } from "./set-up.ts";

/** A llama-server with a template. */
export interface LlamaSetUp extends SetUp {
  readonly chatTemplate: string;
  readonly jinja?: boolean;
}

function known(id: string, format: string | null, more: Partial<KnownSetUp> = {}): KnownSetUp {
  const parser = format !== null;
  return {
    id,
    server: "llama-server",
    parser,
    format,
    tools: parser ? "whole" : "missing",
    grammar: parser ? "after_trigger" : "none",
    ...more,
  };
}

const tag = "<tool_call>\n";
const openers = ["<tool_call>"];

/** Template families, with and without tools. */
export const llamaSetUps: readonly LlamaSetUp[] = [
  { truth: known("hermes", "hermes"), chatTemplate: hermesTemplate, align: [tag], openers },
  { truth: known("hermes-think", "hermes"), chatTemplate: hermesThinkTemplate, align: [tag], openers },
  {
    truth: known("open-think", "hermes", { opensThinking: true }),
    chatTemplate: openThinkTemplate,
    align: [tag],
    openers,
  },
  {
    truth: known("qwen3-coder", "qwen3_coder"),
    chatTemplate: qwen3CoderTemplate,
    align: [tag, "<function=run_python>"],
    openers,
  },
  { truth: known("llama3", "llama3_json"), chatTemplate: llama3Template, align: [], openers: ['{"name"'] },
  {
    truth: known("mistral", "mistral"),
    chatTemplate: mistralTemplate,
    align: ["[TOOL_CALLS]"],
    openers: ["[TOOL_CALLS]"],
    tags: ["[TOOL_CALLS]"],
  },
  { truth: known("plain", null), chatTemplate: plainTemplate, align: [] },
  { truth: known("no-jinja", null), chatTemplate: plainTemplate, align: [], jinja: false },
];
