import { describe, expect, it } from "vitest";
import { type MeetOptions, type MeetResult, meetTarget } from "../../../src/lab/target/meet-target.ts";
import type { RawExchange } from "../../../src/lab/transport/exchange.ts";
import { jsonResponse, TransportError } from "../../../src/protocol/handler.ts";
import type { JsonObject } from "../../../src/protocol/json.ts";
import type { RenderInput } from "../../../src/protocol/servers/probe.ts";
import { type Extra, fixtureServer, serve, wireText } from "../../protocol/servers/fixture-server.ts";

const system = {
  role: "system",
  content: "あなたは社内の作業を手伝うアシスタントです。必要なときはツールを使ってください。",
};
const renderInput: RenderInput = {
  messages: [system, { role: "user", content: "1から1000までの素数の和を求めて" }],
  tools: [
    {
      type: "function",
      function: { name: "run_python", parameters: { type: "object", properties: { task: { type: "string" } } } },
    },
    {
      type: "function",
      function: {
        name: "read_file",
        parameters: { type: "object", properties: { path: { type: "string" }, max_lines: { type: "integer" } } },
      },
    },
  ],
};

async function meet(setup: string, extra: Extra, more: Partial<MeetOptions> = {}) {
  const server = fixtureServer(setup, extra);
  const probes: RawExchange[] = [];
  const result = await meetTarget({
    name: "t",
    model: "scripted",
    baseUrl: "http://user:secret@127.0.0.1:8000/v1",
    handler: server.handler,
    apiPrefix: "/v1",
    kind: null,
    headers: {},
    raw: "auto",
    clock: { now: () => 0, date: () => new Date(0) },
    record: (raw) => probes.push(raw) - 1,
    renderInputs: [renderInput],
    ...more,
  });
  const chats = server.bodies.filter((_, index) => server.asked[index] === "POST /v1/chat/completions");
  return { result, probes, asked: server.asked, chats };
}

function met(result: MeetResult) {
  if (!result.ok) throw new Error(result.line);
  return result.target;
}

/** A vLLM that answers `OK` and honours `return_token_ids`, with what a test wants to be otherwise. */
function vllmChat(reply: (body: JsonObject) => { content?: string; ids?: boolean }): Extra {
  return ({ path, body }) => {
    if (path === "/tokenize") return jsonResponse({ count: 3, tokens: [1, 2, 3] });
    if (path === "/detokenize") return jsonResponse({ prompt: "OK<|im_end|>" });
    if (path !== "/v1/chat/completions") return undefined;
    const { content = "OK", ids = body["return_token_ids"] === true } = reply(body);
    const extra = ids ? { token_ids: [79, 75, 258] } : {};
    if (body["stream"] !== true) {
      return jsonResponse({
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop", ...extra }],
        system_fingerprint: "vllm-x",
      });
    }
    const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: "stop", ...extra }] };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  };
}

