import { listen } from "../../src/http/listen.ts";
import { upstream } from "../../src/http/upstream.ts";
import { replayCapture } from "../../src/lab/capture/replay.ts";
import { type Handler, jsonResponse } from "../../src/protocol/handler.ts";
import { isJsonObject, parseJson } from "../../src/protocol/json.ts";
import { storedExchange } from "../lab/capture/exchange-fixture.ts";
import { wireBytes } from "../protocol/wire-files.ts";
import { simulate } from "../simulator/support.ts";

/** A Handler and how to end it. */
export interface OpenHandler {
  readonly handler: Handler;
  close(): Promise<void>;
}

/** One kind of Handler that has to keep the contract of `protocol/handler.ts`. */
export interface HandlerUnderTest {
  readonly name: string;
  /** A fresh one for each test. */
  open(): Promise<OpenHandler>;
  /** Path and JSON body of a chat request that it answers with a whole reply. */
  chat(stream: boolean): { readonly path: string; readonly body: string };
}

/** The same handler behind a socket: served by `listen`, reached by `upstream`. */
export function overSocket(inner: HandlerUnderTest): HandlerUnderTest {
  return {
    name: `${inner.name}, over a socket`,
    chat: (stream) => inner.chat(stream),
    async open() {
      const served = await inner.open();
      const listener = await listen(served.handler);
      const client = upstream(listener.url);
      return {
        handler: client,
        async close() {
          await client.close();
          await listener.close();
          await served.close();
        },
      };
    },
  };
}

/** A handler made of a function alone. */
export function inProcess(name: string, create: () => Handler, chat: HandlerUnderTest["chat"]): HandlerUnderTest {
  return { name, chat, open: async () => ({ handler: create(), close: async () => {} }) };
}

function chatRequest(stream: boolean): { path: string; body: string } {
  return {
    path: "/v1/chat/completions",
    body: JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "hi" }] }),
  };
}

/** Answers each chat request with the bytes that a real server sent. */
function recordedHandler(): Handler {
  return async (request) => {
    if (new URL(request.url).pathname !== "/v1/chat/completions") return jsonResponse({ detail: "Not Found" }, 404);
    const body = parseJson(await request.text());
    if (!isJsonObject(body)) return jsonResponse({ error: { message: "not JSON" } }, 400);
    const name = body["stream"] === true ? "vllm-hermes-twohermes-auto-stream.sse" : "vllm-hermes-hermes-auto.json";
    const type = body["stream"] === true ? "text/event-stream; charset=utf-8" : "application/json";
    return new Response(new Uint8Array(wireBytes(name)), { headers: { "content-type": type } });
  };
}

/** Gives its stream piece by piece, as a server that generates does. */
function slowHandler(): Handler {
  return async (request) => {
    const whole = await recordedHandler()(request);
    const bytes = new Uint8Array(await whole.arrayBuffer());
    let at = 0;
    const pieces = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve));
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, at + 211));
        at += 211;
      },
    });
    return new Response(pieces, { status: whole.status, headers: whole.headers });
  };
}

/** Serves stored replies: the one of a stream or the one of a body, each with its own capture. */
function replayHandler(): Handler {
  const reply = (stream: boolean): Handler => {
    const type = stream ? "text/event-stream" : "application/json";
    const name = stream ? "vllm-hermes-twohermes-auto-stream.sse" : "vllm-hermes-hermes-auto.json";
    const body = new TextDecoder().decode(wireBytes(name));
    return replayCapture({ exchanges: [storedExchange(body, { headers: { "content-type": type } })] });
  };
  const [whole, streamed] = [reply(false), reply(true)];
  return async (request) => {
    if (new URL(request.url).pathname !== "/v1/chat/completions") return jsonResponse({ detail: "Not Found" }, 404);
    const body = parseJson(await request.clone().text());
    if (!isJsonObject(body)) return jsonResponse({ error: { message: "not JSON" } }, 400);
    return body["stream"] === true ? streamed(request) : whole(request);
  };
}

const simulatedServers = [
  { kind: "vllm", version: "0.32.0", parser: "hermes", contextLength: 8192, chunk: "random" },
  { kind: "ollama", version: "0.34.2", template: "hermes", contextLength: 4096, chunk: 7 },
  { kind: "llama-server", template: "hermes", contextLength: 8192, chunk: 4 },
  { kind: "openai", contextLength: 8192, chunk: 4 },
] as const;

function simulatedHandler(server: Readonly<Record<string, unknown>>): Handler {
  const answer = "A plain answer of some length. ".repeat(20);
  return simulate({ server, models: { m: { format: "hermes", rules: [{ cards: [{ text: answer }] }] } } });
}

const inProcessHandlers: readonly HandlerUnderTest[] = [
  inProcess("recorded bytes", recordedHandler, chatRequest),
  inProcess("recorded bytes in pieces", slowHandler, chatRequest),
  inProcess("replayed captures", replayHandler, chatRequest),
  ...simulatedServers.map((server) =>
    inProcess(`simulated ${server["kind"]}`, () => simulatedHandler(server), chatRequest),
  ),
];

/** Every kind of Handler, each in-process and over a socket. A new kind is one line above. */
export const handlersUnderTest: readonly HandlerUnderTest[] = inProcessHandlers.flatMap((handler) => [
  handler,
  overSocket(handler),
]);
