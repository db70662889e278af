import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createNamedJsonReader } from "./named-json.ts";

const sectionBegin = "<|tool_calls_section_begin|>";
const sectionEnd = "<|tool_calls_section_end|>";
const callBegin = "<|tool_call_begin|>";
const callEnd = "<|tool_call_end|>";
const argumentBegin = "<|tool_call_argument_begin|>";

/** The tool's name in an id `functions.NAME:0`; any other id is given as it stands, for it holds no name for sure. */
function nameInId(id: string): string {
  return /^functions\.(.+):\d+$/.exec(id)?.[1] ?? id;
}

/** `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`: the id carries the name. */
export const kimiK2: ToolCallFormat = {
  name: "kimi_k2",
  openers: [sectionBegin, "<|tool_call_section_begin|>", callBegin],
  bare: false,
  parsers: {
    vllm: ["kimi_k2"],
    sglang: ["kimi_k2"],
    ollama: [],
    "llama-server": ["a chat template of Kimi K2"],
  },
  models: "Kimi K2, K2-Thinking, K2.5, K2.6",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      outer: {
        open: [sectionBegin, "<|tool_call_section_begin|>"],
        close: [sectionEnd, "<|tool_call_section_end|>"],
      },
      before: [[callBegin]],
      nameStops: "<\n{`",
      readName: nameInId,
      between: [[argumentBegin]],
      after: [[callEnd]],
      repeats: true,
    }),
  residue: {
    openers: ["functions."],
    bare: true,
    openReader: (meter) =>
      createNamedJsonReader(meter, {
        before: [["functions."]],
        nameStops: "<\n{ `\"'",
        readName: (text) => /^(.+):\d+$/.exec(text)?.[1] ?? null,
        between: [[argumentBegin, ""]],
        after: [[callEnd]],
        repeats: false,
        weak: true,
      }),
  },
  render: (calls) =>
    `${sectionBegin}${calls
      .map(
        (call, index) =>
          `${callBegin}functions.${call.name}:${index}${argumentBegin}${spacedJson(call.arguments)}${callEnd}`,
      )
      .join("")}${sectionEnd}`,
};
