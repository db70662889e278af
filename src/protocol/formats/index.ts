import { bareJson, llama3Json } from "./bare-json.ts";
import type { ToolCallFormat } from "./format.ts";
import { hermes } from "./hermes.ts";
import { qwen3Coder } from "./qwen3-coder.ts";

/** Every text format the lab reads and writes. Where two share an opener and both could read, the earlier one wins. */
export const toolCallFormats: readonly ToolCallFormat[] = [hermes, qwen3Coder, llama3Json, bareJson];

/** The format of that name, or undefined. */
export function findFormat(name: string): ToolCallFormat | undefined {
  return toolCallFormats.find((format) => format.name === name);
}
