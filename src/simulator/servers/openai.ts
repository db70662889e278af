import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import type { Answer } from "../answer.ts";
import { budgetOf, type ChatBody, choiceWordOf, namedToolOf, readChatBody } from "../chat-body.ts";
import { renderPrompt } from "../prompt.ts";
import type { Question } from "../question.ts";
import { alphanumeric } from "../random.ts";
import { sseDone, sseEvent, streamResponse, textResponse } from "../responses.ts";
import type { CreateDialect, DialectRequest, ServerContext } from "../server-context.ts";
import { emissions, servedCalls, shownText } from "../serving.ts";
import { countTokens, cutIntoPieces } from "../tokens.ts";

const json = { "content-type": "application/json" };
const defaultContext = 131_072;
const defaultChunk = 16;

/** A hosted OpenAI-compatible endpoint: chat and the model list, no side channel. Not recorded: the API's own contract. */
export const createOpenai: CreateDialect = (context) => (request) => {
  const { method, path } = request;
  if (path === "/v1/models" && method === "GET") return listModels(context);
  if (path !== "/v1/chat/completions") return failure(404, `Invalid URL (${method} ${path})`, null, null);
  if (method !== "POST") return failure(405, `Not allowed to ${method} on ${path}`, null, null);
  const fields = parseJson(request.body);
  if (!isJsonObject(fields)) return failure(400, "We could not parse the JSON body of your request.", null, null);
  return chat(context, fields, request);
};

function chat(context: ServerContext, fields: JsonObject, request: DialectRequest): Response {
  const body = readChatBody(fields);
  const model = body.model === null ? undefined : context.profile.models[body.model];
  if (body.model === null) return failure(400, "you must provide a model parameter", null, null);
  if (model === undefined) {
    return failure(
      404,
      `The model \`${body.model}\` does not exist or you do not have access to it.`,
      "model",
      "model_not_found",
    );
  }
  const { messages, tools } = body;
  if (messages === null || messages.length === 0) {
    return failure(400, "Invalid 'messages': expected an array with at least one message.", "messages", "empty_array");
  }
  if (Array.isArray(fields["tools"]) && fields["tools"].length === 0) {
    return failure(
      400,
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "tools",
      "empty_array",
    );
  }
  const choice = choiceWordOf(body.toolChoice);
  const named = namedToolOf(body.toolChoice);
  if (choice === null) return failure(400, "Invalid value for 'tool_choice'.", "tool_choice", "invalid_value");
  if (body.toolChoice !== undefined && tools.length === 0) {
    return failure(
      400,
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "tool_choice",
      null,
    );
  }
  if (choice === "named" && !tools.some((tool) => tool.function.name === named)) {
    return failure(
      400,
      `Invalid value for 'tool_choice': function '${named ?? ""}' not found in 'tools'.`,
      "tool_choice",
      null,
    );
  }
  const prompt = renderPrompt(messages, tools, { family: "hermes", callFormat: model.format, json: "compact" });
  const promptTokens = countTokens(prompt);
  const contextLength = context.profile.server.contextLength ?? defaultContext;
  if (promptTokens > contextLength) {
    return failure(
      400,
      `This model's maximum context length is ${contextLength} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`,
      "messages",
      "context_length_exceeded",
    );
  }
  const question: Question = {
    model: body.model,
    messages,
    tools,
    choice,
    namedTool: named,
    stream: body.stream,
    seed: body.seed,
    prompt,
  };
  const limit = budgetOf(fields, ["max_completion_tokens", "max_tokens"]) ?? contextLength - promptTokens;
  const answer = context.answer(question, { limit });
  const { utterance, serving } = answer;
  if (utterance.failure !== null && !(body.stream && serving.raw !== "")) {
    return failure(utterance.failure.status, utterance.failure.message, null, null);
  }
  if (body.stream) {
    const parts = streamParts(context, question, answer, promptTokens, body);
    return streamResponse(parts, { "content-type": "text/event-stream; charset=utf-8" }, request.signal);
  }
  return textResponse(JSON.stringify(completion(context, question, answer, promptTokens)), 200, json);
}

function completion(context: ServerContext, question: Question, answer: Answer, promptTokens: number): unknown {
  const { serving } = answer;
  const calls = servedCalls(serving).map((call) => ({
    id: `call_${context.random.text(24, alphanumeric)}`,
    type: "function",
    function: { name: call.name, arguments: call.argumentsText },
  }));
  const content = shownText(serving, "content");
  return {
    ...head(context, question, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: content === "" && calls.length > 0 ? null : content,
          ...(calls.length > 0 && { tool_calls: calls }),
          refusal: null,
        },
        logprobs: null,
        finish_reason: finishReason(question, answer),
      },
    ],
    usage: usage(answer, promptTokens),
  };
}

function* streamParts(
  context: ServerContext,
  question: Question,
  answer: Answer,
  promptTokens: number,
  body: ChatBody,
): Generator<string> {
  const { serving, utterance } = answer;
  const shared = head(context, question, "chat.completion.chunk");
  const chunk = (delta: unknown, finish: string | null): string =>
    sseEvent({ ...shared, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  yield chunk({ role: "assistant", content: servedCalls(serving).length > 0 ? null : "" }, null);
  for (const { start, end } of cutIntoPieces(
    serving.raw,
    context.profile.server.chunk ?? defaultChunk,
    [],
    context.random,
  )) {
    for (const emission of emissions(serving, start, end)) {
      if (emission.kind === "content") yield chunk({ content: emission.text }, null);
      else if (emission.kind === "call_open") {
        const id = `call_${context.random.text(24, alphanumeric)}`;
        const opened = {
          index: emission.call.index,
          id,
          type: "function",
          function: { name: emission.call.name, arguments: "" },
        };
        yield chunk({ tool_calls: [opened] }, null);
      } else if (emission.kind === "call_arguments") {
        yield chunk({ tool_calls: [{ index: emission.call.index, function: { arguments: emission.text } }] }, null);
      }
    }
  }
  if (utterance.failure !== null) {
    const { message } = utterance.failure;
    yield sseEvent({ error: { message, type: "server_error", param: null, code: null } });
    return;
  }
  yield chunk({}, finishReason(question, answer));
  if (body.includeUsage) yield sseEvent({ ...shared, choices: [], usage: usage(answer, promptTokens) });
  yield sseDone;
}

/** OpenAI ends a named call with `stop`. */
function finishReason(question: Question, answer: Answer): string {
  const { serving, utterance } = answer;
  if (utterance.finish !== null) return utterance.finish;
  if (serving.cut) return "length";
  return servedCalls(serving).length > 0 && question.choice !== "named" ? "tool_calls" : "stop";
}

function head(context: ServerContext, question: Question, object: string): Record<string, unknown> {
  return {
    id: `chatcmpl-${context.random.text(29, alphanumeric)}`,
    object,
    created: Math.floor(context.now() / 1000),
    model: question.model,
    system_fingerprint: null,
  };
}

function usage(answer: Answer, promptTokens: number): unknown {
  const completion = countTokens(answer.serving.raw);
  return { prompt_tokens: promptTokens, completion_tokens: completion, total_tokens: promptTokens + completion };
}

function listModels(context: ServerContext): Response {
  const created = Math.floor(context.now() / 1000);
  const data = context.modelNames.map((id) => ({ id, object: "model", created, owned_by: "organization-owner" }));
  return textResponse(JSON.stringify({ object: "list", data }), 200, json);
}

function failure(status: number, message: string, param: string | null, code: string | null): Response {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return textResponse(JSON.stringify({ error: { message, type, param, code } }), status, json);
}
