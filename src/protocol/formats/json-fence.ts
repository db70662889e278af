import { spacedJson } from "../json.ts";
import { glanceAtJson } from "./bare-json.ts";
import { createFencedReader } from "./fenced-json.ts";
import type { ToolCallFormat } from "./format.ts";
import { readWholeJsonCalls } from "./json-section.ts";

/** `{"name", "arguments"}` in a json code fence. */
export const jsonFence: ToolCallFormat = {
  name: "json_fence",
  openers: ["```"],
  bare: true,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "Qwen2.5-Coder and small models (drift)",
  openReader: (meter) => createFencedReader(meter, { before: "", glance: glanceAtJson, readCalls: readWholeJsonCalls }),
  render: (calls) =>
    calls.map((call) => `\`\`\`json\n${spacedJson({ name: call.name, arguments: call.arguments })}\n\`\`\``).join("\n"),
};

/** `Action:` and a json fence with a list of `{"tool_name", "parameters"}`. */
export const commandRPlus: ToolCallFormat = {
  name: "command_r_plus",
  openers: ["Action:"],
  opensAt: "sentence",
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": ["a chat template of Command R+"] },
  models: "Command R, Command R+",
  openReader: (meter) =>
    createFencedReader(meter, { before: "Action:", glance: glanceAtJson, readCalls: readWholeJsonCalls }),
  render: (calls) => {
    const listed = calls.map((call) => spacedJson({ tool_name: call.name, parameters: call.arguments }));
    return `Action:\n\`\`\`json\n[${listed.join(", ")}]\n\`\`\``;
  },
};
