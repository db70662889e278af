import { isJsonObject, type JsonObject, parseJson } from "../../protocol/json.ts";
import type { Answer } from "../answer.ts";
import { budgetOf, choiceWordOf, readChatBody, seedOf } from "../chat-body.ts";
import { renderPrompt } from "../prompt.ts";
import type { Question } from "../question.ts";
import { alphanumeric, lowerAlphanumeric } from "../random.ts";
import { sseDone, streamResponse, utf8Bytes } from "../responses.ts";
import { type CallTrack, type Emission, emissions, servedCalls, shownText } from "../serving.ts";
import { countTokens, cutIntoPieces, singlePieces } from "../tokens.ts";
import {
  findModel,
  goJson,
  goTime,
  nativeReply,
  type OllamaModel,
  type OllamaServer,
  ollamaError,
  openaiReply,
} from "./ollama-server.ts";

/** An accepted request and its answer; `native`: asked on /api. */
interface OllamaExchange {
  readonly ollama: OllamaServer;
  readonly model: OllamaModel;
  /** As the request spelt it. */
  readonly modelName: string;
  readonly native: boolean;
  readonly answer: Answer;
  readonly promptTokens: number;
  readonly logprobs: boolean;
  readonly includeUsage: boolean;
  readonly signal: AbortSignal;
}

/** Answers a chat request of either API. */
export function chatAsOllama(ollama: OllamaServer, fields: JsonObject, native: boolean, signal: AbortSignal): Response {
  const body = readChatBody(fields);
  const options = isJsonObject(fields["options"]) ? fields["options"] : {};
  const modelName = body.model ?? "";
  if (!native && body.messages !== null && body.messages.length === 0)
    return ollamaError(false, 400, "[] is too short - 'messages'");
  if (modelName === "") return ollamaError(native, 400, "model is required");
  const model = findModel(ollama, modelName);
  if (model === undefined) return ollamaError(native, 404, `model '${modelName}' not found`);
  const { template } = model;
  const messages = body.messages ?? [];
  if (body.tools.length > 0 && !template.capabilities.includes("tools")) {
    return ollamaError(native, 400, `registry.ollama.ai/library/${model.fullName} does not support tools`);
  }
  if (asksForThinking(fields) && !template.capabilities.includes("thinking")) {
    return ollamaError(native, 400, `"${modelName}" does not support thinking`);
  }
  const prompt = renderPrompt(messages, body.tools, template.prompt);
  if (fields["_debug_render_only"] === true) {
    return nativeReply({
      model: modelName,
      created_at: goTime(ollama.context.now()),
      message: { role: "", content: "" },
      done: false,
      _debug_info: { rendered_template: prompt },
    });
  }
  if (template.native && body.logprobs && body.tools.length > 0) {
    return ollamaError(
      native,
      400,
      nested({ code: 400, message: "logprobs is not supported with tools + stream", type: "invalid_request_error" }),
    );
  }
  const fitted = fitContext(ollama, model, countTokens(prompt), native);
  if (fitted instanceof Response) return fitted;
  // The native API streams unless it is told not to.
  const stream = native ? fields["stream"] !== false : body.stream;
  const question: Question = {
    model: model.key,
    messages,
    tools: body.tools,
    // Without effect here, but arms that send another word keep decks of their own.
    choice: choiceWordOf(body.toolChoice) ?? "auto",
    namedTool: null,
    stream,
    seed: native ? seedOf(options["seed"]) : body.seed,
    // What is left of a prompt that was cut is all that the model has.
    prompt: cutPrompt(prompt, fitted),
  };
  const limit = budgetOf(native ? options : fields, native ? ["num_predict"] : ["max_tokens"]) ?? ollama.contextLength;
  const answer = ollama.context.answer(question, { limit, splitThinking: fields["think"] !== false });
  ollama.loaded.add(model.key);
  const exchange: OllamaExchange = {
    ollama,
    model,
    modelName,
    native,
    answer,
    promptTokens: fitted,
    logprobs: body.logprobs,
    includeUsage: body.includeUsage,
    signal,
  };
  return failureBeforeText(exchange, stream) ?? (stream ? streamed(exchange) : whole(exchange));
}

