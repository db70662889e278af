import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createJsonSectionReader } from "./json-section.ts";

const roleSeparator = "<|role_sep|>";
const messageSeparator = "<|message_sep|>";
const newMarker = "<|function_call|>";

/** `function call<|role_sep|>{"name", "arguments"}`, from version 3.1 on `<|function_call|>{…}`. */
export const gigachat3: ToolCallFormat = {
  name: "gigachat3",
  openers: [`${messageSeparator}function call${roleSeparator}`, `function call${roleSeparator}`, newMarker],
  bare: false,
  parsers: {
    vllm: ["gigachat3"],
    vllm010: [],
    sglang: ["gigachat3"],
    sglangNewer: ["gigachat35"],
    ollama: [],
    "llama-server": ["a chat template of GigaChat 3"],
  },
  models: "GigaChat 3",
  openReader: (meter) =>
    createJsonSectionReader(meter, {
      opening: [
        [messageSeparator, ""],
        [newMarker, `function call${roleSeparator}`],
      ],
      closing: [messageSeparator],
      body: "{",
    }),
  residue: {
    openers: ["function call\n"],
    opensAt: "sentence",
    bare: true,
    openReader: (meter) =>
      createJsonSectionReader(meter, { opening: [["function call\n"]], closing: [], body: "{", weak: true }),
  },
  render: (calls) =>
    calls
      .map((call) => `function call${roleSeparator}\n${spacedJson({ name: call.name, arguments: call.arguments })}`)
      .join(messageSeparator),
};
