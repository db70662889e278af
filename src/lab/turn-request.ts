import type { ChatMessage, ChatRequest, ToolChoice } from "../protocol/chat.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../protocol/json.ts";
import type { Continuation } from "./scenario/dialogue.ts";
import type { PlannedSample } from "./scenario/plan.ts";
import type { TurnReply } from "./scenario/probe.ts";
import { exchangeReply, exchangeText, firstChoice } from "./target/chat-exchange.ts";
import type { RawExchange } from "./transport/exchange.ts";

/** What may differ between the requests of one conversation. */
export interface TurnRequest {
  readonly messages: readonly ChatMessage[];
  readonly toolChoice: ToolChoice | null;
  readonly stream: boolean;
}

/** The first request of a sample. */
export function firstRequest({ messages, toolChoice, stream }: PlannedSample): TurnRequest {
  return { messages, toolChoice, stream };
}

/** The request that follows. */
export function continued(before: TurnRequest, next: Continuation): TurnRequest {
  const { user } = next;
  const kept =
    user === undefined
      ? before.messages
      : before.messages.map((message, index) =>
          index === before.messages.length - 1 ? { ...message, content: user } : message,
        );
  return {
    messages: [...kept, ...next.append],
    toolChoice: before.toolChoice === null ? null : (next.choice ?? before.toolChoice),
    stream: next.stream ?? before.stream,
  };
}

/** What came back, as far as the course of the conversation depends on it. */
export function turnReply(raw: RawExchange): TurnReply {
  const reply = firstChoice(exchangeReply(raw));
  const failed = raw.status === null || raw.status >= 400 || raw.end.kind === "failed" || reply === null;
  return {
    status: raw.status,
    content: reply?.content ?? "",
    calls: reply?.calls ?? [],
    error: reply?.error?.message ?? (failed ? exchangeText(raw).slice(0, 500) : null),
    promptTokens: reply?.usage?.promptTokens ?? null,
  };
}

/** A chat request in the shape of Ollama's own route. */
export function nativeRequest(request: ChatRequest): JsonObject {
  const options: Record<string, JsonValue> = {};
  if (request.max_tokens !== undefined) options["num_predict"] = request.max_tokens;
  if (request.temperature !== undefined) options["temperature"] = request.temperature;
  if (request.seed !== undefined) options["seed"] = request.seed;
  return {
    model: request.model,
    messages: request.messages.map(nativeMessage),
    ...(request.tools === undefined ? {} : { tools: request.tools as unknown as JsonValue }),
    stream: request.stream === true,
    options,
  };
}

/** The native API wants the arguments of earlier calls as objects. */
function nativeMessage(message: ChatMessage): JsonValue {
  if (message.tool_calls === undefined) return message as unknown as JsonValue;
  return {
    ...(message as unknown as JsonObject),
    tool_calls: message.tool_calls.map(({ id, function: { name, arguments: text } }) => {
      const parsed = parseJson(text);
      return { id, function: { name, arguments: isJsonObject(parsed) ? parsed : {} } };
    }),
  };
}
