import { createArgumentBlockReader, renderBlocks } from "./argument-blocks.ts";
import { type BraceCalls, createBraceReader, renderBraces } from "./brace-arguments.ts";
import type { ToolCall, ToolCallFormat } from "./format.ts";

function render(calls: readonly ToolCall[], format: BraceCalls & { readonly quote: string }): string {
  return calls
    .map((call) => `${format.opener}call:${call.name}${renderBraces(call.arguments, format.quote)}${format.closer}`)
    .join("");
}

const functionMarks = { opener: "<start_function_call>", closer: "<end_function_call>", quote: "<escape>" };
const gemmaMarks = { opener: "<|tool_call>", closer: "<tool_call|>", quote: '<|"|>' };

/** `<start_function_call>call:NAME{K:<escape>V<escape>}<end_function_call>`. */
export const functionGemma: ToolCallFormat = {
  name: "functiongemma",
  openers: [functionMarks.opener],
  bare: false,
  parsers: {
    vllm: ["functiongemma"],
    vllm010: [],
    sglang: [],
    ollama: ["functiongemma"],
    "llama-server": [],
  },
  models: "FunctionGemma",
  openReader: (meter) => createBraceReader(meter, functionMarks),
  render: (calls) => render(calls, functionMarks),
};

/** `<|tool_call>call:NAME{K:<|"|>V<|"|>}<tool_call|>` (asymmetric bars). */
export const gemma4: ToolCallFormat = {
  name: "gemma4",
  openers: [gemmaMarks.opener],
  bare: false,
  parsers: {
    vllm: ["gemma4"],
    vllm010: [],
    sglang: [],
    sglangNewer: ["gemma4"],
    ollama: ["gemma4", "gemma4-no-thinking"],
    "llama-server": ["a chat template of Gemma 4"],
  },
  models: "Gemma 4",
  openReader: (meter) => createBraceReader(meter, gemmaMarks),
  residue: {
    openers: ["call:"],
    opensAt: "sentence",
    bare: true,
    openReader: (meter) => createBraceReader(meter, { opener: "", closer: "", quote: null }),
  },
  render: (calls) => render(calls, gemmaMarks),
};

/** `call:NAME:` and `BEGIN_ARG` blocks in the marker of Gemma 4: the habit of another client, often without the arguments' names. */
export const gemma4BeginArg: ToolCallFormat = {
  name: "gemma4_begin_arg",
  openers: [gemmaMarks.opener],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "Gemma 4 under Continue (drift)",
  openReader: (meter) =>
    createArgumentBlockReader(meter, { opener: `${gemmaMarks.opener}call:`, nameEnd: ":", closer: gemmaMarks.closer }),
  residue: {
    openers: ["call:"],
    opensAt: "sentence",
    bare: true,
    openReader: (meter) => createArgumentBlockReader(meter, { opener: "call:", nameEnd: ":", closer: "" }),
  },
  render: (calls) =>
    calls
      .map((call) => `${gemmaMarks.opener}call:${call.name}:\n${renderBlocks(call.arguments)}${gemmaMarks.closer}`)
      .join("\n"),
};
