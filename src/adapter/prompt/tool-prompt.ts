import type { Tool } from "../../protocol/chat.ts";
import type { ToolCall } from "../../protocol/formats/format.ts";

/** How tools, calls and results are told to a model in plain text, in the words of its own training. */
export interface ToolPrompt {
  /** Name of the text format in which the model answers. */
  readonly format: string;
  /** What is put behind the system prompt. */
  describe(tools: readonly Tool[]): string;
  renderCalls(calls: readonly ToolCall[]): string;
  /** A result, as text of a user message. */
  renderResult(name: string, content: string): string;
}
