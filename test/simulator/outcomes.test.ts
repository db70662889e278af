import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TransportError } from "../../src/protocol/handler.ts";
import { foldReply, get, post, runPython, setThermostat, simulate } from "./support.ts";

const call = { call: { tool: "run_python", arguments: { task: "6*7" } } };
const marker = { marker: "PYTHON: 6*7" };
const direct = { text: "42" };
const named = { type: "function", function: { name: "run_python" } };

interface Visible {
  readonly status: number;
  readonly content: string;
  readonly calls: string[];
  readonly finish: string | null;
  readonly reasoning: string;
  readonly done: boolean;
}

async function ask(
  server: object,
  format: string,
  card: object,
  request: Record<string, unknown>,
  forced?: object,
): Promise<Visible> {
  const handler = simulate({
    server,
    models: {
      m: {
        format,
        rules: [{ when: { choice: word(request["tool_choice"]) }, cards: [card] }],
        ...(forced && { forced }),
      },
    },
  });
  const body = {
    model: "m",
    messages: [{ role: "user", content: "6 times 7?" }],
    tools: [runPython, setThermostat],
    max_tokens: 512,
    ...request,
  };
  const response = await post(handler, "/v1/chat/completions", body);
  const folded = foldReply(await response.text());
  const calls = folded.calls.map((each) => `${each.name} ${each.arguments.replaceAll(" ", "")}`);
  return {
    status: response.status,
    content: folded.content,
    calls,
    finish: folded.finish,
    reasoning: folded.reasoning,
    done: folded.done,
  };
}

function word(choice: unknown): string {
  return typeof choice === "object" ? "named" : String(choice ?? "auto");
}

const made = 'run_python {"task":"6*7"}';
const xml = "<tool_call>\n<function=run_python>\n<parameter=task>\n6*7\n</parameter>\n</function>\n</tool_call>";
const json = '<tool_call>\n{"name": "run_python", "arguments": {"task": "6*7"}}\n</tool_call>';
const hermesParser = { kind: "vllm", parser: "hermes" };
const coderParser = { kind: "vllm", parser: "qwen3_coder" };
const noParser = { kind: "vllm" };
const hermesTemplate = { kind: "ollama", template: "hermes" };
const coderPair = { kind: "ollama", template: "qwen3-coder" };
const llama = { kind: "llama-server", template: "hermes" };
const llama3 = { kind: "llama-server", template: "llama3" };

