import { Hono } from "hono";
import { type Handler, jsonResponse, TransportError } from "../protocol/handler.ts";
import { isJsonObject, type JsonObject, parseJson } from "../protocol/json.ts";
import { fieldOf } from "../protocol/plain-message.ts";
import { takePlainBody } from "../protocol/plain-request.ts";
import { excerpt } from "../protocol/problems.ts";
import type { AdapterConfig } from "./config.ts";
import type { Failure } from "./events.ts";
import { badRequest } from "./failures.ts";
import { errorObject } from "./fronts/chat-writer.ts";
import type { Front } from "./fronts/front.ts";
import { chatFront, responsesFront } from "./fronts/index.ts";
import { createMetrics } from "./metrics.ts";
import { modelsResponse, ollamaProbe } from "./model-routes.ts";
import { randomId } from "./open-turn.ts";
import { type Responder, respond, traceHeader } from "./respond.ts";
import { requestOrder, responseOrder } from "./stages/index.ts";
import type { TurnTrace } from "./trace.ts";
import type { PinnedFetch, UpstreamFacts } from "./turn.ts";
import { meetUpstream } from "./upstream-facts.ts";

export interface AdapterOptions {
  /** The model server; asked for /v1/chat/completions, /v1/models and, by `prompt auto`, what it is. */
  readonly upstream: Handler;
  readonly config: AdapterConfig;
  /** Path of the upstream's API; "/v1" where absent. */
  readonly apiPrefix?: string | undefined;
  /** Milliseconds since the epoch; fractions make stage costs exact. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** What the web tools reach the world with; absent: there are none. */
  readonly fetchPinned?: PinnedFetch | undefined;
  /** Sent upstream instead of the client's Authorization. */
  readonly upstreamKey?: string | undefined;
  /** False where the client's key is for the adapter itself and must not travel on. */
  readonly forwardKey?: boolean | undefined;
  /** Given the trace of each turn when it is over. */
  readonly onTrace?: ((trace: TurnTrace) => void) | undefined;
  /** Told of faults of the adapter itself. */
  readonly onError?: ((error: unknown, traceId: string) => void) | undefined;
  /** Runs something later and gives what cancels it; a timer of the process where absent. */
  readonly after?: ((ms: number, action: () => void) => () => void) | undefined;
  /** Count in each trace the bytes by which each stage changes the request: for measurements, it costs time. */
  readonly weigh?: boolean | undefined;
}

/** What each of several adapters over one upstream has for itself. */
export interface OwnParts {
  readonly upstream: Handler;
  onTrace(trace: TurnTrace): void;
}

/**
 * The adapter as a Handler around a Handler: OpenAI's Chat Completions and Responses, over any upstream chat endpoint. Keeps
 * nothing between turns but counters and what the upstream is. Rejects never but with what the client's own leaving aborts.
 */
export function createAdapter(options: AdapterOptions): Handler {
  return createAdapters(options)({ upstream: options.upstream, onTrace: options.onTrace ?? (() => {}) });
}

/**
 * One adapter as many: each has its own way to the upstream and its own listener for traces, so that what happened behind it can
 * be told apart; counters and what is known of the upstream they have in common. What it is, `options.upstream` is asked.
 */
