import type { Answer } from "../answer.ts";
import type { ChatBody } from "../chat-body.ts";
import type { Question } from "../question.ts";
import { alphanumeric } from "../random.ts";
import { sseDone, sseEvent, streamResponse, textResponse } from "../responses.ts";
import type { ServerContext } from "../server-context.ts";
import { type CallTrack, type Emission, emissions, servedCalls, shownText } from "../serving.ts";
import { countTokens, cutIntoPieces, endOfTurnId, tokenIds } from "../tokens.ts";
import { generationSettings } from "./llama-server-settings.ts";
import type { LlamaTemplate } from "./llama-templates.ts";

/** What all routes of one llama-server share. */
export interface LlamaServer {
  readonly context: ServerContext;
  /** The one model that answers whatever name is asked for. */
  readonly alias: string;
  readonly build: string;
  readonly contextLength: number;
}

/** A chat request that was accepted, and the answer to it. */
export interface LlamaExchange {
  readonly body: ChatBody;
  readonly question: Question;
  readonly answer: Answer;
  readonly promptTokens: number;
  readonly limit: number;
  readonly template: LlamaTemplate;
  readonly signal: AbortSignal;
}

const outOfFormat = "The model produced output that does not match the expected peg-native format";

/** The reply in llama-server's shapes. A parse error is an HTTP 500 in a body and the last event of a stream. */
export function answerAsLlamaServer(llama: LlamaServer, exchange: LlamaExchange): Response {
  const failure = failureOf(exchange);
  if (exchange.body.stream && (failure === null || exchange.answer.serving.raw !== "")) {
    return streamResponse(
      streamParts(llama, exchange),
      { "content-type": "text/event-stream", server: "llama.cpp" },
      exchange.signal,
    );
  }
  if (failure !== null) return llamaError(failure.status, failure.message, errorType(failure.status));
  return llamaReply(completion(llama, exchange));
}

function completion(llama: LlamaServer, exchange: LlamaExchange): unknown {
  const { serving } = exchange.answer;
  const reasoning = shownText(serving, "reasoning");
  // Mistral's models write an id of nine characters themselves, which a whole body keeps and a stream does not.
  const idLength = exchange.answer.setUp.nativeFormat === "mistral" ? 9 : 32;
  const calls = servedCalls(serving).map((call) => ({
    type: "function",
    function: { name: call.name, arguments: call.argumentsText },
    id: llama.context.random.text(idLength, alphanumeric),
  }));
  const message = {
    role: "assistant",
    content: shownText(serving, "content"),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    choices: [{ finish_reason: finishReason(exchange), index: 0, message }],
    created: Math.floor(llama.context.now() / 1000),
    model: exchange.question.model,
    system_fingerprint: llama.build,
    object: "chat.completion",
    usage: usage(exchange),
    id: `chatcmpl-${llama.context.random.text(32, alphanumeric)}`,
    ...(exchange.body.fields["verbose"] === true && { __verbose: verbose(exchange) }),
    timings: timings(exchange),
  };
}

function* streamParts(llama: LlamaServer, exchange: LlamaExchange): Generator<string> {
  const { answer, question, body } = exchange;
  const { serving, utterance } = answer;
  const tail = {
    created: Math.floor(llama.context.now() / 1000),
    id: `chatcmpl-${llama.context.random.text(32, alphanumeric)}`,
    model: question.model,
    system_fingerprint: llama.build,
    object: "chat.completion.chunk",
  };
  const chunk = (delta: unknown, finish: string | null = null, extra: object = {}): string =>
    sseEvent({ choices: [{ finish_reason: finish, index: 0, delta }], ...tail, ...extra });
  const openCall = (call: Pick<CallTrack, "index" | "name">, text: string): string => {
    const id = llama.context.random.text(32, alphanumeric);
    return chunk({
      tool_calls: [{ index: call.index, id, type: "function", function: { name: call.name, arguments: text } }],
    });
  };
  yield chunk({ role: "assistant", content: null });
  let opened: CallTrack | null = null;
  for (const { start, end } of cutIntoPieces(
    serving.raw,
    llama.context.profile.server.chunk ?? 4,
    [],
    llama.context.random,
  )) {
    for (const emission of emissions(serving, start, end) as readonly Emission[]) {
      if (emission.kind === "content") yield chunk({ content: emission.text });
      else if (emission.kind === "reasoning") yield chunk({ reasoning_content: emission.text });
      else if (emission.kind === "call_open") opened = emission.call;
      else if (emission.kind === "call_arguments") {
        // The name comes with the first brace, the rest of the same piece behind it.
        const rest: string = opened === null ? emission.text : emission.text.slice(1);
        if (opened !== null) yield openCall(opened, emission.text.slice(0, 1));
        opened = null;
        if (rest !== "") yield chunk({ tool_calls: [{ index: emission.call.index, function: { arguments: rest } }] });
      }
    }
  }
  if (opened !== null) yield openCall(opened, "");
  const failure = failureOf(exchange);
  if (failure !== null) {
    const half = utterance.calls[0];
    if (serving.failed && half !== undefined) yield openCall({ index: 0, name: half.name }, "{");
    yield sseEvent({ error: { code: failure.status, message: failure.message, type: errorType(failure.status) } });
    return;
  }
  const closing = {
    timings: timings(exchange),
    ...(body.fields["verbose"] === true && { __verbose: verbose(exchange) }),
  };
  yield chunk({}, finishReason(exchange), body.includeUsage ? {} : closing);
  if (body.includeUsage) yield sseEvent({ choices: [], ...tail, usage: usage(exchange), ...closing });
  yield sseDone;
}

