import type { ChatRequest } from "../protocol/chat.ts";
import { type Handler, TransportError } from "../protocol/handler.ts";
import { isJsonObject, parseJson } from "../protocol/json.ts";
import { asOneMessage } from "../protocol/one-message.ts";
import { fieldOf } from "../protocol/plain-message.ts";
import { plainRequest } from "../protocol/plain-request.ts";
import { readReply } from "../protocol/read-reply.ts";
import type { ChatReply, ReadReply, ServedCall } from "../protocol/reply.ts";
import { createStreamReader } from "../protocol/stream.ts";
import type { AdapterEvent, Failure, FinishReason } from "./events.ts";
import {
  badRequest,
  brokenReply,
  outputUnreadable,
  streamedFailure,
  transportFailure,
  unreadableReply,
  upstreamFailure,
} from "./failures.ts";
import type { AskUpstream } from "./pipeline.ts";
import type { Turn } from "./turn.ts";
import { upstreamBody } from "./upstream-body.ts";

/** Largest body of an error that is read for its words. */
const longestError = 64 * 1024;

export interface AskOptions {
  readonly upstream: Handler;
  /** Path of its chat endpoint. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Counts each request sent. */
  onAsk(): number;
}

/** The way of one turn to its upstream. Every failure becomes a `failed` event; nothing is thrown but what the client's leaving aborts. */
export function createAsk(turn: Turn, options: AskOptions): AskUpstream {
  return (request) => ask(request, turn, options);
}

// Not a closure of each turn: V8 gives every generator function that is called a map in the old generation, and what the
// closure reaches, the whole turn, lives until that map is collected.
async function* ask(request: ChatRequest, turn: Turn, options: AskOptions): AsyncGenerator<readonly AdapterEvent[]> {
  const { model } = turn.config;
  const body = upstreamBody(model === undefined ? request : { ...request, model });
  let answer = await send(body, turn, options);
  if (!(answer instanceof Response) && answer.code === outputUnreadable) {
    turn.trace({ stage: "upstream", decision: "asked_again", reason: answer.message });
    answer = await send(body, turn, options);
  }
  if (!(answer instanceof Response)) {
    turn.trace({ stage: "upstream", decision: "failed", reason: answer.message });
    yield [{ kind: "failed", failure: answer }];
    return;
  }
  yield* readAnswer(answer, turn);
}

async function send(body: string, turn: Turn, options: AskOptions): Promise<Response | Failure> {
  const limit = turn.config.limits.upstreamRequests;
  if (options.onAsk() > limit)
    return badRequest(
      `the adapter asked the model ${limit} times in this turn, which is its limit`,
      "upstream_requests",
    );
  try {
    const response = await options.upstream(
      plainRequest({
        url: `http://upstream.invalid${options.path}`,
        method: "POST",
        headers: { "content-type": "application/json", ...options.headers },
        body,
        signal: turn.signal,
      }),
    );
    if (response.ok) return response;
    return upstreamFailure(response.status, await shortText(response), response.headers);
  } catch (error) {
    if (turn.signal.aborted || !TransportError.is(error)) throw error;
    return transportFailure(error);
  }
}

async function* readAnswer(response: Response, turn: Turn): AsyncGenerator<readonly AdapterEvent[]> {
  const type = fieldOf(response, "content-type") ?? "";
  // A body in one piece becomes a stream when it is first looked at: no look without need.
  if (!/event-stream|ndjson/i.test(type) || response.body === null) {
    yield wholeReply(response, await textOf(response, turn), turn);
    return;
  }
  const reader = createStreamReader(/ndjson/i.test(type) ? "ndjson" : "sse");
  const body = response.body.getReader();
  let cut: string | undefined;
  let anything = false;
  try {
    while (!reader.ended()) {
      const piece = await nextPiece(body, turn);
      if (typeof piece === "string") cut = piece;
      const events: AdapterEvent[] = [];
      for (const event of piece === null || typeof piece === "string" ? reader.end(cut) : reader.push(piece)) {
        if (event.kind === "text-delta" && event.choice === 0) events.push({ kind: "text", text: event.text });
        else if (event.kind === "reasoning-delta" && event.choice === 0)
          events.push({ kind: "reasoning", text: event.text });
        else if (event.kind === "done" || event.kind === "error")
          events.push(...ending(event.reply, turn, anything, cut));
      }
      anything ||= events.length > 0;
      if (events.length > 0) yield events;
    }
  } finally {
    // A stream that is over for us, or for the client, is over for the upstream.
    body.cancel().catch(() => {});
  }
}