export function createAdapters(options: Omit<AdapterOptions, "onTrace">): (own: OwnParts) => Handler {
  const { config } = options;
  const apiPrefix = options.apiPrefix ?? "/v1";
  const metrics = createMetrics();
  let facts: Promise<UpstreamFacts> | null = null;
  const upstreamHeaders = (request: Request): Readonly<Record<string, string>> => {
    if (options.upstreamKey !== undefined) return { authorization: `Bearer ${options.upstreamKey}` };
    const given = fieldOf(request, "authorization");
    return given === null || options.forwardKey === false ? {} : { authorization: given };
  };
  const responderFor = (request: Request, model: string, own: OwnParts): Responder => ({
    upstream: own.upstream,
    apiPrefix,
    config,
    now: options.now,
    random: options.random,
    web: options.fetchPinned ?? null,
    orders: { request: requestOrder, response: responseOrder },
    weigh: options.weigh ?? false,
    upstreamHeaders,
    upstreamFacts() {
      facts ??= meetUpstream(options.upstream, {
        apiPrefix,
        headers: upstreamHeaders(request),
        model: config.model ?? model,
      }).then((found) => {
        // A server that did not answer may be one that is starting: asked again next time.
        if (!found.reached) facts = null;
        return found;
      });
      return facts;
    },
    onTrace(trace) {
      metrics.note(trace);
      own.onTrace(trace);
    },
    onError: options.onError ?? (() => {}),
    after: options.after ?? timer,
  });

  const serveFront = async (front: Front, request: Request, own: OwnParts): Promise<Response> => {
    const body = await readBody(request, config.limits.bodyBytes);
    if (!isJsonObject(body.value)) return refusal(body.failure ?? notAnObject, options.random);
    return respond(front, body.value, request, responderFor(request, String(body.value["model"] ?? ""), own));
  };

  const app = new Hono<{ Bindings: OwnParts }>();
  for (const prefix of ["/v1", ""]) {
    app.post(`${prefix}/chat/completions`, ({ req, env }) => serveFront(chatFront, req.raw, env));
    app.post(`${prefix}/responses`, ({ req, env }) => serveFront(responsesFront, req.raw, env));
    app.get(`${prefix}/models`, ({ req, env }) =>
      modelsResponse({ upstream: env.upstream, apiPrefix, headers: upstreamHeaders(req.raw), signal: req.raw.signal }),
    );
  }
  app.get("/health", () => jsonResponse({ status: "ok" }));
  app.get(
    "/metrics",
    async () => new Response(await metrics.text(), { headers: { "content-type": metrics.contentType } }),
  );
  app.all("/api/*", async ({ req, env }) => {
    const answer = await ollamaProbe(req.path, {
      upstream: env.upstream,
      apiPrefix,
      headers: upstreamHeaders(req.raw),
      signal: req.raw.signal,
    });
    // Ollama's own clients show an error only where it is a text.
    return answer ?? jsonResponse({ error: missingRoute(req.method, req.path) }, 404);
  });
  // A browser's or a health check's first look.
  app.get("/", () => new Response("harness-lab adapter: POST /v1/chat/completions or /v1/responses\n"));
  app.notFound(({ req }) => notFound(req.method, req.path));
  app.onError((error) => {
    if (TransportError.is(error)) throw error;
    options.onError?.(error, "");
    return jsonResponse(
      errorObject({
        status: 400,
        type: "adapter_error",
        code: "adapter_error",
        message: "the adapter failed on this request",
      }),
      400,
    );
  });
  return (own) => async (request) => app.fetch(request, own);
}

function timer(ms: number, action: () => void): () => void {
  if (ms === 0) {
    // Behind what has arrived, and not a millisecond later.
    const handle = setImmediate(action);
    return () => clearImmediate(handle);
  }
  const handle = setTimeout(action, ms);
  return () => clearTimeout(handle);
}

function missingRoute(method: string, path: string): string {
  return `the adapter has no ${method} ${path}; it has POST /v1/chat/completions, POST /v1/responses, GET /v1/models, /health and /metrics`;
}

function notFound(method: string, path: string): Response {
  const message = missingRoute(method, path);
  return jsonResponse(errorObject({ status: 404, type: "invalid_request_error", code: "not_found", message }), 404);
}

function refusal(failure: Failure, random: () => number): Response {
  return jsonResponse(errorObject(failure), failure.status, { [traceHeader]: randomId(random, "trace_") });
}

const notAnObject = badRequest("the body must be a JSON object");

interface BodyReading {
  readonly value: JsonObject | null;
  readonly failure: Failure | null;
}

/** Reads a JSON body up to a limit; what is longer is not read to its end. */
async function readBody(request: Request, limit: number): Promise<BodyReading> {
  const bad = (failure: Failure): BodyReading => ({ value: null, failure });
  const encoding = fieldOf(request, "content-encoding");
  if (encoding !== null && encoding !== "identity")
    return bad({ ...badRequest(`the body is compressed (${encoding}); send it as it is`), status: 415 });
  const plain = takePlainBody(request);
  if (plain !== undefined) return readText(plain, limit);
  const length = Number(fieldOf(request, "content-length") ?? Number.NaN);
  const text = length > limit ? null : length <= limit ? await request.text() : await limitedText(request, limit);
  return text === null ? bad(tooLarge(limit)) : readText(text, limit);
}

function readText(given: string | Uint8Array | null, limit: number): BodyReading {
  const bad = (failure: Failure): BodyReading => ({ value: null, failure });
  if ((given?.length ?? 0) > limit) return bad(tooLarge(limit));
  const text = typeof given === "string" ? given : given === null ? "" : decoder.decode(given);
  if (text.trim() === "") return bad(badRequest("the body is empty; a JSON object is needed"));
  const value = parseJson(text);
  if (value === undefined) return bad(badRequest(`the body is no JSON: ${excerpt(text.trim())}`));
  return isJsonObject(value) ? { value, failure: null } : bad(notAnObject);
}

const decoder = new TextDecoder();

async function limitedText(request: Request, limit: number): Promise<string | null> {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > limit) return null;
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}

function tooLarge(limit: number): Failure {
  const message = `the request is larger than ${Math.floor(limit / (1024 * 1024))} MiB, the adapter's limit (limits.bodyBytes)`;
  return { status: 413, type: "invalid_request_error", code: "request_too_large", message };
}
