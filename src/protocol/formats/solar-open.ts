import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createNamedJsonReader } from "./named-json.ts";

const sectionBegin = "<|tool_calls|>";
const callBegin = "<|tool_call:begin|>";
const nameBegin = "<|tool_call:name|>";
const argumentsBegin = "<|tool_call:args|>";
const callEnd = "<|tool_call:end|>";

/** `<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>{…}<|tool_call:end|>`; the id is ten lower-case letters and digits. */
export const solarOpen: ToolCallFormat = {
  name: "solar_open",
  openers: [sectionBegin, callBegin],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": ["a chat template of Solar Open"] },
  models: "Upstage Solar-Open-100B",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      outer: { open: [sectionBegin], close: [] },
      before: [[callBegin]],
      // The id ends with a marker, and so does the name behind it.
      nameStops: "{",
      readName: (text) => /^\w{0,32}<\|tool_call:name\|>([^<]+)<\|tool_call:args\|>$/.exec(text)?.[1] ?? null,
      between: [],
      after: [[callEnd]],
      repeats: true,
    }),
  render: (calls) =>
    `${sectionBegin}${calls
      .map(
        (call, index) =>
          `${callBegin}${index.toString(36).padStart(10, "call000000")}${nameBegin}${call.name}${argumentsBegin}${spacedJson(call.arguments)}${callEnd}`,
      )
      .join("")}`,
};
