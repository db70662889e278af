import type { Answer } from "../answer.ts";
import type { ChatBody } from "../chat-body.ts";
import type { Question } from "../question.ts";
import { uuidTail } from "../random.ts";
import { sseDone, sseEvent, streamResponse, utf8Bytes } from "../responses.ts";
import { type CallTrack, type Emission, emissions, servedCalls, shownText } from "../serving.ts";
import { countTokens, cutIntoPieces, endOfTurnId, endOfTurnText, singlePieces, tokenIds } from "../tokens.ts";
import { type VllmServer, vllmError, vllmReply } from "./vllm-server.ts";

/** A chat request that vLLM has accepted, and the answer to it. */
export interface VllmExchange {
  readonly body: ChatBody;
  readonly question: Question;
  readonly answer: Answer;
  readonly promptTokens: number;
  readonly signal: AbortSignal;
}

/** The reply in vLLM's shapes: a body, or server-sent events. */
export function answerAsVllm(vllm: VllmServer, exchange: VllmExchange): Response {
  const { failure } = exchange.answer.utterance;
  if (failure !== null && !(exchange.body.stream && exchange.answer.serving.raw !== "")) {
    return vllmError(failure.status, errorType(failure.status), failure.message);
  }
  if (exchange.body.stream) {
    const headers = { "content-type": "text/event-stream; charset=utf-8", server: "uvicorn" };
    return streamResponse(streamParts(vllm, exchange), headers, exchange.signal);
  }
  return vllmReply(completion(vllm, exchange));
}

function completion(vllm: VllmServer, exchange: VllmExchange): unknown {
  const { body, question, answer } = exchange;
  const { serving } = answer;
  const calls = visibleCalls(exchange);
  const wantsIds = body.fields["return_token_ids"] === true;
  if (parserRuns(vllm, exchange)) vllm.metrics.count(question.model, "body", calls.length > 0);
  return {
    id: `chatcmpl-${uuidTail(vllm.context.random)}`,
    object: "chat.completion",
    created: Math.floor(vllm.context.now() / 1000),
    model: question.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: contentOf(exchange),
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          ...(calls.length > 0 && { tool_calls: calls.map((call) => wholeCall(vllm, call)) }),
          reasoning: shownText(serving, "reasoning") || null,
        },
        logprobs: body.logprobs ? { content: allLogprobs(vllm, exchange) } : null,
        finish_reason: finishReason(exchange),
        stop_reason: null,
        token_ids: wantsIds ? generatedIds(exchange) : null,
        routed_experts: null,
      },
    ],
    service_tier: null,
    system_fingerprint: vllm.fingerprint,
    usage: {
      ...usage(exchange),
      prompt_tokens_details: null,
      completion_tokens_details:
        vllm.reasoningParser === null ? null : { reasoning_tokens: countTokens(shownText(serving, "reasoning")) },
    },
    prompt_logprobs: null,
    prompt_token_ids: wantsIds ? tokenIds(question.prompt) : null,
    prompt_text: promptText(exchange),
    kv_transfer_params: null,
    ec_transfer_params: null,
    metrics: null,
  };
}

