import type { Handler } from "../protocol/handler.ts";
import { jsonResponse } from "../protocol/handler.ts";
import type { JsonObject } from "../protocol/json.ts";
import { fieldsOf } from "../protocol/plain-message.ts";
import { createAsk } from "./ask-upstream.ts";
import { readClientHints } from "./client-hints.ts";
import type { AdapterEvent, Failure } from "./events.ts";
import { errorObject } from "./fronts/chat-writer.ts";
import type { Front, FrontRequest, ReplyWriter } from "./fronts/front.ts";
import { openTurn, type TurnWorld } from "./open-turn.ts";
import { openPipeline, type Pipeline, type StageOrders } from "./pipeline.ts";
import type { TurnTrace } from "./trace.ts";
import type { Turn } from "./turn.ts";

/** Name of the response header that holds the trace id. */
export const traceHeader = "x-adapter-trace";

/** Bytes that may wait for a slow reader before the upstream is no longer read. */
const waitingBytes = 64 * 1024;

/** What the fronts share. */
export interface Responder extends TurnWorld {
  readonly upstream: Handler;
  readonly apiPrefix: string;
  readonly orders: StageOrders;
  /** Count the bytes by which each stage changes a request. */
  readonly weigh: boolean;
  /** Headers of every upstream request, made of the client's. */
  upstreamHeaders(request: Request): Readonly<Record<string, string>>;
  onTrace(trace: TurnTrace): void;
  /** Told of faults of the adapter itself. */
  onError(error: unknown, traceId: string): void;
}

interface Running {
  readonly turn: Turn;
  readonly writer: ReplyWriter;
  /** Aborts the turn; null where the reply is one body. */
  readonly leave: AbortController | null;
  /** Runs the pipeline into a sink; resolves when all has been taken, never rejects. */
  run(sink: (event: AdapterEvent) => void | Promise<void>): Promise<void>;
}

/** Answers one request of a front. Never rejects. */
export async function respond(front: Front, body: JsonObject, request: Request, world: Responder): Promise<Response> {
  const read = front.read(body);
  if (read.kind === "bad") return refuse(front, body, request, read.failure, world);
  const running = begin(front, body, read, request, world);
  return running.leave === null ? whole(running) : streamed(running, running.leave, world);
}

function refuse(front: Front, body: JsonObject, request: Request, failure: Failure, world: Responder): Response {
  const entry = { stage: "front", decision: "refused", reason: failure.message };
  const original = { model: typeof body["model"] === "string" ? body["model"] : "", messages: [] };
  const start = {
    front: front.name,
    client: readClientHints(fieldsOf(request), body),
    original,
    tools: [],
    dropped: [],
    entries: [entry],
  };
  const { turn, entries, dropped } = openTurn(start, world, request.signal);
  const startedAt = world.now();
  world.onTrace({
    id: turn.id,
    startedAt,
    ms: 0,
    front: front.name,
    client: turn.client.name,
    model: original.model,
    streamed: body["stream"] === true,
    outcome: "failed",
    entries,
    dropped,
    costs: [],
    upstreamRequests: 0,
  });
  return failureResponse(failure, turn.id);
}

function begin(front: Front, body: JsonObject, read: FrontRequest, request: Request, world: Responder): Running {
  const startedAt = world.now();
  const streamed = body["stream"] === true;
  // The body of a stream can be cancelled, which the request's own signal does not tell.
  const leave = streamed ? new AbortController() : null;
  const signal = leave?.signal ?? request.signal;
  const leaves = (): void => leave?.abort(request.signal.reason);
  if (request.signal.aborted) leaves();
  else if (leave !== null) request.signal.addEventListener("abort", leaves, { once: true });
  // Written key by key: a copy with more keys has a hidden class of its own, which lives until a full collection.
  const start = {
    front: front.name,
    client: readClientHints(fieldsOf(request), body),
    original: read.original,
    tools: read.tools,
    dropped: read.dropped,
    entries: read.entries,
  };
  const { turn, entries, dropped } = openTurn(start, world, signal);
  let asked = 0;
  let pipeline: Pipeline | null = null;

  function close(outcome: TurnTrace["outcome"]): void {
    if (leave !== null) request.signal.removeEventListener("abort", leaves);
    world.onTrace({
      id: turn.id,
      startedAt,
      ms: world.now() - startedAt,
      front: front.name,
      client: turn.client.name,
      model: turn.original.model,
      streamed,
      outcome,
      entries,
      dropped,
      costs: pipeline?.costs() ?? [],
      upstreamRequests: asked,
    });
  }

  return {
    turn,
    writer: front.openWriter(turn, body),
    leave,
    async run(sink) {
      let over = false;
      const watched = (event: AdapterEvent): void | Promise<void> => {
        if (over) return;
        over = event.kind === "end" || event.kind === "failed";
        return sink(event);
      };
      try {
        const ask = createAsk(turn, {
          upstream: world.upstream,
          path: `${world.apiPrefix}/chat/completions`,
          headers: world.upstreamHeaders(request),
          onAsk: () => ++asked,
        });
        pipeline = openPipeline(world.orders, turn, world.weigh);
        const outcome = await pipeline.run(ask, watched);
        if (!over) await watched({ kind: "failed", failure: ownFault("the reply had no end") });
        close(outcome);
      } catch (error) {
        if (signal.aborted) {
          close("left");
          return;
        }
        world.onError(error, turn.id);
        const words = error instanceof Error ? error.message : String(error);
        turn.trace({ stage: "adapter", decision: "internal_error", reason: words });
        await watched({ kind: "failed", failure: ownFault(`trace ${turn.id}`) });
        close("failed");
      }
    },
  };
}