/** Server, format, card, choice, what comes back unstreamed, what comes back streamed; as the measurements tell it. */
const measured: readonly [string, object, string, object, unknown, Partial<Visible>, Partial<Visible>][] = [
  [
    "vllm hermes reads its own format",
    hermesParser,
    "hermes",
    call,
    "auto",
    { calls: [made], content: "", finish: "tool_calls" },
    { calls: [made], finish: "tool_calls" },
  ],
  [
    "vllm hermes leaks Qwen XML, and streams nothing at all",
    hermesParser,
    "qwen3_coder",
    call,
    "auto",
    { calls: [], content: xml, finish: "stop" },
    { calls: [], content: "", finish: "stop" },
  ],
  [
    "required hides it",
    hermesParser,
    "qwen3_coder",
    call,
    "required",
    { calls: [made], content: "", finish: "tool_calls" },
    { calls: [made], finish: "tool_calls" },
  ],
  [
    "a named call ends with stop",
    hermesParser,
    "qwen3_coder",
    call,
    named,
    { calls: [made], finish: "stop" },
    { calls: [made], finish: "stop" },
  ],
  [
    "none shows the habit",
    hermesParser,
    "qwen3_coder",
    call,
    "none",
    { calls: [], content: xml, finish: "stop" },
    { content: xml },
  ],
  [
    "vllm hermes hands bare JSON on",
    hermesParser,
    "llama3_json",
    call,
    "auto",
    { calls: [], content: '{"name": "run_python", "parameters": {"task": "6*7"}}' },
    { content: '{"name": "run_python", "parameters": {"task": "6*7"}}' },
  ],
  [
    "vllm qwen3_coder swallows Hermes JSON in both modes",
    coderParser,
    "hermes",
    call,
    "auto",
    { calls: [], content: "", finish: "stop" },
    { calls: [], content: "", finish: "stop" },
  ],
  [
    "vllm qwen3_coder swallows its own format under none",
    coderParser,
    "qwen3_coder",
    call,
    "none",
    { calls: [], content: "" },
    { calls: [], content: "" },
  ],
  [
    "required makes a call of a direct answer",
    coderParser,
    "qwen3_coder",
    direct,
    "required",
    { calls: ['run_python {"task":"6times7?"}'], content: "" },
    { calls: ['run_python {"task":"6times7?"}'] },
  ],
  ["vllm without a parser refuses", noParser, "hermes", call, "auto", { status: 400 }, { status: 400 }],
  [
    "vllm without a parser hands the text on under none",
    noParser,
    "hermes",
    call,
    "none",
    { content: json, finish: "stop" },
    { content: json },
  ],
  [
    "a marker is just text",
    hermesParser,
    "hermes",
    marker,
    "auto",
    { content: "{{PYTHON: 6*7}}", calls: [] },
    { content: "{{PYTHON: 6*7}}" },
  ],

  [
    "ollama's Go template swallows a foreign format",
    hermesTemplate,
    "qwen3_coder",
    call,
    "auto",
    { calls: [], content: "", finish: "stop" },
    { calls: [], content: "", finish: "stop" },
  ],
  [
    "ollama ignores required",
    hermesTemplate,
    "hermes",
    direct,
    "required",
    { calls: [], content: "42" },
    { content: "42" },
  ],
  [
    "ollama parses calls under none",
    hermesTemplate,
    "hermes",
    call,
    "none",
    { calls: [made], finish: "tool_calls" },
    { calls: [made] },
  ],
  [
    "ollama's builtin parser fails on a foreign call",
    coderPair,
    "hermes",
    call,
    "auto",
    { status: 500 },
    { status: 500 },
  ],
  [
    "ollama's builtin parser fails behind sent text: the stream just ends",
    coderPair,
    "hermes",
    { before: "Let me see.", ...call },
    "auto",
    { status: 500 },
    { status: 200, content: "Let me see.", calls: [], finish: null, done: false },
  ],

  [
    "llama-server turns a foreign call into a clean one behind its trigger",
    llama,
    "qwen3_coder",
    call,
    "auto",
    { calls: [made], content: "", finish: "tool_calls" },
    { calls: [made], finish: "tool_calls" },
  ],
  [
    "llama-server takes a named choice as auto",
    llama,
    "hermes",
    direct,
    named,
    { calls: [], content: "42", finish: "stop" },
    { content: "42" },
  ],
  [
    "llama-server's plain template ignores required",
    { kind: "llama-server", template: "plain" },
    "hermes",
    direct,
    "required",
    { content: "42", finish: "stop" },
    { content: "42" },
  ],
  [
    "a Llama 3 template reads its own keys",
    llama3,
    "llama3_json",
    call,
    "auto",
    { calls: [made], content: "" },
    { calls: [made] },
  ],
  [
    "a Llama 3 template fails on any brace, a marker too",
    llama3,
    "llama3_json",
    marker,
    "auto",
    { status: 500 },
    { status: 200, content: "", done: false },
  ],
  [
    "a Llama 3 template fails on a quoted object",
    llama3,
    "llama3_json",
    { text: "Use {x}." },
    "auto",
    { status: 500 },
    { status: 200, content: "Use ", done: false },
  ],
  [
    "and hands all of it on under none",
    llama3,
    "llama3_json",
    marker,
    "none",
    { content: "{{PYTHON: 6*7}}", finish: "stop" },
    { content: "{{PYTHON: 6*7}}" },
  ],
];