describe("meeting vLLM", () => {
  it("finds kind, parser, context and agrees on token ids in both modes", async () => {
    const { result, chats } = await meet(
      "vLLM",
      vllmChat(() => ({})),
    );
    const target = met(result);
    expect(target.facts).toMatchObject({
      kind: "vllm",
      version: "0.32.0",
      contextLength: 8192,
      toolParser: { state: "active", source: "metric" },
    });
    expect(target.raw).toEqual({
      inBand: { body: ["token_ids"], stream: ["token_ids"] },
      side: { body: [], stream: [] },
    });
    expect(target.notTestable).toEqual([]);
    expect(target.baseUrl).toBe("http://127.0.0.1:8000/v1");
    expect(target.fingerprint.incidental).toMatchObject({ version: "0.32.0", system_fingerprint: "vllm-x" });
    expect(chats.length).toBeLessThanOrEqual(6);
    expect(chats.every((body) => Number(body["max_tokens"]) <= 16 && typeof body["seed"] === "number")).toBe(true);
  });

  it("backs each sentence with an exchange that it recorded", async () => {
    const { result, probes } = await meet(
      "vLLM",
      vllmChat(() => ({})),
    );
    const referenced = met(result).evidence.flatMap(({ probe }) => (probe === null ? [] : [probe]));
    expect(referenced.length).toBeGreaterThan(3);
    for (const probe of referenced) expect(probes[probe]).toBeDefined();
    const identified = met(result).evidence.find(({ statement }) => statement.startsWith("vLLM 0.32.0"));
    expect(probes[identified?.probe ?? -1]?.path).toBe("/version");
  });

  it("drops a channel when asking changes the reply", async () => {
    const { result } = await meet(
      "vLLM",
      vllmChat((body) => ({ content: body["return_token_ids"] === true ? "changed" : "OK" })),
    );
    expect(met(result).raw.inBand).toEqual({ body: [], stream: [] });
    expect(met(result).evidence.some(({ statement }) => statement.includes("asking changes the reply"))).toBe(true);
  });

  it("keeps the in-band channel on a server that never repeats itself, and no repetition", async () => {
    let count = 0;
    const { result } = await meet(
      "vLLM",
      vllmChat(() => ({ content: `text ${count++}` })),
    );
    expect(met(result).raw).toEqual({
      inBand: { body: ["token_ids"], stream: ["token_ids"] },
      side: { body: [], stream: [] },
    });
    expect(met(result).evidence.some(({ statement }) => statement.includes("same seed gives different replies"))).toBe(
      true,
    );
  });

  it("has no in-band channel where the ids cannot be decoded", async () => {
    const chat = vllmChat(() => ({}));
    const { result } = await meet("vLLM", (request) =>
      request.path === "/detokenize" ? jsonResponse({ prompt: "" }) : chat(request),
    );
    expect(met(result).raw.inBand).toEqual({ body: [], stream: [] });
  });

  it("sees that no parser is set when the server says so, and still agrees on a channel", async () => {
    const chat = vllmChat(() => ({}));
    const { result } = await meet("vLLM", (request) => {
      if (request.path === "/metrics") return new Response("");
      return request.body["tools"] !== undefined && request.path === "/v1/chat/completions"
        ? serve("vllm-none-hermes-auto-stream.error.json", 400)
        : chat(request);
    });
    expect(met(result).facts.toolParser).toEqual({ state: "none", name: null, source: "error" });
    expect(met(result).raw.inBand.body).toEqual(["token_ids"]);
  });

  it("concludes that a parser is set from an accepted request where the metrics are hidden", async () => {
    const chat = vllmChat(() => ({}));
    const { result } = await meet("vLLM", (request) =>
      request.path === "/metrics" ? new Response("", { status: 404 }) : chat(request),
    );
    expect(met(result).facts.toolParser).toEqual({ state: "active", name: null, source: "error" });
  });

  it("does not generate with raw off", async () => {
    const { result, chats } = await meet(
      "vLLM",
      vllmChat(() => ({})),
      { raw: "off" },
    );
    expect(met(result).raw).toEqual({ inBand: { body: [], stream: [] }, side: { body: [], stream: [] } });
    expect(chats).toEqual([]);
  });

  it("sends the user's own request keys along", async () => {
    const { chats } = await meet(
      "vLLM",
      vllmChat(() => ({})),
      { extras: { chat_template_kwargs: { enable_thinking: false } } },
    );
    expect(chats.every((body) => body["chat_template_kwargs"] !== undefined)).toBe(true);
  });
});

describe("meeting Ollama", () => {
  const render: Extra = ({ path, body }) =>
    path === "/api/chat" ? serve(`side/ollama-${String(body["model"])}-render-tools.json`) : undefined;
  const withLogprobs = JSON.stringify({
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "OK" },
        finish_reason: "stop",
        logprobs: { content: [{ token: "OK" }] },
      },
    ],
  });
  const chat: Extra = (request) =>
    request.path === "/v1/chat/completions"
      ? new Response(request.body["logprobs"] === true ? withLogprobs : withLogprobs.replace(/,"logprobs":.*?\]\}/, ""))
      : render(request);

  it.each([
    ["hermes", "whole", "kept", { state: "active", name: null, source: "template" }],
    ["hermesfunction", "damaged", "kept", { state: "active", name: null, source: "template" }],
    ["qwen3coder", "whole", "kept", { state: "active", name: "qwen3-coder", source: "builtin" }],
  ])("%s: tools %s, system %s", async (model, tools, kept, parser) => {
    const { result } = await meet("Ollama", chat, { model });
    expect(met(result).facts).toMatchObject({
      kind: "ollama",
      toolsInPrompt: tools,
      systemInPrompt: kept,
      toolParser: parser,
      contextLength: 4096,
    });
    expect(met(result).raw).toEqual({
      inBand: { body: [], stream: [] },
      side: { body: ["logprobs_replay", "raw_generate"], stream: ["logprobs_replay", "raw_generate"] },
    });
    expect(met(result).notTestable.map(({ arm }) => arm)).toEqual(["required", "named", "none"]);
  });

  it("sees the exclusive template drop the system prompt", async () => {
    const { result } = await meet("Ollama", chat, { model: "exclusive" });
    expect(met(result).facts).toMatchObject({ toolsInPrompt: "whole", systemInPrompt: "dropped" });
  });

  it("remembers that log-probabilities are refused on the native path", async () => {
    const { result } = await meet(
      "Ollama",
      (request) =>
        request.path === "/v1/chat/completions" && request.body["logprobs"] === true
          ? serve("side/ollama-native-hermes-auto-logprobs.error.json", 400)
          : chat(request),
      { model: "native" },
    );
    expect(met(result).raw.side).toEqual({ body: ["raw_generate"], stream: ["raw_generate"] });
    expect(
      met(result).evidence.some(({ statement }) => statement.includes("logprobs is not supported with tools + stream")),
    ).toBe(true);
  });

  it("knows a model without tools by the refusal", async () => {
    const { result } = await meet(
      "Ollama",
      (request) => {
        if (request.path === "/api/chat") return serve("side/ollama-notools-render-tools.error.json", 400);
        return request.body["tools"] !== undefined
          ? serve("ollama-notools-hermes-auto-stream.error.json", 400)
          : chat(request);
      },
      { model: "notools" },
    );
    expect(met(result).facts.toolParser).toEqual({ state: "none", name: null, source: "error" });
  });
});

