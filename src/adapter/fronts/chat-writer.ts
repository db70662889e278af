import type { JsonObject, JsonValue } from "../../protocol/json.ts";
import type { Usage } from "../../protocol/reply.ts";
import type { AdapterCall, AdapterEvent, Failure, FinishReason } from "../events.ts";
import { randomId } from "../open-turn.ts";
import type { Turn } from "../turn.ts";
import type { ReplyWriter } from "./front.ts";

/**
 * Writes chat completions in the shape that every client tried can read: each chunk with id, object, created, model and index, the
 * role in the first, each call whole with its own index and id, one finish reason, usage if asked for, `[DONE]`.
 */
export function openChatWriter(turn: Turn, body: JsonObject): ReplyWriter {
  const id = randomId(turn.random, "chatcmpl-");
  const created = Math.floor(turn.now() / 1000);
  const model = turn.original.model;
  const options = body["stream_options"];
  const wantsUsage =
    typeof options === "object" &&
    options !== null &&
    !Array.isArray(options) &&
    (options as JsonObject)["include_usage"] === true;
  const head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)},`;
  const declared = new Map(turn.tools.map((tool) => [tool.name, tool]));
  let content = "";
  let reasoning = "";
  const calls: JsonObject[] = [];
  let finish: FinishReason = "stop";
  let usage: Usage | null = null;
  let failure: Failure | null = null;

  const chunk = (delta: string, finishReason: FinishReason | null = null): string =>
    `${head}"choices":[{"index":0,"delta":${delta},"finish_reason":${finishReason === null ? "null" : `"${finishReason}"`}}]}\n\n`;

  function callEntry(call: AdapterCall): JsonObject {
    const tool = declared.get(call.name);
    if (tool?.kind === "custom")
      return { id: call.id, type: "custom", custom: { name: tool.clientName, input: customInput(call.argumentsText) } };
    return { id: call.id, type: "function", function: { name: call.name, arguments: call.argumentsText } };
  }

  function ended(event: Extract<AdapterEvent, { kind: "end" }>): string {
    // What really went out decides, whatever the upstream called it.
    finish = calls.length > 0 ? "tool_calls" : event.finishReason === "tool_calls" ? "stop" : event.finishReason;
    usage = event.usage;
    const counts = wantsUsage ? `${head}"choices":[],"usage":${JSON.stringify(usageObject(usage))}}\n\n` : "";
    return `${chunk("{}", finish)}${counts}data: [DONE]\n\n`;
  }

  return {
    start: () => chunk('{"role":"assistant","content":""}'),
    keepAlive: () => ": the model is still working\n\n",
    write(event) {
      switch (event.kind) {
        case "text":
          content += event.text;
          return chunk(`{"content":${JSON.stringify(event.text)}}`);
        case "reasoning":
          reasoning += event.text;
          return chunk(`{"reasoning_content":${JSON.stringify(event.text)}}`);
        case "call": {
          const entry = callEntry(event.call);
          calls.push(entry);
          return chunk(`{"tool_calls":[${JSON.stringify({ index: calls.length - 1, ...entry })}]}`);
        }
        case "activity":
          return "";
        case "end":
          return ended(event);
        case "failed":
          failure = event.failure;
          return `data: ${JSON.stringify(errorObject(event.failure))}\n\n`;
        default:
          return event satisfies never;
      }
    },
    body() {
      if (failure !== null) return errorObject(failure);
      const message = {
        role: "assistant",
        content: content === "" && calls.length > 0 ? null : content,
        ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls as readonly JsonValue[] }),
      };
      return {
        id,
        object: "chat.completion",
        created,
        model,
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: usageObject(usage),
      };
    },
  };
}

/** The text of a freeform tool's input: the `input` argument, or the whole text where a model gave nothing else. */
export function customInput(argumentsText: string): string {
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (typeof value === "object" && value !== null && typeof (value as { input?: unknown }).input === "string")
      return (value as { input: string }).input;
  } catch {
    // Freeform text that was never JSON.
  }
  return argumentsText;
}

/** An error in OpenAI's shape. */
export function errorObject(failure: Failure): JsonObject {
  return { error: { message: failure.message, type: failure.type, code: failure.code, param: null } };
}

function usageObject(usage: Usage | null): JsonObject {
  const prompt = usage?.promptTokens ?? 0;
  const completion = usage?.completionTokens ?? 0;
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
