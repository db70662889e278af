import { spacedJson } from "../json.ts";
import type { ToolCall, ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";
import { writtenLike } from "./written-like.ts";

const opener = "<tool_calls>";
const closer = "</tool_calls>";

function objects(calls: readonly ToolCall[]): readonly string[] {
  return calls.map((call) => spacedJson({ name: call.name, arguments: call.arguments }));
}

/** `<tool_calls>[…]</tool_calls>`: one list in plural tags. */
export const jamba: ToolCallFormat = {
  name: "jamba",
  openers: [opener],
  bare: false,
  parsers: { vllm: ["jamba", "hunyuan_a13b"], sglang: [], ollama: [], "llama-server": [] },
  models: "Jamba 1.5 and later",
  openReader: (meter) =>
    createJsonSectionReader(meter, { opening: [[opener]], closing: [closer], body: "[", shared: true }),
  render: (calls) => `${opener}[${objects(calls).join(", ")}]${closer}`,
};

/** Apriel writes Jamba's list, then `[BEGIN FINAL RESPONSE]` before its answer. */
export const apriel = writtenLike(jamba, {
  name: "apriel",
  parsers: {
    vllm: [],
    sglang: [],
    ollama: [],
    "llama-server": ["a chat template with <tool_calls> JSON"],
  },
  models: "ServiceNow Apriel 1.5/1.6",
});

/** `<tool_calls>` with one JSON object a line: MiniMax M1, and M2 under the template of M1. */
export const minimaxM1: ToolCallFormat = {
  name: "minimax_m1",
  openers: [opener],
  bare: false,
  parsers: { vllm: [], vllm010: ["minimax"], sglang: [], ollama: [], "llama-server": [] },
  models: "MiniMax M1",
  openReader: (meter) => createJsonSectionReader(meter, { opening: [[opener]], closing: [closer], body: "{" }),
  render: (calls) => `${opener}\n${objects(calls).join("\n")}\n${closer}`,
};

/** `<answer><tool_calls>[…]</tool_calls></answer>`; a single object in place of the list happens. */
export const hunyuan: ToolCallFormat = {
  name: "hunyuan",
  openers: ["<answer>"],
  bare: false,
  parsers: { vllm: ["hunyuan_a13b"], sglang: [], ollama: [], "llama-server": [] },
  models: "Hunyuan-A13B",
  openReader: (meter) =>
    createJsonSectionReader(meter, {
      opening: [["<answer>"], [opener]],
      closing: [closer, "</answer>"],
      body: "{[",
    }),
  render: (calls) => `<answer>${opener}[${objects(calls).join(", ")}]${closer}</answer>`,
};