/** `/api/generate`: with `raw` the text as generated, without template or parser; else a chat of one message. */
export function generateAsOllama(ollama: OllamaServer, fields: JsonObject, signal: AbortSignal): Response {
  const modelName = typeof fields["model"] === "string" ? fields["model"] : "";
  const model = findModel(ollama, modelName);
  if (model === undefined) return ollamaError(true, 404, `model '${modelName}' not found`);
  const options = isJsonObject(fields["options"]) ? fields["options"] : {};
  const asked = typeof fields["prompt"] === "string" ? fields["prompt"] : "";
  const system = typeof fields["system"] === "string" ? [{ role: "system", content: fields["system"] }] : [];
  const messages = [...system, { role: "user", content: asked }];
  const prompt = fields["raw"] === true ? asked : renderPrompt(messages, [], model.template.prompt);
  const question: Question = {
    model: model.key,
    messages,
    tools: [],
    choice: "auto",
    namedTool: null,
    stream: fields["stream"] !== false,
    seed: seedOf(options["seed"]),
    prompt,
  };
  const answer = ollama.context.answer(question, {
    limit: budgetOf(options, ["num_predict"]) ?? ollama.contextLength,
    raw: true,
  });
  ollama.loaded.add(model.key);
  const exchange: OllamaExchange = {
    ollama,
    model,
    modelName,
    native: true,
    answer,
    promptTokens: countTokens(prompt),
    logprobs: fields["logprobs"] === true,
    includeUsage: false,
    signal,
  };
  const line = (response: string): Record<string, unknown> => ({
    model: modelName,
    created_at: goTime(ollama.context.now()),
    response,
  });
  if (question.stream) {
    return streamResponse(
      (function* () {
        for (const { start, end } of piecesOf(exchange)) {
          yield `${goJson({ ...line(answer.serving.raw.slice(start, end)), done: false })}\n`;
        }
        yield `${goJson({ ...line(""), ...ending(exchange) })}\n`;
      })(),
      { "content-type": "application/x-ndjson" },
      signal,
    );
  }
  return nativeReply({ ...line(answer.serving.raw), ...ending(exchange) });
}

function asksForThinking(fields: JsonObject): boolean {
  const effort = fields["reasoning_effort"];
  return fields["think"] === true || (typeof effort === "string" && effort !== "none");
}

/** Prompt tokens that are left: one long message loses its middle without a word, the native path answers 400. */
function fitContext(
  ollama: OllamaServer,
  model: OllamaModel,
  promptTokens: number,
  native: boolean,
): number | Response {
  const { contextLength } = ollama;
  if (promptTokens <= contextLength) return promptTokens;
  if (!model.template.native) return Math.floor(contextLength / 2) + 2;
  return ollamaError(
    native,
    400,
    nested({
      code: 400,
      message: `request (${promptTokens} tokens) exceeds the available context size (${contextLength} tokens), try increasing it`,
      type: "exceed_context_size_error",
      n_prompt_tokens: promptTokens,
      n_ctx: contextLength,
    }),
  );
}

/** The beginning is kept, then half of the window is freed: what stood after it is gone. */
function cutPrompt(prompt: string, tokens: number): string {
  const points = [...prompt];
  if (points.length <= tokens) return prompt;
  return [...points.slice(0, 4), ...points.slice(points.length - tokens + 4)].join("");
}

/** An error of the llama-server behind Ollama, which passes it on as JSON inside the message. */
function nested(error: Record<string, unknown>): string {
  return JSON.stringify({ error });
}

/** What went wrong with the model's output or by the card's own wish; null where nothing did. */
function failureOf(exchange: OllamaExchange): { readonly status: number; readonly message: string } | null {
  const { utterance, serving } = exchange.answer;
  if (utterance.failure !== null) return utterance.failure;
  if (serving.unreadableCall !== null) {
    return {
      status: 500,
      message: `llama-server returned invalid tool call arguments for "${serving.unreadableCall}": unexpected end of JSON input`,
    };
  }
  return serving.failed ? { status: 500, message: "EOF" } : null;
}