/** The model's own failure to fit the format, or the one that a card asks for. */
function failureOf(exchange: LlamaExchange): { readonly status: number; readonly message: string } | null {
  const { serving, utterance } = exchange.answer;
  if (utterance.failure !== null) return utterance.failure;
  return serving.failed ? { status: 500, message: outOfFormat } : null;
}

function finishReason(exchange: LlamaExchange): string {
  const { serving, utterance } = exchange.answer;
  if (utterance.finish !== null) return utterance.finish;
  if (serving.cut) return "length";
  return servedCalls(serving).length > 0 ? "tool_calls" : "stop";
}

function generatedTokens(exchange: LlamaExchange): number {
  const { serving } = exchange.answer;
  return countTokens(serving.raw) + (serving.cut ? 0 : 1);
}

function usage(exchange: LlamaExchange): unknown {
  const completion = generatedTokens(exchange);
  return {
    completion_tokens: completion,
    prompt_tokens: exchange.promptTokens,
    total_tokens: exchange.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}

/** Speeds of a quick machine, always in the same proportion: nothing here is measured. */
function timings(exchange: LlamaExchange): unknown {
  const predicted = generatedTokens(exchange);
  const promptMs = exchange.promptTokens * 0.008;
  const predictedMs = predicted * 0.1;
  return {
    cache_n: 0,
    prompt_n: exchange.promptTokens,
    prompt_ms: promptMs,
    prompt_per_token_ms: 0.008,
    prompt_per_second: 125_000,
    predicted_n: predicted,
    predicted_ms: predictedMs,
    predicted_per_token_ms: 0.1,
    predicted_per_second: 10_000,
  };
}

/** `__verbose`: what was generated, steered or not; in a stream the text is empty. */
function verbose(exchange: LlamaExchange): unknown {
  const { answer, question, body, template, limit } = exchange;
  const { serving } = answer;
  const ids = tokenIds(serving.raw);
  if (!serving.cut) ids.push(endOfTurnId);
  return {
    index: 0,
    content: body.stream ? "" : serving.raw,
    tokens: !body.stream && body.fields["return_tokens"] === true ? ids : [],
    id_slot: 0,
    stop: true,
    model: question.model,
    tokens_predicted: generatedTokens(exchange),
    tokens_evaluated: exchange.promptTokens,
    generation_settings: generationSettings(question, body.fields, template, limit),
    prompt: question.prompt,
    has_new_line: serving.raw.includes("\n"),
    truncated: false,
    stop_type: serving.cut ? "limit" : "eos",
    stopping_word: "",
    tokens_cached: exchange.promptTokens + generatedTokens(exchange) - 1,
    timings: timings(exchange),
  };
}

function errorType(status: number): string {
  if (status === 503) return "unavailable_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** An error in llama-server's envelope. */
export function llamaError(code: number, message: string, type: string): Response {
  return llamaReply({ error: { code, message, type } }, code);
}

/** A JSON reply with llama-server's headers. */
export function llamaReply(body: unknown, status = 200): Response {
  return textResponse(JSON.stringify(body), status, {
    "content-type": "application/json; charset=utf-8",
    server: "llama.cpp",
  });
}