function* streamParts(vllm: VllmServer, exchange: VllmExchange): Generator<string> {
  const { body, question, answer } = exchange;
  const { serving, utterance } = answer;
  const wantsIds = body.fields["return_token_ids"] === true;
  const everyPiece = wantsIds || body.logprobs;
  const head = {
    id: `chatcmpl-${uuidTail(vllm.context.random)}`,
    object: "chat.completion.chunk",
    created: Math.floor(vllm.context.now() / 1000),
    model: question.model,
  };
  const chunk = (delta: unknown, ids: readonly number[], shown: readonly string[], finish: string | null): unknown => ({
    ...head,
    choices: [
      {
        index: 0,
        delta,
        logprobs: body.logprobs ? { content: shown.map(logprob) } : null,
        finish_reason: finish,
        ...(finish !== null && { stop_reason: null }),
        token_ids: wantsIds ? ids : null,
      },
    ],
    ...(finish !== null && !body.includeUsage && { system_fingerprint: vllm.fingerprint }),
  });
  const writeDelta = deltaWriter(vllm, exchange);
  yield sseEvent({
    ...head,
    choices: [{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
    prompt_token_ids: wantsIds ? tokenIds(question.prompt) : null,
    prompt_text: promptText(exchange),
  });
  const pieces = cutIntoPieces(serving.raw, vllm.context.profile.server.chunk ?? 7, singlePieces, vllm.context.random);
  const counts = parserRuns(vllm, exchange);
  for (const [index, { start, end }] of pieces.entries()) {
    const text = serving.raw.slice(start, end);
    const delta = writeDelta(emissions(serving, start, end));
    if (counts) vllm.metrics.count(question.model, "stream", delta !== null && "tool_calls" in delta);
    const ended = serving.cut && index === pieces.length - 1 && utterance.failure === null;
    if (ended || delta !== null || everyPiece) {
      yield sseEvent(chunk(delta ?? {}, wantsIds ? tokenIds(text) : [], [text], ended ? finishReason(exchange) : null));
    }
  }
  if (utterance.failure !== null) {
    const { status, message } = utterance.failure;
    yield sseEvent({ error: { message, type: errorType(status), param: null, code: status } });
    yield sseDone;
    return;
  }
  if (!serving.cut) {
    yield sseEvent(chunk(lastDelta(vllm, exchange), [endOfTurnId], [endOfTurnText], finishReason(exchange)));
  }
  if (body.includeUsage) {
    yield sseEvent({ ...head, choices: [], usage: usage(exchange), system_fingerprint: vllm.fingerprint });
  }
  yield sseDone;
}

/** What stands beside the finish reason: nothing, or the empty rest of what a parser that streams the whole reply was showing. */
function lastDelta(vllm: VllmServer, exchange: VllmExchange): unknown {
  if (vllm.parser === null && vllm.reasoningParser === null) return { content: "" };
  if (vllm.parser !== "llama3_json" || exchange.question.choice !== "auto" || !parserRuns(vllm, exchange)) return {};
  const index = visibleCalls(exchange).at(-1)?.index;
  return index === undefined ? { content: "" } : { tool_calls: [{ index, function: { arguments: "" } }] };
}

/** Turns what one piece shows into a delta, in the manner of the parser that is set; null where it shows nothing. */
function deltaWriter(
  vllm: VllmServer,
  exchange: VllmExchange,
): (shown: readonly Emission[]) => Record<string, unknown> | null {
  const { nativeFormat } = exchange.answer.setUp;
  const oneEntry = nativeFormat === "qwen3_coder";
  const onlyFirst = exchange.body.fields["parallel_tool_calls"] === false;
  return (shown) => {
    let content = "";
    let reasoning = "";
    const entries: Record<string, unknown>[] = [];
    for (const emission of shown) {
      if (emission.kind === "content") content += emission.text;
      else if (emission.kind === "reasoning") reasoning += emission.text;
      else if (emission.kind === "call_whole" || (onlyFirst && emission.call.index > 0)) continue;
      else if (emission.kind === "call_open") {
        const id = `chatcmpl-tool-${uuidTail(vllm.context.random)}`;
        entries.push({ id, type: "function", index: emission.call.index, function: { name: emission.call.name } });
      } else {
        const last = entries.at(-1);
        if (oneEntry && last !== undefined && last["index"] === emission.call.index) {
          last["function"] = { ...(last["function"] as object), arguments: emission.text };
        } else entries.push({ index: emission.call.index, function: { arguments: emission.text } });
      }
    }
    if (entries.length > 0) {
      const text = content !== "" ? { content } : nativeFormat === "hermes" ? { content: null } : {};
      return { ...(reasoning !== "" && { reasoning }), ...text, tool_calls: entries };
    }
    if (content === "" && reasoning === "") return null;
    return { ...(reasoning !== "" && { reasoning }), ...(content !== "" && { content }) };
  };
}

/** An unconstrained reply without text has content null; where a grammar forced the call it is "". */
function contentOf(exchange: VllmExchange): string | null {
  const { serving } = exchange.answer;
  const content = shownText(serving, "content");
  if (content !== "") return content;
  const { outcome } = serving;
  return outcome === "text" || outcome === "leaked" || outcome === "forced_call" || outcome === "reasoning_unforced"
    ? ""
    : null;
}

/** A named call ends as the engine ended; auto says tool_calls even of a cut one; required that forced nothing says so only unstreamed. */
function finishReason(exchange: VllmExchange): string {
  const { answer, question, body } = exchange;
  const { serving, utterance } = answer;
  if (utterance.finish !== null) return utterance.finish;
  const engine = serving.cut ? "length" : "stop";
  if (question.tools.length === 0 || question.choice === "none" || question.choice === "named") return engine;
  if (question.choice === "auto") return servedCalls(serving).length > 0 ? "tool_calls" : engine;
  if (serving.cut) return "length";
  return serving.outcome === "reasoning_unforced" && body.stream ? "stop" : "tool_calls";
}

function visibleCalls(exchange: VllmExchange): readonly CallTrack[] {
  const calls = servedCalls(exchange.answer.serving);
  return exchange.body.fields["parallel_tool_calls"] === false ? calls.slice(0, 1) : calls;
}

function wholeCall(vllm: VllmServer, call: CallTrack): unknown {
  const id = `chatcmpl-tool-${uuidTail(vllm.context.random)}`;
  return { id, type: "function", function: { name: call.name, arguments: call.argumentsText } };
}

function parserRuns(vllm: VllmServer, exchange: VllmExchange): boolean {
  return vllm.parser !== null && exchange.question.tools.length > 0 && exchange.question.choice !== "none";
}

function generatedIds(exchange: VllmExchange): number[] {
  const { serving } = exchange.answer;
  const ids = tokenIds(serving.raw);
  if (!serving.cut) ids.push(endOfTurnId);
  return ids;
}

function usage(exchange: VllmExchange): { prompt_tokens: number; total_tokens: number; completion_tokens: number } {
  const { serving } = exchange.answer;
  const completion = countTokens(serving.raw) + (serving.cut ? 0 : 1);
  return {
    prompt_tokens: exchange.promptTokens,
    total_tokens: exchange.promptTokens + completion,
    completion_tokens: completion,
  };
}

function promptText(exchange: VllmExchange): string | null {
  return exchange.body.fields["return_prompt_text"] === true ? exchange.question.prompt : null;
}

/** One entry a piece: pieces are what the recorded model has as tokens. */
function allLogprobs(vllm: VllmServer, exchange: VllmExchange): unknown[] {
  const { serving } = exchange.answer;
  const pieces = cutIntoPieces(serving.raw, vllm.context.profile.server.chunk ?? 7, singlePieces, vllm.context.random);
  const texts = pieces.map(({ start, end }) => serving.raw.slice(start, end));
  return (serving.cut ? texts : [...texts, endOfTurnText]).map(logprob);
}

function logprob(token: string): unknown {
  return { token, logprob: 0, bytes: utf8Bytes(token), top_logprobs: [] };
}

function errorType(status: number): string {
  if (status === 404) return "NotFoundError";
  return status < 500 ? "BadRequestError" : "InternalServerError";
}
