import { parseJson } from "../../protocol/json.ts";
import type { Answer } from "../answer.ts";
import { alphanumeric, lowerAlphanumeric } from "../random.ts";
import { sseDone, streamResponse, utf8Bytes } from "../responses.ts";
import { type CallTrack, type Emission, emissions, servedCalls, shownText } from "../serving.ts";
import { countTokens, cutIntoPieces, singlePieces } from "../tokens.ts";
import {
  goJson,
  goTime,
  nativeReply,
  type OllamaModel,
  type OllamaServer,
  ollamaError,
  openaiReply,
} from "./ollama-server.ts";

/** An accepted request and its answer; `native`: asked on /api. */
export interface OllamaExchange {
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

/** Writes the answer to a chat request as the API that was asked writes it. */
export function chatAnswer(exchange: OllamaExchange, stream: boolean): Response {
  return failureBeforeText(exchange, stream) ?? (stream ? streamed(exchange) : whole(exchange));
}

/** Writes the answer to `/api/generate`. */
export function generatedAnswer(exchange: OllamaExchange, stream: boolean): Response {
  const { serving } = exchange.answer;
  const line = (response: string): Record<string, unknown> => ({
    model: exchange.modelName,
    created_at: goTime(exchange.ollama.context.now()),
    response,
  });
  if (stream) {
    return streamResponse(
      (function* () {
        for (const { start, end } of piecesOf(exchange)) {
          yield `${goJson({ ...line(serving.raw.slice(start, end)), done: false })}\n`;
        }
        yield `${goJson({ ...line(""), ...ending(exchange) })}\n`;
      })(),
      { "content-type": "application/x-ndjson" },
      exchange.signal,
    );
  }
  return nativeReply({ ...line(serving.raw), ...ending(exchange) });
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
