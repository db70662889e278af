import type { KnownSetUp } from "../../protocol/known-truth.ts";
import { hermesTemplate, hermesThinkTemplate, llama3Template, qwen3CoderTemplate } from "../templates/jinja.ts";
import type { SetUp } from "./set-up.ts";

/** A vLLM with its parser options; null = started without. */
export interface VllmSetUp extends SetUp {
  readonly chatTemplate: string;
  readonly toolCallParser: string | null;
  readonly reasoningParser: string | null;
}

function known(id: string, format: string | null, more: Partial<KnownSetUp> = {}): KnownSetUp {
  const parser = format !== null;
  return { id, server: "vllm", parser, format, tools: "whole", grammar: parser ? "forced" : "none", ...more };
}

const without = { toolCallParser: null, reasoningParser: null } as const;

/** Parsers that are told apart by what they do to foreign formats. */
export const vllmSetUps: readonly VllmSetUp[] = [
  { ...without, truth: known("hermes", "hermes"), chatTemplate: hermesTemplate, toolCallParser: "hermes" },
  {
    ...without,
    truth: known("qwen3_coder", "qwen3_coder"),
    chatTemplate: qwen3CoderTemplate,
    toolCallParser: "qwen3_coder",
  },
  {
    ...without,
    truth: known("llama3_json", "llama3_json"),
    chatTemplate: llama3Template,
    toolCallParser: "llama3_json",
    tags: ["<|python_tag|>"],
  },
  {
    truth: known("hermes-qwen3", "hermes"),
    chatTemplate: hermesThinkTemplate,
    toolCallParser: "hermes",
    reasoningParser: "qwen3",
  },
  { ...without, truth: known("no-parser", null), chatTemplate: hermesTemplate },
];
