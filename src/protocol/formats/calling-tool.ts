import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createNamedJsonReader } from "./named-json.ts";

/** `[Calling tool: NAME({…})]`: the words in which some servers write calls into the history, and which models then imitate. */
export const callingTool: ToolCallFormat = {
  name: "calling_tool_bracket",
  openers: ["[Calling tool: "],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "any model that imitates its history",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      before: [["[Calling tool:"]],
      nameStops: "({[]\n",
      between: [["("]],
      after: [[")"], ["]"]],
      repeats: false,
      weak: true,
    }),
  render: (calls) => calls.map((call) => `[Calling tool: ${call.name}(${spacedJson(call.arguments)})]`).join("\n"),
};