describe("what a server makes of what a model wrote", () => {
  it.each(measured)("%s", async (_name, server, format, card, tool_choice, body, stream) => {
    expect(await ask(server, format, card, { tool_choice })).toMatchObject(body);
    expect(await ask(server, format, card, { tool_choice, stream: true })).toMatchObject(stream);
  });

  it("llama-server's required allows text first: then the forced call, or text on to max_tokens", async () => {
    const request = { tool_choice: "required", max_tokens: 200 };
    const forced = { tool: "run_python", arguments: { task: "memo" } };
    expect(await ask(llama, "hermes", direct, request, forced)).toMatchObject({
      content: "42",
      calls: ['run_python {"task":"memo"}'],
      finish: "tool_calls",
    });
    const unforced = await ask(llama, "hermes", direct, request);
    expect(unforced).toMatchObject({ calls: [], finish: "length" });
    expect(unforced.content).toHaveLength(200);
    expect(unforced.content).toMatch(/^42#+$/);
  });

  it("under a named choice the grammar writes only that tool, whatever the model meant", async () => {
    const choice = { type: "function", function: { name: "set_thermostat" } };
    const reply = await ask(hermesParser, "hermes", call, { tool_choice: choice });
    expect(reply.calls).toEqual(['set_thermostat {"room":"6times7?","celsius":1}']);
  });

  it.each([
    ["vllm passes an undeclared tool on", hermesParser, "hermes", ['get_weather {"city":"Tokyo"}'], ""],
    ["ollama's Go template swallows it", hermesTemplate, "hermes", [], ""],
    ["ollama's builtin parser passes it on", coderPair, "qwen3_coder", ['get_weather {"city":"Tokyo"}'], ""],
    ["llama-server's grammar knows only declared names", llama, "hermes", ['run_python {"task":"6times7?"}'], ""],
  ])("%s", async (_name, server, format, calls, content) => {
    const reply = await ask(server, format, { call: { tool: "get_weather", arguments: { city: "Tokyo" } } }, {});
    expect(reply).toMatchObject({ calls, content, status: 200 });
  });
});

describe("max_tokens", () => {
  const long = { call: { tool: "run_python", arguments: { task: "x".repeat(100) } } };
  it.each([
    [
      "vllm hermes: raw text, or a call with cut arguments when streamed",
      hermesParser,
      "hermes",
      { content: /^<tool_call>\n\{"name": "run_python", "arguments": \{"task": "x+$/, calls: 0, finish: "length" },
      { content: /^$/, calls: 1, finish: "tool_calls" },
    ],
    [
      "vllm qwen3_coder: a call without its arguments",
      coderParser,
      "qwen3_coder",
      { content: /^$/, calls: 1, finish: "tool_calls" },
      { content: /^$/, calls: 1, finish: "tool_calls" },
    ],
    [
      "ollama: the opened call is gone",
      hermesTemplate,
      "hermes",
      { content: /^$/, calls: 0, finish: "length" },
      { content: /^$/, calls: 0, finish: "length" },
    ],
    [
      "llama-server: the call is there, its arguments broken",
      llama,
      "hermes",
      { content: /^$/, calls: 1, finish: "length" },
      { content: /^$/, calls: 1, finish: "length" },
    ],
  ])("%s", async (_name, server, format, body, stream) => {
    for (const [expected, streamed] of [
      [body, false],
      [stream, true],
    ] as const) {
      const reply = await ask(server, format, long, { max_tokens: 90, stream: streamed });
      expect(reply.content).toMatch(expected.content);
      expect(reply.calls).toHaveLength(expected.calls);
      expect(reply.finish).toBe(expected.finish);
      for (const each of reply.calls) expect(each).not.toContain("x".repeat(100));
    }
  });

  it("cut inside the tag, llama-server shows the tag as text", async () => {
    expect(await ask(llama, "hermes", call, { max_tokens: 12 })).toMatchObject({
      content: "<tool_call>\n",
      calls: [],
      finish: "length",
    });
  });

  it("Ollama's native path fails on the cut call", async () => {
    const native = { kind: "ollama", template: "native" };
    expect(await ask(native, "hermes", long, { max_tokens: 90 })).toMatchObject({ status: 500 });
  });

  it("plain text is cut at the budget with finish length, and whole text is not", async () => {
    expect(await ask(hermesParser, "hermes", { text: "魚🐟魚🐟魚" }, { max_tokens: 4 })).toMatchObject({
      content: "魚🐟魚🐟",
      finish: "length",
    });
    expect(await ask(hermesParser, "hermes", { text: "魚🐟魚🐟魚" }, { max_tokens: 5 })).toMatchObject({
      content: "魚🐟魚🐟魚",
      finish: "stop",
    });
  });
});

describe("thinking", () => {
  const thought = { reasoning: "I should compute.", ...call };
  it("stays in the content where no reasoning parser is set", async () => {
    expect((await ask(hermesParser, "hermes", thought, {})).content).toBe("<think>\nI should compute.\n</think>\n\n");
  });
  it("becomes reasoning with the qwen3 reasoning parser, and the call is read", async () => {
    const reply = await ask({ ...hermesParser, reasoningParser: "qwen3" }, "hermes", thought, {});
    expect(reply).toMatchObject({ reasoning: "\nI should compute.\n", content: "", calls: [made] });
  });
  it("an answer that never closes its thinking is all reasoning, and required forces nothing", async () => {
    const server = { ...hermesParser, reasoningParser: "qwen3" };
    expect(await ask(server, "hermes", direct, {})).toMatchObject({ reasoning: "42", content: "", finish: "stop" });
    expect(await ask(server, "hermes", direct, { tool_choice: "required" })).toMatchObject({
      reasoning: "42",
      calls: [],
      finish: "tool_calls",
    });
    expect(await ask(server, "hermes", direct, { tool_choice: "required", stream: true })).toMatchObject({
      reasoning: "42",
      calls: [],
      finish: "stop",
    });
  });
});

describe("cards that fail", () => {
  it.each([
    ["vllm", hermesParser, { error: { message: "overloaded", type: "InternalServerError", param: null, code: 503 } }],
    ["ollama", hermesTemplate, { error: { message: "overloaded", type: "api_error", param: null, code: null } }],
    ["llama-server", llama, { error: { code: 503, message: "overloaded", type: "unavailable_error" } }],
    ["openai", { kind: "openai" }, { error: { message: "overloaded", type: "server_error", param: null, code: null } }],
  ])("%s answers in its own envelope, also where a stream was asked for", async (_name, server, envelope) => {
    const handler = simulate({
      server,
      models: { m: { format: "hermes", rules: [{ cards: [{ error: { status: 503, message: "overloaded" } }] }] } },
    });
    for (const stream of [false, true]) {
      const response = await post(handler, "/v1/chat/completions", {
        model: "m",
        messages: [{ role: "user", content: "x" }],
        stream,
      });
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual(envelope);
    }
  });

  it("with text, a stream breaks off behind it", async () => {
    const reply = await ask(llama, "hermes", { text: "Half an answ", error: "lost" }, { stream: true });
    expect(reply).toMatchObject({ status: 200, content: "Half an answ", finish: null, done: false });
  });

  it("finish replaces the server's own finish_reason", async () => {
    expect((await ask(hermesParser, "hermes", { text: "x", finish: "content_filter" }, {})).finish).toBe(
      "content_filter",
    );
  });
});

describe("streams", () => {
  const cards = [
    { before: "先に🐟 ", call: { tool: "run_python", arguments: { task: 'a "quoted" \\ 🐟 task\n' } } },
    {
      calls: [
        { tool: "run_python", arguments: { task: "1" } },
        { tool: "set_thermostat", arguments: { room: "玄関", celsius: 18.5 } },
      ],
    },
    { text: "ただの文です。🐟🐟 No call here." },
    { reasoning: "考える。", marker: "PYTHON: {'a': 1}" },
  ];
  const servers = [
    [hermesParser, "hermes"],
    [hermesParser, "qwen3_coder"],
    [coderParser, "qwen3_coder"],
    [hermesTemplate, "hermes"],
    [coderPair, "qwen3_coder"],
    [llama, "hermes"],
    [{ kind: "openai" }, "llama3_json"],
  ] as const;

  it("say the same however they are cut into pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...servers),
        fc.constantFrom(...cards),
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant("random")),
        fc.constantFrom({}, { return_token_ids: true }, { logprobs: true }),
        async ([server, format], card, chunk, extra) => {
          const asked = { stream: true, ...(server.kind === "llama-server" ? {} : extra) };
          const whole = await ask({ ...server, chunk: 5000 }, format, card, { stream: true });
          expect(await ask({ ...server, chunk }, format, card, asked)).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("end as a lost connection when the request is aborted", async () => {
    const handler = simulate({
      server: hermesParser,
      models: { m: { format: "hermes", rules: [{ cards: [{ text: "x".repeat(500) }] }] } },
    });
    const abort = new AbortController();
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }], stream: true });
    const response = await handler(
      new Request("http://simulated/v1/chat/completions", { method: "POST", body, signal: abort.signal }),
    );
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort();
    const error = await (async () => {
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) return undefined;
      }
    })().catch((cause: unknown) => cause);
    expect(TransportError.is(error) && error.phase).toBe("aborted");
    await expect(handler(new Request("http://simulated/version", { signal: abort.signal }))).rejects.toSatisfy(
      TransportError.is,
    );
  });
});