/** The next bytes, null at the end, or why there are none. */
async function nextPiece(
  body: ReadableStreamDefaultReader<Uint8Array>,
  turn: Turn,
): Promise<Uint8Array | string | null> {
  // An upstream that does not heed the signal must not be read for nobody.
  if (turn.signal.aborted) throw turn.signal.reason;
  try {
    const { done, value } = await body.read();
    return done ? null : value;
  } catch (error) {
    if (turn.signal.aborted || !TransportError.is(error)) throw error;
    return error.message;
  }
}

function wholeReply(response: Response, text: string | Failure, turn: Turn): readonly AdapterEvent[] {
  if (typeof text !== "string") return [{ kind: "failed", failure: text }];
  const contentType = fieldOf(response, "content-type");
  const read = readReply({ body: text, contentType, status: response.status, streamed: false });
  const reply = asOneMessage(read.replies);
  if (reply === undefined || read.end === "unreadable")
    return [{ kind: "failed", failure: unreadableReply(contentType, text) }];
  const events: AdapterEvent[] = [];
  if (reply.reasoning !== "") events.push({ kind: "reasoning", text: reply.reasoning });
  if (reply.content !== "") events.push({ kind: "text", text: reply.content });
  return [...events, ...ending(read, turn, events.length > 0, undefined)];
}

/** What follows the texts of a reply: its calls, as far as they are whole, and the terminal event. */
function ending(read: ReadReply, turn: Turn, anything: boolean, cut: string | undefined): readonly AdapterEvent[] {
  const reply = asOneMessage(read.replies);
  if (reply === undefined) return [{ kind: "failed", failure: brokenReply(cut ?? read.problems[0] ?? "nothing came") }];
  for (const problem of read.problems) turn.trace({ stage: "upstream", decision: "unreadable_part", reason: problem });
  const broken = failureOf(reply, read, cut, anything);
  const whole = broken === null && reply.finishReason !== "length";
  const events: AdapterEvent[] = [];
  for (const call of reply.calls) {
    if (whole || isWhole(call)) events.push({ kind: "call", call: toCall(call, turn) });
    else
      turn.trace({
        stage: "upstream",
        decision: "cut_call_withheld",
        reason: "the reply stopped inside the call's arguments",
        before: { name: call.name, arguments: call.argumentsText },
      });
  }
  if (broken !== null) {
    turn.trace({ stage: "upstream", decision: "failed", reason: broken.message });
    return [...events, { kind: "failed", failure: broken }];
  }
  const [problem] = read.problems;
  // Silence would be taken for the model's: it did say something.
  if (problem !== undefined && !anything && events.length === 0)
    events.push({ kind: "text", text: `[The model's answer could not be read: ${problem}. Trace ${turn.id}]` });
  return [...events, { kind: "end", finishReason: finishReason(reply.finishReason), usage: reply.usage }];
}

function failureOf(reply: ChatReply, read: ReadReply, cut: string | undefined, anything: boolean): Failure | null {
  if (reply.error !== null) return streamedFailure(reply.error.message, reply.error.code);
  // A stream with a finish reason and without [DONE] is a server's habit; without either it was cut.
  if (cut === undefined && (read.end === "complete" || reply.finishReason !== null)) return null;
  if (cut !== undefined && reply.finishReason !== null && anything) return null;
  return brokenReply(cut ?? read.problems[0] ?? "the stream ended without its end mark");
}

function toCall(call: ServedCall, turn: Turn): Extract<AdapterEvent, { kind: "call" }>["call"] {
  return { id: turn.takeCallId(call.id), name: call.name, argumentsText: call.argumentsText, origin: "native" };
}

function isWhole(call: ServedCall): boolean {
  return isJsonObject(parseJson(call.argumentsText));
}

function finishReason(word: string | null): FinishReason {
  switch (word) {
    case "length":
    case "content_filter":
      return word;
    case "tool_calls":
    case "function_call":
      return "tool_calls";
    default:
      return "stop";
  }
}

async function textOf(response: Response, turn: Turn): Promise<string | Failure> {
  try {
    return await response.text();
  } catch (error) {
    if (turn.signal.aborted || !TransportError.is(error)) throw error;
    return brokenReply(error.message);
  }
}

async function shortText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < longestError) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What came of the error is all there is to show.
  } finally {
    reader.cancel().catch(() => {});
  }
  return text;
}