describe("meeting llama-server", () => {
  const chat: Extra = ({ path, body }) => {
    if (path === "/apply-template") return serve("side/llama-server-apply-template.json");
    if (path !== "/v1/chat/completions") return undefined;
    return jsonResponse({
      choices: [{ index: 0, message: { role: "assistant", content: "OK" }, finish_reason: "stop" }],
      ...(body["verbose"] === true ? { __verbose: { content: "OK" } } : {}),
    });
  };

  it("agrees on verbose for bodies, its replay and the twin for streams, whatever the model is called", async () => {
    const { result, chats } = await meet("llama-server", chat, { model: "any-name" });
    expect(met(result).raw).toEqual({
      inBand: { body: ["verbose"], stream: [] },
      side: { body: ["none_twin"], stream: ["verbose_replay", "none_twin"] },
    });
    expect(met(result).facts).toMatchObject({
      kind: "llama-server",
      toolsInPrompt: "whole",
      systemInPrompt: "kept",
      contextLength: 8192,
    });
    expect(met(result).notTestable.map(({ arm }) => arm)).toEqual(["named"]);
    expect(chats.every((body) => body["cache_prompt"] === false)).toBe(true);
    expect(chats.length).toBe(2);
  });
});

describe("a target that cannot be measured", () => {
  const models =
    (status: number, body: unknown): Extra =>
    ({ path }) =>
      path === "/v1/models" ? jsonResponse(body, status) : undefined;

  it.each<readonly [string, string, Extra, Partial<MeetOptions>, string, RegExp]>([
    [
      "nothing listens",
      "nothing",
      () => new TransportError("connect", "nothing listens on 127.0.0.1:9 (connection refused)"),
      {},
      "transport",
      /: nothing listens on 127\.0\.0\.1:9 \(connection refused\); start the server or check --base-url$/,
    ],
    [
      "unknown host",
      "nothing",
      () => new TransportError("dns", "no host of this name is known: x (ENOTFOUND); check the URL"),
      {},
      "transport",
      /: no host of this name is known: x \(ENOTFOUND\); check the URL$/,
    ],
    [
      "TLS against plain",
      "nothing",
      () => new TransportError("tls", "the TLS handshake with x failed"),
      {},
      "transport",
      /: the TLS handshake with x failed; check https:\/\/ against http:\/\/ and the certificate$/,
    ],
    [
      "a page",
      "nothing",
      () => new Response("<!doctype html><html><title>UI</title></html>"),
      {},
      "unreadable",
      /answers HTML pages, not an API/,
    ],
    ["another program", "nothing", () => undefined, {}, "not_a_chat_server", /not a chat server/],
    [
      "a wrong prefix",
      "vLLM",
      ({ path }) => (path.startsWith("/v2") ? jsonResponse({ detail: "Not Found" }, 404) : undefined),
      { apiPrefix: "/v2" },
      "not_a_chat_server",
      /vLLM answers, but not under \/v2\/chat\/completions/,
    ],
    [
      "a wrong key",
      "nothing",
      () => jsonResponse({ error: "Unauthorized" }, 401),
      {},
      "wrong_key",
      /wants a key \(HTTP 401: Unauthorized\); name its variable with --api-key-env/,
    ],
    [
      "a model Ollama lacks",
      "Ollama",
      () => undefined,
      { model: "hermos" },
      "model_missing",
      /Ollama has no model "hermos" \(did you mean "hermes/,
    ],
    [
      "a model vLLM lacks",
      "vLLM",
      () => undefined,
      { model: "qwen" },
      "model_missing",
      /vLLM has no model "qwen" \(known: scripted\)/,
    ],
    [
      "loading",
      "nothing",
      () => jsonResponse({ error: { message: "Loading model", code: 503 } }, 503, { server: "llama.cpp" }),
      {},
      "server_unavailable",
      /llama-server cannot answer now \(HTTP 503: Loading model\)/,
    ],
    [
      "a model that only generation finds missing",
      "vLLM",
      ({ path, body }) => {
        if (path === "/v1/models") return jsonResponse({}, 500);
        if (path !== "/v1/chat/completions") return undefined;
        return body["model"] === undefined
          ? jsonResponse({ error: { message: "1 validation error" } }, 400)
          : serve("vllm-hermes-hermes-auto-nomodel.error.json", 404);
      },
      { kind: "vllm" },
      "model_missing",
      /vLLM has no model "scripted" \(The model `nope` does not exist/,
    ],
    [
      "a model that only generation finds missing, asked by a server that looks for the model first",
      "nothing",
      ({ path }) =>
        path === "/v1/chat/completions" ? serve("ollama-hermes-hermes-auto-nomodel.error.json", 404) : undefined,
      { kind: "ollama" },
      "model_missing",
      /Ollama has no model "scripted"/,
    ],
  ])("%s", async (_what, setup, extra, more, reason, line) => {
    const { result } = await meet(setup, extra, more);
    if (result.ok) throw new Error("was met");
    expect(result.reason).toBe(reason);
    expect(result.line).toMatch(line);
    expect(result.line).not.toContain("\n");
    expect(result.line).not.toContain("secret");
  });

  it("meets an unknown endpoint that does not list the model, with a note", async () => {
    const { result, chats } = await meet("nothing", models(200, { data: [{ id: "a", owned_by: "me" }] }), {
      model: "b",
    });
    expect(met(result).facts.kind).toBe("openai");
    expect(met(result).evidence.some(({ statement }) => statement.includes('does not name "b"'))).toBe(true);
    expect(chats).toEqual([]);
  });

  it("meets an endpoint without a list of models when its chat route exists", async () => {
    const { result } = await meet("nothing", ({ path }) =>
      path === "/v1/chat/completions" ? jsonResponse({ error: { message: "messages is required" } }, 400) : undefined,
    );
    expect(met(result).facts.kind).toBe("openai");
  });

  it("takes x for x:latest on Ollama", async () => {
    const { result } = await meet(
      "Ollama",
      ({ path }) => (path === "/v1/chat/completions" ? jsonResponse({ error: { message: "busy" } }, 500) : undefined),
      { model: "hermes" },
    );
    expect(met(result).raw.side).toEqual({ body: [], stream: [] });
  });
});

describe("what is compared between runs", () => {
  it("does not hold what differs from start to start", async () => {
    const chat = vllmChat(() => ({}));
    const first = met((await meet("vLLM", chat)).result);
    const second = met(
      (
        await meet("vLLM", (request) =>
          request.path === "/v1/models"
            ? jsonResponse(JSON.parse(wireText("side/vllm-models.json").replace("1796037406", "1")))
            : chat(request),
        )
      ).result,
    );
    expect(second.fingerprint.identity).toEqual(first.fingerprint.identity);
  });

  it("holds a digest of the rendered prompt that a date in the template does not change", async () => {
    const dated = (date: string): Extra => {
      const chat = vllmChat(() => ({}));
      return (request) =>
        request.path === "/detokenize" ? jsonResponse({ prompt: `Today Date: ${date}\nnoop` }) : chat(request);
    };
    const digest = async (date: string) =>
      met((await meet("vLLM", dated(date))).result).fingerprint.identity["rendered_prompt"];
    expect(await digest("26 Jul 2024")).toBe(await digest("01 Dec 2026"));
    expect(await digest("26 Jul 2024")).not.toBe(await digest("never"));
  });
});
