import type { ChatMessage, Tool } from "../../protocol/chat.ts";

/** What a check is asked with: a conversation, its tools, and the seed that makes it repeatable. */
export interface CheckRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Tool[];
  readonly seed: number;
}

/**
 * A check's request for each transport mode. A run gives the request of a sample that it will send anyway, with that sample's
 * seed: a check then shows the set-up on the very payload, and draws nothing from a scripted model's deck that the sample
 * would not draw.
 */
export interface CheckRequests {
  readonly body: CheckRequest;
  readonly stream: CheckRequest;
  /** Without tools, for servers that refuse them. */
  readonly plain: CheckRequest;
}

/** A conversation that no scenario uses, for looking at a template and where no sample is planned. */
export const neutralMessages: readonly ChatMessage[] = [{ role: "user", content: "Reply with OK." }];

export const neutralTool: Tool = {
  type: "function",
  function: { name: "noop", description: "Does nothing.", parameters: { type: "object", properties: {} } },
};

const neutral: CheckRequest = { messages: neutralMessages, tools: [neutralTool], seed: 7 };
export const neutralChecks: CheckRequests = { body: neutral, stream: neutral, plain: { ...neutral, tools: [] } };