/** Not a 500: clients repeat those for half a minute, and the fault would be the same. */
function ownFault(what: string): Failure {
  return {
    status: 400,
    type: "adapter_error",
    code: "adapter_error",
    message: `the adapter failed on this request (${what})`,
  };
}

async function whole({ turn, writer, run }: Running): Promise<Response> {
  let failure: Failure | null = null;
  await run((event) => {
    if (event.kind === "failed") failure = event.failure;
    writer.write(event);
  });
  if (failure !== null) return failureResponse(failure, turn.id);
  return jsonResponse(writer.body(), 200, { [traceHeader]: turn.id });
}

/**
 * The head waits for the first event, so that a request that fails at once gets a status that its client understands, but not
 * longer than the keep-alive interval.
 */
function streamed(running: Running, leave: AbortController, world: Responder): Promise<Response> {
  const { turn, writer } = running;
  const interval = turn.config.limits.keepAliveSeconds * 1000;
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let room: (() => void) | null = null;
  let cancelTimer: () => void = () => {};
  let quiet = true;

  return new Promise<Response>((resolve) => {
    const enqueue = (text: string): void => {
      if (text !== "" && !leave.signal.aborted) controller?.enqueue(encoder.encode(text));
    };
    const begin = (): void => {
      const body = new ReadableStream<Uint8Array>(
        {
          start(given) {
            controller = given;
          },
          pull() {
            room?.();
            room = null;
          },
          cancel(reason) {
            leave.abort(reason ?? new Error("the client left"));
            room?.();
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: waitingBytes }),
      );
      enqueue(writer.start());
      resolve(
        new Response(body, {
          headers: {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            [traceHeader]: turn.id,
          },
        }),
      );
    };
    // One timer for the whole reply: events only say that the interval was not quiet.
    const watch = (): void => {
      if (interval <= 0) return;
      cancelTimer = world.after(interval, () => {
        if (quiet) {
          if (controller === null) begin();
          // A reader that has not taken what waits for it is no reader to be kept awake.
          if ((controller?.desiredSize ?? 0) > 0) enqueue(writer.keepAlive());
        }
        quiet = true;
        watch();
      });
    };
    watch();
    leave.signal.addEventListener("abort", () => {
      cancelTimer();
      room?.();
    });
    running
      .run((event) => {
        if (controller === null) {
          if (event.kind === "failed") {
            resolve(failureResponse(event.failure, turn.id));
            return;
          }
          begin();
        }
        if (leave.signal.aborted) return;
        quiet = false;
        enqueue(writer.write(event));
        if ((controller?.desiredSize ?? 1) > 0) return;
        return new Promise<void>((free) => {
          room = free;
        });
      })
      .then(() => {
        cancelTimer();
        if (controller === null) resolve(failureResponse(ownFault("the client left"), turn.id));
        else if (!leave.signal.aborted) controller.close();
      })
      .catch((error: unknown) => world.onError(error, turn.id));
  });
}

/** An error in the shape and with the status that its client understands. */
export function failureResponse(failure: Failure, traceId: string): Response {
  return jsonResponse(errorObject(failure), failure.status, {
    [traceHeader]: traceId,
    ...(failure.retryAfter === undefined ? {} : { "retry-after": String(failure.retryAfter) }),
  });
}
