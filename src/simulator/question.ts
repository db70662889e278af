import { type ChatMessage, messageText, type Tool, type ToolChoiceWord } from "../protocol/chat.ts";
import type { Asked } from "./matrices/outcome.ts";

/** What a request asks of a model, whatever the route it came by. */
export interface Question {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  /** Word of tool_choice; auto where none was sent. */
  readonly choice: ToolChoiceWord;
  readonly namedTool: string | null;
  readonly stream: boolean;
  readonly seed: string | null;
  /** The rendered prompt: a raw generation from the same prompt and seed gives the same reply. */
  readonly prompt: string;
}

/** How the matrices name the request: without tools tool_choice means nothing. */
export function askedOf(question: Question): Asked {
  return question.tools.length === 0 ? "no_tools" : question.choice;
}

/** Text of the last user message. */
export function userText(question: Question): string {
  for (let index = question.messages.length - 1; index >= 0; index--) {
    const message = question.messages[index];
    if (message?.role === "user") return messageText(message);
  }
  return "";
}

export function systemText(question: Question): string {
  return question.messages
    .filter((message) => message.role === "system" || message.role === "developer")
    .map(messageText)
    .join("\n");
}

/** The tool that a grammar may write under this request: the named one, else the first. */
export function firstTool(question: Question): Tool | undefined {
  if (question.choice === "named") {
    const named = question.tools.find((tool) => tool.function.name === question.namedTool);
    if (named !== undefined) return named;
  }
  return question.tools[0];
}
