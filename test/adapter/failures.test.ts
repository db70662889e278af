import { describe, expect, it } from "vitest";
import { type Handler, TransportError } from "../../src/protocol/handler.ts";
import { chatBody, chatStream, post, scripted, shellTool, streamOf, testAdapter, wireEvents } from "./support.ts";

const chat = { model: "m", messages: [{ role: "user", content: "Hi." }], tools: [shellTool] };
const responses = { model: "m", input: "Hi." };
const fronts = [
  { path: "/v1/chat/completions", body: chat },
  { path: "/v1/responses", body: responses },
].flatMap((front) => [front, { ...front, body: { ...front.body, stream: true } }]);

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers });
const throwing = (phase: "connect" | "first_byte", message: string) => () => {
  throw new TransportError(phase, message);
};

const faults: readonly {
  name: string;
  answer: () => Response;
  status: number;
  code: string | null;
  words: RegExp;
  header?: [string, string];
  asked?: number;
}[] = [
  {
    name: "llama-server's context error",
    answer: json(400, {
      error: {
        code: 400,
        message: "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    }),
    status: 400,
    code: "context_length_exceeded",
    words: /context size/,
  },
  {
    name: "vLLM's context error",
    answer: json(400, {
      error: {
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.",
        type: "BadRequestError",
        code: 400,
      },
    }),
    status: 400,
    code: "context_length_exceeded",
    words: /maximum context length/,
  },
  {
    name: "a model that is loading",
    answer: json(503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }),
    status: 503,
    code: "server_is_overloaded",
    words: /Loading model/,
  },
  {
    name: "too many requests",
    answer: json(429, { error: { message: "slow down" } }, { "retry-after": "7" }),
    status: 429,
    code: "rate_limit_exceeded",
    words: /slow down/,
    header: ["retry-after", "7"],
  },
  {
    name: "vLLM without a parser",
    answer: json(400, {
      error: {
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: "BadRequestError",
        code: 400,
      },
    }),
    status: 400,
    code: "tools_refused",
    words: /--tool-call-parser/,
  },
  {
    name: "a server that does not know the choice",
    answer: json(400, { error: { message: "tool_choice 'required' is not supported by this server", code: 400 } }),
    status: 400,
    code: "tool_choice_refused",
    words: /not supported/,
  },
  {
    name: "a wrong key",
    answer: json(401, { error: { message: "Unauthorized" } }),
    status: 400,
    code: "upstream_wants_key",
    words: /Unauthorized/,
  },
  {
    name: "a model that is not there",
    answer: json(404, { error: { message: "model 'm' not found", type: "not_found_error" } }),
    status: 404,
    code: "model_not_found",
    words: /not found/,
  },
  {
    name: "a permanent fault of the server",
    answer: json(500, { error: { message: "something broke" } }),
    status: 400,
    code: "upstream_failed",
    words: /something broke/,
  },
  {
    name: "a server that cannot read its model's words, twice",
    answer: json(500, {
      error: { code: 500, message: "Failed to parse input at pos 12: <tool_call>", type: "server_error" },
    }),
    status: 400,
    code: "model_output_unreadable",
    words: /Failed to parse/,
    asked: 2,
  },
  {
    name: "an HTML page",
    answer: () => new Response("<html><title>Router</title></html>", { headers: { "content-type": "text/html" } }),
    status: 400,
    code: "upstream_unusable",
    words: /HTML page.*--upstream/,
  },
  {
    name: "a server without the route",
    answer: () => new Response("404 page not found", { status: 404 }),
    status: 400,
    code: "upstream_unusable",
    words: /\/v1\/chat\/completions.*\/api\/chat/,
  },
  {
    name: "an empty body",
    answer: () => new Response(""),
    status: 400,
    code: "upstream_unusable",
    words: /empty body/,
  },
  {
    name: "no connection",
    answer: throwing("connect", "connection refused at 127.0.0.1:1"),
    status: 503,
    code: "server_is_overloaded",
    words: /refused/,
  },
  {
    name: "a server that hangs",
    answer: throwing("first_byte", "no answer within 5 minutes"),
    status: 503,
    code: "server_is_overloaded",
    words: /no answer/,
  },
];

describe.each(faults)("$name", ({ answer, status, code, words, header, asked }) => {
  it.each(fronts)("is told to a client of $path", async ({ path, body }) => {
    const upstream = scripted(answer);
    const { handler, traces, errors } = testAdapter(upstream);
    const response = await post(handler, path, body);
    const read = (await response.json()) as { error: { code: string | null; message: string } };
    expect({ status: response.status, code: read.error.code }).toEqual({ status, code });
    expect(read.error.message).toMatch(words);
    expect(response.headers.get("x-adapter-trace")).toBe(traces[0]?.id);
    expect(traces[0]?.outcome).toBe("failed");
    expect(errors).toEqual([]);
    expect(upstream.bodies).toHaveLength(asked ?? 1);
    if (header !== undefined) expect(response.headers.get(header[0])).toBe(header[1]);
  });
});

it("asks once more where the server could not read its model's words, and gives the second reply", async () => {
  const bad = json(500, {
    error: { code: 500, message: "Failed to parse input at pos 12: <tool_call>", type: "server_error" },
  });
  const { handler } = testAdapter(scripted(bad, chatBody({ text: "Better." })));
  expect(await (await post(handler, "/v1/chat/completions", chat)).text()).toContain("Better.");
});

it("tells an error inside a stream with its own words", async () => {
  const text = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "So" } }] })}\n\ndata: ${JSON.stringify({ error: { code: 500, message: "slot broke", type: "server_error" } })}\n\n`;
  const { handler } = testAdapter(scripted(() => streamOf(text, 10)));
  const chatEvents = wireEvents(await (await post(handler, "/v1/chat/completions", { ...chat, stream: true })).text());
  expect(chatEvents.at(-1)?.data).toMatchObject({ error: { message: "model server: slot broke" } });
  const events = wireEvents(await (await post(handler, "/v1/responses", { ...responses, stream: true })).text());
  expect(events.at(-1)).toMatchObject({
    event: "response.incomplete",
    data: { response: { error: { message: "model server: slot broke" } } },
  });
});

it("uses response.failed with a word that Codex shows where a stream fails before anything was said", async () => {
  let fire: (() => void) | null = null;
  const { handler } = testAdapter(
    async () => {
      fire?.();
      return Response.json({ error: { message: "tool 7 is broken" } }, { status: 400 });
    },
    {},
    {
      // The keep-alive comes before the answer: the head is out, so the failure has to travel inside the stream.
      after: (_ms, action) => {
        fire = action;
        return () => {
          fire = null;
        };
      },
    },
  );
  const slow = testAdapter(
    async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return handler(request);
    },
    { limits: { keepAliveSeconds: 0.01 } },
  );
  const events = wireEvents(await (await post(slow.handler, "/v1/responses", { ...responses, stream: true })).text());
  expect(events.slice(0, 3).map(({ event }) => event)).toEqual([
    "response.created",
    "response.in_progress",
    "response.in_progress",
  ]);
  expect(events.at(-1)).toMatchObject({
    event: "response.failed",
    data: { response: { error: { code: "invalid_prompt" } } },
  });
});

describe("keep-alives while the model reads a long prompt", () => {
  const upstream: Handler = async () => {
    // Long beside the interval, so that a busy machine beats too.
    await new Promise((resolve) => setTimeout(resolve, 400));
    return chatStream({ text: "Done." })();
  };

  it("are real events on the Responses front", async () => {
    const { handler } = testAdapter(upstream, { limits: { keepAliveSeconds: 0.01 } });
    const events = wireEvents(await (await post(handler, "/v1/responses", { ...responses, stream: true })).text());
    expect(events.filter(({ event }) => event === "response.in_progress").length).toBeGreaterThan(2);
    expect(events.at(-1)?.event).toBe("response.completed");
  });

  it("are comments on the chat front", async () => {
    const { handler } = testAdapter(upstream, { limits: { keepAliveSeconds: 0.01 } });
    const text = await (await post(handler, "/v1/chat/completions", { ...chat, stream: true })).text();
    expect(text).toMatch(/^data: .*\n\n(: .*\n\n)+data: /);
  });
});

it("a fault of the adapter itself is logged and no 500", async () => {
  const { handler, errors, traces } = testAdapter(async () => {
    throw new TypeError("not a transport error");
  });
  const response = await post(handler, "/v1/chat/completions", chat);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(traces[0]?.id);
  expect(errors).toHaveLength(1);
});
