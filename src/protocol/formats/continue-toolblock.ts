import { createArgumentBlockReader, renderBlocks } from "./argument-blocks.ts";
import type { ToolCallFormat } from "./format.ts";

const fence = "```";
const opener = `${fence}tool\nTOOL_NAME:`;

/** A code fence marked `tool` with `TOOL_NAME:` and `BEGIN_ARG` blocks, as the Continue client asks for in its prompt. */
export const continueToolblock: ToolCallFormat = {
  name: "continue_toolblock",
  openers: [opener],
  bare: false,
  parsers: { vllm: [], sglang: [], ollama: [], "llama-server": [] },
  models: "any model under Continue",
  openReader: (meter) => createArgumentBlockReader(meter, { opener, nameEnd: "\n", closer: fence }),
  render: (calls) => calls.map((call) => `${opener} ${call.name}\n${renderBlocks(call.arguments)}${fence}`).join("\n"),
};