describe("requests that are wrong", () => {
  const vllm = simulate({ server: hermesParser, models: { m: { format: "hermes" } } });
  const messages = [{ role: "user", content: "x" }];
  it.each<[string, unknown, number, RegExp]>([
    ["no JSON", "{", 400, /JSON/],
    ["no messages", { model: "m" }, 400, /messages/],
    ["empty messages", { model: "m", messages: [] }, 400, /empty conversation/],
    ["tools []", { model: "m", messages, tools: [] }, 400, /`tools` must not be an empty array/],
    [
      "tool_choice without tools",
      { model: "m", messages, tool_choice: "required" },
      400,
      /When using `tool_choice`, `tools` must be set/,
    ],
    [
      "max_tokens beyond the context",
      { model: "m", messages, max_tokens: 9000 },
      400,
      /max_tokens=9000 cannot be greater than max_model_len=8192/,
    ],
    ["prompt and max_tokens together", { model: "m", messages, max_tokens: 8190 }, 400, /requested 8190 output tokens/],
  ])("vllm: %s", async (_name, body, status, message) => {
    const response = await post(vllm, "/v1/chat/completions", body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: { message: string } }).error.message).toMatch(message);
  });

  it("llama-server takes any model name", async () => {
    const handler = simulate({ server: llama, models: { m: { format: "hermes", default: { text: "hi" } } } });
    expect((await post(handler, "/v1/chat/completions", { model: "other", messages })).status).toBe(200);
  });

  it("Ollama cuts one message beyond num_ctx to half of it, without a word", async () => {
    const handler = simulate({
      server: { ...hermesTemplate, contextLength: 4096 },
      models: { m: { format: "hermes" } },
    });
    const response = await post(handler, "/v1/chat/completions", {
      model: "m",
      messages: [{ role: "user", content: "x".repeat(7000) }],
    });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { usage: { prompt_tokens: number } }).usage.prompt_tokens).toBe(2050);
  });

  it("routes that a server lacks are its own 404", async () => {
    expect((await get(vllm, "/nowhere")).status).toBe(404);
    expect(await (await get(vllm, "/nowhere")).json()).toEqual({ detail: "Not Found" });
    const openai = simulate({ server: { kind: "openai" }, models: { m: { format: "hermes" } } });
    for (const path of ["/version", "/api/version", "/props", "/tokenize"])
      expect((await get(openai, path)).status).toBe(404);
  });
});
