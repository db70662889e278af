import { spacedJson } from "../json.ts";
import type { ToolCall, ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";

const barOpener = "<|tool_call|>";
const barCloser = "<|/tool_call|>";

function list(calls: readonly ToolCall[]): string {
  return `[${calls.map((call) => spacedJson({ name: call.name, arguments: call.arguments })).join(", ")}]`;
}

/** `<|tool_call|>[…]` (3.0) or `<tool_call>[…]` (3.1 and later), with no end tag of its own. */
export const granite: ToolCallFormat = {
  name: "granite",
  openers: [barOpener, "<tool_call>"],
  bare: false,
  parsers: {
    vllm: ["granite"],
    sglang: [],
    ollama: [],
    "llama-server": ["a chat template of Granite 3.x"],
  },
  models: "IBM Granite 3.0 to 3.3",
  openReader: (meter) =>
    createJsonSectionReader(meter, {
      opening: [[barOpener, "<tool_call>"]],
      closing: ["</tool_call>", barCloser],
      body: "{[",
      mark: { text: barCloser, follows: false },
    }),
  render: (calls) => `${barOpener}${list(calls)}`,
};

/** `functools[…]`, or `<|tool_call|>[…]<|/tool_call|>`. */
export const phi4Mini: ToolCallFormat = {
  name: "phi4_mini",
  openers: ["functools[", barOpener],
  bare: false,
  parsers: {
    vllm: ["phi4_mini_json"],
    sglang: [],
    ollama: [],
    "llama-server": ["a chat template of Firefunction v2"],
  },
  models: "Phi-4-mini, Firefunction v2",
  openReader: (meter) => {
    const tagged = createJsonSectionReader(meter, {
      opening: [[barOpener]],
      closing: [barCloser],
      body: "{[",
      shared: true,
      mark: { text: barCloser, follows: true },
    });
    const named = createJsonSectionReader(meter, { opening: [["functools"]], closing: [], body: "[" });
    return { read: (buffer, ended) => (buffer.startsWith("<") ? tagged : named).read(buffer, ended) };
  },
  render: (calls) => `functools${list(calls)}`,
};
