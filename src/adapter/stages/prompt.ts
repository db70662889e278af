import { type ChatMessage, type ChatRequest, messageText } from "../../protocol/chat.ts";
import { isJsonObject, parseJson } from "../../protocol/json.ts";
import type { AdapterEvent } from "../events.ts";
import { toolsRefused } from "../failures.ts";
import { choosePrompt, textFormatFor, toolPrompt } from "../prompt/index.ts";
import type { ToolPrompt } from "../prompt/tool-prompt.ts";
import { proceed, type ReplyContext, type Stage } from "../stage.ts";
import type { Turn } from "../turn.ts";

/**
 * For models and servers without usable native tools: writes tools, calls and results into the prompt in the model's own words
 * and takes `tools` out of the request; `scan` reads the answer. `auto` does so where the rendered prompt lacks the tools, or
 * where the server refuses them.
 */
export const prompt: Stage = {
  name: "prompt",
  summary: "tools are put into the prompt in the model's own words where native tools do not work",
  open(turn) {
    const { format } = turn.config.prompt;
    const model = turn.config.model ?? turn.original.model;
    return {
      async onRequest(request) {
        if ((request.tools ?? []).length === 0 && !hasCalls(request)) return proceed(request);
        if (format === "native") return proceed(request);
        const facts = format === "auto" ? await turn.upstreamFacts() : unasked;
        const choice = choosePrompt(format, facts, model);
        if (choice.prompt === null) return proceed(request);
        turn.trace({ stage: "prompt", decision: choice.prompt.format, reason: choice.words });
        return proceed(writeTools(request, choice.prompt));
      },
      onResponse: (context) => (format === "auto" ? retryWithoutTools(context, turn, textFormatFor(model)) : null),
    };
  },
};

const unasked = { reached: false, kind: "openai", version: null, toolsInPrompt: "unknown" } as const;

function hasCalls(request: ChatRequest): boolean {
  return request.messages.some((message) => message.role === "tool" || message.tool_calls !== undefined);
}

/** A server that refuses tools is asked once more with the tools in the prompt. */
function retryWithoutTools(
  context: ReplyContext,
  turn: Turn,
  format: string,
): (event: AdapterEvent) => readonly AdapterEvent[] | AsyncIterable<AdapterEvent> {
  return (event) => {
    if (event.kind !== "failed" || event.failure.code !== toolsRefused) return [event];
    const written = toolPrompt(format);
    if (written === null || (context.request.tools ?? []).length === 0) return [event];
    turn.trace({ stage: "prompt", decision: format, reason: `the server refuses tools: ${event.failure.message}` });
    return context.askAgain(writeTools(context.request, written));
  };
}

/** The request with its tools, calls and results as text, and without anything that only native tools need. */
export function writeTools(request: ChatRequest, written: ToolPrompt): ChatRequest {
  const { tools = [], tool_choice: choice, parallel_tool_calls: _parallel, messages, ...rest } = request;
  const shown = choice === "none" ? [] : tools;
  const must =
    choice === "required"
      ? "\n\nYou must call a function now."
      : typeof choice === "object"
        ? `\n\nYou must call the function ${choice.function.name} now.`
        : "";
  const names = new Map(
    messages.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.function.name]),
  );
  const asText = messages.map((message) => messageAsText(message, written, names));
  const described: readonly ChatMessage[] =
    shown.length === 0 ? [] : [{ role: "system", content: `${written.describe(shown)}${must}` }];
  const leading = asText.findIndex((message) => message.role !== "system" && message.role !== "developer");
  const at = leading === -1 ? asText.length : leading;
  return { ...rest, messages: [...asText.slice(0, at), ...described, ...asText.slice(at)] } as ChatRequest;
}

function messageAsText(message: ChatMessage, written: ToolPrompt, names: ReadonlyMap<string, string>): ChatMessage {
  if (message.role === "tool") {
    const name = names.get(message.tool_call_id ?? "") ?? message.name ?? "the tool";
    return { role: "user", content: written.renderResult(name, messageText(message)) };
  }
  if (message.tool_calls === undefined || message.tool_calls.length === 0) return message;
  const calls = message.tool_calls.map((call) => {
    const value = parseJson(call.function.arguments);
    return { name: call.function.name, arguments: isJsonObject(value) ? value : { input: call.function.arguments } };
  });
  const text = messageText(message);
  return { role: "assistant", content: `${text}${text === "" ? "" : "\n"}${written.renderCalls(calls)}` };
}
