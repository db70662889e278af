import type { ToolCall, ToolCallFormat } from "./format.ts";
import { createPythonReader, glanceAtCall, glanceAtList, pythonCall } from "./python-calls.ts";

function list(calls: readonly ToolCall[]): string {
  return `[${calls.map((call) => pythonCall(call)).join(", ")}]`;
}

/** `[f(a="x"), g(b=2)]` with nothing around it. */
export const pythonic: ToolCallFormat = {
  name: "pythonic",
  openers: ["["],
  bare: true,
  parsers: {
    vllm: ["pythonic", "llama4_pythonic"],
    sglang: ["pythonic"],
    ollama: [],
    "llama-server": [],
  },
  models: "ToolACE, Llama 3.2 and Llama 4 with pythonic templates",
  glance: glanceAtList,
  openReader: (meter) => createPythonReader(meter, { opener: "", closers: [], list: "always", weak: true }),
  render: list,
};

/** `f(a="x")` with neither list nor marker. */
export const pythonicBare: ToolCallFormat = {
  name: "pythonic_bare",
  openers: [],
  nameThen: ["("],
  bare: true,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "Granite 3.3 and 4.0 (drift)",
  glance: glanceAtCall,
  openReader: (meter) => createPythonReader(meter, { opener: "", closers: [], list: "never", weak: true }),
  render: (calls) => calls.map((call) => pythonCall(call)).join("\n"),
};

/** `<|tool_call_start|>[f(a="x")]<|tool_call_end|>`; some variants write a JSON list inside. */
export const lfm2: ToolCallFormat = {
  name: "lfm2",
  openers: ["<|tool_call_start|>"],
  bare: false,
  parsers: {
    vllm: ["lfm2"],
    vllm010: [],
    sglang: ["lfm2"],
    ollama: ["lfm2", "lfm2-thinking"],
    "llama-server": ["a chat template of LFM2 or LFM2.5"],
  },
  models: "Liquid LFM2, LFM2.5",
  openReader: (meter) =>
    createPythonReader(meter, {
      opener: "<|tool_call_start|>",
      closers: ["<|tool_call_end|>"],
      list: "either",
      json: true,
      weak: false,
    }),
  render: (calls) => `<|tool_call_start|>${list(calls)}<|tool_call_end|>`,
};

/** `<|python_start|>[f(a=1)]<|python_end|>`, a single call without the list, or JSON. */
export const llama4PythonTags: ToolCallFormat = {
  name: "llama4_python_tags",
  openers: ["<|python_start|>"],
  bare: false,
  parsers: { vllm: ["llama4_pythonic"], sglang: ["pythonic"], ollama: [], "llama-server": [] },
  models: "Llama 4",
  openReader: (meter) =>
    createPythonReader(meter, {
      opener: "<|python_start|>",
      closers: ["<|python_end|>", "<|eom|>", "<|eot|>"],
      list: "either",
      json: true,
      weak: false,
    }),
  render: (calls) => `<|python_start|>${list(calls)}<|python_end|>`,
};

/** `<function_calls>` with one call a line. */
export const olmo3: ToolCallFormat = {
  name: "olmo3",
  openers: ["<function_calls>"],
  bare: false,
  parsers: { vllm: ["olmo3"], vllm010: [], sglang: [], ollama: ["olmo3"], "llama-server": [] },
  models: "Olmo 3",
  openReader: (meter) =>
    createPythonReader(meter, {
      opener: "<function_calls>",
      closers: ["</function_calls>"],
      list: "either",
      weak: false,
    }),
  render: (calls) => `<function_calls>\n${calls.map((call) => pythonCall(call)).join("\n")}\n</function_calls>`,
};
