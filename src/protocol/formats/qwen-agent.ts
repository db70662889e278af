import { spacedJson } from "../json.ts";
import type { ToolCallFormat } from "./format.ts";
import { createNamedJsonReader } from "./named-json.ts";

/** `✿FUNCTION✿: NAME` and `✿ARGS✿: {…}`: Qwen-Agent's own lines, which its models write without it too. */
export const qwenAgent: ToolCallFormat = {
  name: "qwen_agent",
  openers: ["✿FUNCTION✿"],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "Qwen 1.x and 2 under Qwen-Agent",
  openReader: (meter) =>
    createNamedJsonReader(meter, {
      before: [["✿FUNCTION✿"], [":", "："]],
      nameStops: "\n✿{",
      between: [["✿ARGS✿"], [":", "："]],
      after: [],
      repeats: false,
      weak: true,
    }),
  render: (calls) => calls.map((call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${spacedJson(call.arguments)}`).join("\n"),
};