/** A failure that can still be an HTTP error; asking a stream for logprobs was seen to prevent that. */
function failureBeforeText(exchange: OllamaExchange, stream: boolean): Response | null {
  const failure = failureOf(exchange);
  if (failure === null) return null;
  const { serving } = exchange.answer;
  const sent = shownText(serving, "content") + shownText(serving, "reasoning");
  if (stream && serving.unreadableCall === null && (sent !== "" || exchange.logprobs)) return null;
  return ollamaError(exchange.native, failure.status, failure.message);
}

function whole(exchange: OllamaExchange): Response {
  const { serving } = exchange.answer;
  const reasoning = shownText(serving, "reasoning");
  const calls = servedCalls(serving).map((call) => servedCall(exchange, call));
  const message = {
    role: "assistant",
    content: shownText(serving, "content"),
    ...(reasoning !== "" && { [exchange.native ? "thinking" : "reasoning"]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const shown = exchange.logprobs
    ? piecesOf(exchange).map(({ start, end }) => logprob(serving.raw.slice(start, end)))
    : null;
  if (exchange.native) {
    const { done, done_reason, ...counts } = ending(exchange);
    return nativeReply({
      model: exchange.modelName,
      created_at: goTime(exchange.ollama.context.now()),
      message,
      done,
      done_reason,
      ...(shown !== null && { logprobs: shown }),
      ...counts,
    });
  }
  return openaiReply({
    ...head(exchange, "chat.completion"),
    choices: [
      {
        index: 0,
        message,
        finish_reason: finishReason(exchange),
        ...(shown !== null && { logprobs: { content: shown } }),
      },
    ],
    usage: usage(exchange),
  });
}

function streamed(exchange: OllamaExchange): Response {
  return exchange.native
    ? streamResponse(nativeLines(exchange), { "content-type": "application/x-ndjson" }, exchange.signal)
    : streamResponse(openaiEvents(exchange), { "content-type": "text/event-stream" }, exchange.signal);
}

/** What one piece puts into a message; null where it shows nothing. Calls arrive whole. */
function pieceMessage(
  exchange: OllamaExchange,
  shown: readonly Emission[],
  reasoningKey: string,
): Record<string, unknown> | null {
  let content = "";
  let reasoning = "";
  const calls: unknown[] = [];
  for (const emission of shown) {
    if (emission.kind === "content") content += emission.text;
    else if (emission.kind === "reasoning") reasoning += emission.text;
    else if (emission.kind === "call_whole") calls.push(servedCall(exchange, emission.call));
  }
  if (content === "" && reasoning === "" && calls.length === 0) return null;
  return {
    content,
    ...(reasoning !== "" && { [reasoningKey]: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** What each piece of the text shows. Where llama-server parses for Ollama, all calls come together behind the text. */
function* shownPieces(
  exchange: OllamaExchange,
): Generator<{ readonly emitted: readonly Emission[]; readonly text: string }> {
  const { serving } = exchange.answer;
  const held: Emission[] = [];
  for (const { start, end } of piecesOf(exchange)) {
    const emitted = emissions(serving, start, end);
    const calls = exchange.model.template.native ? emitted.filter(({ kind }) => kind === "call_whole") : [];
    held.push(...calls);
    yield { emitted: emitted.filter((each) => !calls.includes(each)), text: serving.raw.slice(start, end) };
  }
  if (held.length > 0) yield { emitted: held, text: "" };
}

function* nativeLines(exchange: OllamaExchange): Generator<string> {
  const head = { model: exchange.modelName, created_at: goTime(exchange.ollama.context.now()) };
  for (const { emitted, text } of shownPieces(exchange)) {
    const message = pieceMessage(exchange, emitted, "thinking");
    if (message === null && !exchange.logprobs) continue;
    const shown = exchange.logprobs ? { logprobs: [logprob(text)] } : {};
    yield `${goJson({ ...head, message: { role: "assistant", ...(message ?? { content: "" }) }, done: false, ...shown })}\n`;
  }
  const failure = failureOf(exchange);
  if (failure !== null) yield `${goJson({ error: failure.message })}\n`;
  else yield `${goJson({ ...head, message: { role: "assistant", content: "" }, ...ending(exchange) })}\n`;
}

function* openaiEvents(exchange: OllamaExchange): Generator<string> {
  const shared = head(exchange, "chat.completion.chunk");
  let first = true;
  const event = (delta: Record<string, unknown>, finish: string | null, token: string | null): string => {
    const role = first ? { role: "assistant" } : {};
    first = false;
    const logprobs = token === null ? {} : { logprobs: { content: [logprob(token)] } };
    return `data: ${goJson({ ...shared, choices: [{ index: 0, delta: { ...role, ...delta }, finish_reason: finish, ...logprobs }] })}\n\n`;
  };
  for (const { emitted, text } of shownPieces(exchange)) {
    const delta = pieceMessage(exchange, emitted, "reasoning");
    if (delta === null && !exchange.logprobs) continue;
    yield event(delta ?? { content: "" }, null, exchange.logprobs ? text : null);
  }
  if (failureOf(exchange) !== null) {
    // The error's text is lost on this API: one chunk with an empty model, no finish_reason, no [DONE].
    yield `data: ${goJson({ ...shared, model: "", choices: [{ index: 0, delta: { content: "" }, finish_reason: null }] })}\n\n`;
    return;
  }
  if (first) yield event({ content: "" }, null, null);
  yield event({}, finishReason(exchange), null);
  if (exchange.includeUsage) yield `data: ${goJson({ ...shared, choices: [], usage: usage(exchange) })}\n\n`;
  yield sseDone;
}

function piecesOf(exchange: OllamaExchange): ReturnType<typeof cutIntoPieces> {
  const { context } = exchange.ollama;
  return cutIntoPieces(exchange.answer.serving.raw, context.profile.server.chunk ?? 7, singlePieces, context.random);
}

function servedCall(exchange: OllamaExchange, call: CallTrack): unknown {
  const { random } = exchange.ollama.context;
  const id = exchange.model.template.native
    ? random.text(32, alphanumeric)
    : `call_${random.text(8, lowerAlphanumeric)}`;
  if (exchange.native) {
    return { id, function: { index: call.index, name: call.name, arguments: parseJson(call.argumentsText) ?? {} } };
  }
  return { id, index: call.index, type: "function", function: { name: call.name, arguments: call.argumentsText } };
}

function head(exchange: OllamaExchange, object: string): Record<string, unknown> {
  const { context } = exchange.ollama;
  return {
    id: `chatcmpl-${1 + context.random.below(999)}`,
    object,
    created: Math.floor(context.now() / 1000),
    model: exchange.modelName,
    system_fingerprint: "fp_ollama",
  };
}

function finishReason(exchange: OllamaExchange): string {
  const { serving, utterance } = exchange.answer;
  if (utterance.finish !== null) return utterance.finish;
  if (serving.cut) return "length";
  return servedCalls(serving).length > 0 ? "tool_calls" : "stop";
}

function usage(exchange: OllamaExchange): unknown {
  const completion = countTokens(exchange.answer.serving.raw);
  return {
    prompt_tokens: exchange.promptTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens: completion,
    total_tokens: exchange.promptTokens + completion,
  };
}

/** The last fields of the native API. Its done_reason is `stop` also with calls; durations are nanoseconds, in proportion. */
function ending(exchange: OllamaExchange): { done: true; done_reason: string; [count: string]: unknown } {
  const { serving, utterance } = exchange.answer;
  const generated = countTokens(serving.raw);
  return {
    done: true,
    done_reason: utterance.finish ?? (serving.cut ? "length" : "stop"),
    total_duration: 2_000_000 + 10_000 * exchange.promptTokens + 700_000 * generated,
    load_duration: 2_000_000,
    prompt_eval_count: exchange.promptTokens,
    prompt_eval_cached_count: 0,
    prompt_eval_duration: 10_000 * exchange.promptTokens,
    eval_count: generated,
    eval_duration: 700_000 * generated,
  };
}

function logprob(token: string): unknown {
  return { token, logprob: 0, bytes: utf8Bytes(token) };
}
