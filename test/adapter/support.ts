import { type AdapterOptions, createAdapter } from "../../src/adapter/adapter.ts";
import { adapterConfigSchema } from "../../src/adapter/adapter-config.ts";
import type { TurnTrace } from "../../src/adapter/trace.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../src/protocol/json.ts";

export const now = 1_796_034_218_000;

/** A seeded stream of numbers in [0, 1). */
export function seeded(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export interface TestAdapter {
  readonly handler: Handler;
  readonly traces: TurnTrace[];
  readonly errors: unknown[];
}

/** An adapter with a standing clock and seeded ids. `prompt` is native unless the test says otherwise: no probes are sent. */
export function testAdapter(
  upstream: Handler,
  config: Record<string, unknown> = {},
  more: Partial<AdapterOptions> = {},
): TestAdapter {
  const traces: TurnTrace[] = [];
  const errors: unknown[] = [];
  const handler = createAdapter({
    upstream,
    config: adapterConfigSchema.parse({ prompt: { format: "native" }, ...config }),
    now: () => now,
    random: seeded(),
    onTrace: (trace) => void traces.push(trace),
    onError: (error) => void errors.push(error),
    ...more,
  });
  return { handler, traces, errors };
}

export function post(handler: Handler, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  return handler(
    new Request(`http://127.0.0.1:8484${path}`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    }),
  );
}

/** An upstream of scripted answers that keeps the bodies it was sent; the last answer is given again. */
export function scripted(
  ...answers: readonly (() => Response | Promise<Response>)[]
): Handler & { readonly bodies: JsonObject[] } {
  const bodies: JsonObject[] = [];
  const handler: Handler = async (request) => {
    const body = parseJson(await request.text());
    bodies.push(isJsonObject(body) ? body : {});
    const answer = answers[Math.min(bodies.length, answers.length) - 1];
    if (answer === undefined) throw new Error("no answer");
    return answer();
  };
  return Object.assign(handler, { bodies });
}

interface Said {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id?: string | null; readonly name: string; readonly arguments: string }[];
  readonly finish?: string | null;
  readonly usage?: boolean;
}

/** A chat stream as llama-server and vLLM write it, in bytes of `size`; cut after `cutAfter` characters where given. */
export function chatStream(
  said: Said,
  { size = 1000, done = true, cutAfter }: { size?: number; done?: boolean; cutAfter?: number } = {},
): () => Response {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const calls = (said.calls ?? []).map((call, index) =>
    chunk({
      tool_calls: [
        {
          index,
          ...(call.id === null ? {} : { id: call.id ?? `up_${index}` }),
          type: "function",
          function: { name: call.name, arguments: call.arguments },
        },
      ],
    }),
  );
  const text =
    chunk({ role: "assistant", content: "" }) +
    (said.reasoning === undefined
      ? ""
      : [...said.reasoning].map((letter) => chunk({ reasoning_content: letter })).join("")) +
    (said.text === undefined ? "" : [...said.text].map((letter) => chunk({ content: letter })).join("")) +
    calls.join("") +
    (said.finish === null ? "" : chunk({}, said.finish ?? (calls.length > 0 ? "tool_calls" : "stop"))) +
    (said.usage === false
      ? ""
      : `data: ${JSON.stringify({ id: "c", choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`) +
    (done ? "data: [DONE]\n\n" : "");
  return () => streamOf(cutAfter === undefined ? text : text.slice(0, cutAfter), size);
}

/** A response that gives a text in pieces of so many bytes. */
export function streamOf(text: string, size: number, type = "text/event-stream"): Response {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

/** A chat completion in one body. */
export function chatBody(said: Said): () => Response {
  const message = {
    role: "assistant",
    content: said.text ?? null,
    ...(said.reasoning === undefined ? {} : { reasoning_content: said.reasoning }),
    ...(said.calls === undefined
      ? {}
      : {
          tool_calls: said.calls.map((call, index) => ({
            id: call.id ?? `up_${index}`,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
  const finish = said.finish ?? (said.calls === undefined ? "stop" : "tool_calls");
  return () =>
    Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
}

/** One event of a stream; `data` is parsed, "[DONE]" stays a text. */
export interface WireEvent {
  readonly event: string | null;
  readonly data: JsonObject | string;
}

export function wireEvents(text: string): WireEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data: "))
    .map((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1] ?? null;
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? "";
      const value = parseJson(data);
      return { event, data: isJsonObject(value) ? value : data };
    });
}

export const shellTool = {
  type: "function",
  function: {
    name: "exec_command",
    description: "Runs a command.",
    parameters: {
      type: "object",
      properties: { cmd: { type: "string" }, yield_time_ms: { type: "integer" }, login: { type: "boolean" } },
      required: ["cmd"],
    },
  },
};
