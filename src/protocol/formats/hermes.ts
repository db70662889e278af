import { spacedJson } from "../json.ts";
import { glanceAtJson } from "./bare-json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";
import { writtenLike } from "./written-like.ts";

const opener = "<tool_call>";
const closer = "</tool_call>";

/** `<tool_call>{"name", "arguments"}</tool_call>`, the tag repeated for each call. */
export const hermes: ToolCallFormat = {
  name: "hermes",
  openers: [opener],
  bare: false,
  parsers: {
    vllm: ["hermes", "granite4"],
    vllm010: ["hermes"],
    sglang: ["qwen25", "hermes", "qwen", "trinity"],
    ollama: ["qwen3", "qwen3-thinking", "qwen3-vl-instruct", "qwen3-vl-thinking"],
    "llama-server": ["a chat template with <tool_call> JSON"],
  },
  models: "Hermes 2/3, Qwen2.5, QwQ, Qwen3, Mellum2, Reka, MiMo-VL",
  openReader: (meter) => createJsonSectionReader(meter, { opening: [[opener]], closing: [closer], body: "{" }),
  // The opening tag lost, the closing one still there.
  residue: {
    openers: ["{"],
    bare: true,
    glance: glanceAtJson,
    openReader: (meter) =>
      createJsonSectionReader(meter, {
        opening: [[""]],
        closing: [closer],
        body: "{",
        weak: true,
        mark: { text: closer, follows: true },
      }),
  },
  render: (calls) =>
    calls
      .map((call) => `${opener}\n${spacedJson({ name: call.name, arguments: call.arguments })}\n${closer}`)
      .join("\n"),
};

/** Granite 4 writes what Hermes writes; vLLM has a parser of its own for it. */
export const granite4 = writtenLike(hermes, {
  name: "granite4",
  parsers: {
    vllm: ["granite4", "hermes"],
    vllm010: ["hermes"],
    sglang: [],
    ollama: [],
    "llama-server": ["a chat template with <tool_call> JSON"],
  },
  models: "IBM Granite 4.x",
});

/** ERNIE 4.5 writes what Hermes writes, beside `<think>` and `<response>`. */
export const ernie45 = writtenLike(hermes, {
  name: "ernie45",
  parsers: { vllm: ["ernie45"], vllm010: [], sglang: [], ollama: [], "llama-server": [] },
  models: "ERNIE-4.5 thinking",
});
