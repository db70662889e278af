import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readErrorBody } from "../../src/protocol/error-body.ts";
import { readReply } from "../../src/protocol/read-reply.ts";
import type { ChatReply, ReadReply } from "../../src/protocol/reply.ts";
import { wireNames, wireText } from "./wire-files.ts";

function read(body: string, rest: { contentType?: string; status?: number; streamed?: boolean } = {}): ReadReply {
  return readReply({ body, contentType: null, status: 200, streamed: false, ...rest });
}

function first(body: string): ChatReply {
  const [reply] = read(body).replies;
  if (reply === undefined) throw new Error("no reply");
  return reply;
}

function brief(reply: ChatReply) {
  return {
    content: reply.content,
    reasoning: reply.reasoning,
    calls: reply.calls.map((call) => [call.name, JSON.parse(call.argumentsText)]),
    finish: reply.finishReason,
  };
}

const task = { task: "1から1000までの素数の和を計算する" };
const xmlCall =
  "<tool_call>\n<function=search_notes>\n<parameter=query>\n味噌づくり\n</parameter>\n<parameter=tags>\n" +
  '["料理", "発酵"]\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>';
const notes = { query: "味噌づくり", tags: ["料理", "発酵"], limit: 5 };
const sum = "The sum of the primes from 1 to 1000 is 76127.";

describe("recorded replies", () => {
  it.each<[string, Partial<ReturnType<typeof brief>>]>([
    ["vllm-hermes-hermes-auto.json", { calls: [["run_python", task]], finish: "tool_calls" }],
    ["vllm-hermes-qwenxml-auto.json", { content: xmlCall, finish: "stop" }],
    ["vllm-hermes-qwenxml-auto-stream.sse", { finish: "stop" }],
    ["vllm-hermes-qwenxml-required.json", { calls: [["search_notes", notes]], finish: "tool_calls" }],
    ["vllm-hermes-qwenxml-named-stream.sse", { calls: [["search_notes", notes]], finish: "stop" }],
    [
      "vllm-hermes-twohermes-auto-stream.sse",
      {
        calls: [
          ["search_notes", { query: "灯台", limit: 3 }],
          ["search_notes", { query: "港", limit: 3 }],
        ],
        finish: "tool_calls",
      },
    ],
    ["vllm-hermes-qwen3-direct-required.json", { reasoning: sum, finish: "tool_calls" }],
    ["vllm-hermes-qwen3-direct-required-stream.sse", { reasoning: sum, finish: "stop" }],
    [
      "llama-server-hermes-texthermes-auto-stream.sse",
      {
        content: "わかりました。Pythonで計算しますね。\n",
        calls: [["run_python", { task: "3の50乗を計算する" }]],
        finish: "tool_calls",
      },
    ],
    [
      "llama-server-hermes-think-thinkhermes-auto.json",
      {
        reasoning: "利用者は廊下の温度を下げたい。道具を使う。\n",
        calls: [["set_thermostat", { room: "廊下", celsius: 18, dry_run: false }]],
        finish: "tool_calls",
      },
    ],
    ["llama-server-qwen3coder-qwenxml-auto-stream.sse", { calls: [["search_notes", notes]], finish: "tool_calls" }],
    ["llama-server-plain-direct-auto-stream.sse", { content: sum, finish: "stop" }],
    ["ollama-hermes-hermes-auto-api.json", { calls: [["run_python", task]], finish: "stop" }],
    ["ollama-hermes-qwenxml-auto.json", { finish: "stop" }],
    [
      "ollama-hermes-texthermes-auto-api-stream.ndjson",
      {
        content: "わかりました。Pythonで計算しますね。\n",
        calls: [["run_python", { task: "3の50乗を計算する" }]],
        finish: "stop",
      },
    ],
    [
      "ollama-qwen35-thinkxml-auto-stream.sse",
      {
        reasoning: "A file must be read first.",
        calls: [["read_file", { path: "config.yaml", max_lines: 25 }]],
        finish: "tool_calls",
      },
    ],
    ["side/ollama-generate-raw.json", { content: xmlCall, finish: "stop" }],
    ["side/ollama-generate-raw-stream.ndjson", { content: xmlCall, finish: "stop" }],
  ])("%s", (name, expected) => {
    const reply = read(wireText(name));
    expect({ end: reply.end, problems: reply.problems }).toEqual({ end: "complete", problems: [] });
    expect(reply.replies.map(brief)).toEqual([{ content: "", reasoning: "", calls: [], finish: null, ...expected }]);
  });

  it.each([
    ["vllm-hermes-code-auto-stream.sse", "complete", '{"code": "# 区切りを数える 🐟\\nimport re\\ns = \\"a\\\\tb'],
    ["llama-server-hermes-hermes-auto-cut-stream.sse", "complete", '{"task":'],
    ["llama-server-llama3-texthermes-auto-stream.sse", "no_done", "{"],
  ])("keeps arguments that the server cut: %s", (name, end, argumentsText) => {
    const reply = read(wireText(name));
    expect(reply.end).toBe(end);
    expect(reply.replies[0]?.calls.map((call) => call.argumentsText)).toEqual([argumentsText]);
  });

  it.each([
    [
      "llama-server-llama3-texthermes-auto-stream.sse",
      "The model produced output that does not match the expected peg-native format",
    ],
    ["ollama-qwen3coder-texthermes-auto-api-stream.ndjson", "EOF"],
  ])("keeps text and error of a stream that failed half-way: %s", (name, message) => {
    const { end, replies } = read(wireText(name));
    expect(end).toBe("no_done");
    expect(replies).toMatchObject([
      { error: { message }, finishReason: null, content: expect.stringMatching(/^わかりました。Python/) },
    ]);
  });

  it("sees that Ollama's /v1 stream lost its error: it ends without [DONE] and without a finish reason", () => {
    const { end, replies } = read(wireText("ollama-qwen3coder-texthermes-auto-stream.sse"));
    expect(end).toBe("no_done");
    expect(replies).toMatchObject([{ error: null, finishReason: null }]);
  });

  it.each([
    ["side/vllm-hermes-hermes-auto-ids.json", 13],
    ["side/vllm-hermes-hermes-auto-ids-stream.sse", 13],
    ["side/vllm-hermes-qwenxml-auto-ids-stream.sse", 25],
    ["side/vllm-hermes-qwenxml-none-ids-stream.sse", 25],
  ])("finds all token ids, the stop token last: %s", (name, count) => {
    const ids = first(wireText(name)).tokenIds;
    expect(ids).toHaveLength(count);
    expect(ids?.at(-1)).toBe(258);
  });

  it("finds the same ids in body and stream", () => {
    expect(first(wireText("side/vllm-hermes-hermes-auto-ids-stream.sse")).tokenIds).toEqual(
      first(wireText("side/vllm-hermes-hermes-auto-ids.json")).tokenIds,
    );
  });

  it.each([
    ["side/ollama-hermes-qwenxml-auto-logprobs.json", xmlCall],
    ["side/ollama-hermes-qwenxml-auto-logprobs-stream.sse", xmlCall],
    ["side/ollama-hermes-qwenxml-auto-api-logprobs.json", xmlCall],
    ["side/ollama-hermes-qwenxml-auto-api-logprobs-stream.ndjson", xmlCall],
    ["side/vllm-hermes-qwenxml-auto-logprobs.json", `${xmlCall}<|im_end|>`],
    ["side/vllm-hermes-qwenxml-auto-logprobs-stream.sse", `${xmlCall}<|im_end|>`],
  ])("joins log-probability tokens to the exact text: %s", (name, text) => {
    expect(first(wireText(name)).logprobText).toBe(text);
  });

  it("finds what llama-server generated in a verbose body, and null in a verbose stream", () => {
    expect(first(wireText("side/llama-server-hermes-hermes-auto-verbose.json")).verboseText).toBe(
      `<tool_call>\n{"name": "run_python", "arguments": ${JSON.stringify(task).replace(":", ": ")}}\n</tool_call>`,
    );
    expect(first(wireText("side/llama-server-hermes-hermes-auto-verbose-stream.sse")).verboseText).toBeNull();
  });

  it.each([
    ["vllm-hermes-direct-auto-usage-stream.sse", 639, 8],
    ["llama-server-hermes-texthermes-auto-usage-stream.sse", 593, 28],
    ["ollama-hermes-direct-auto-usage-stream.sse", 710, 8],
    ["ollama-hermes-hermes-auto-api.json", 707, 13],
    ["vllm-hermes-hermes-auto.json", 698, 13],
  ])("reads the token counts: %s", (name, promptTokens, completionTokens) => {
    expect(first(wireText(name)).usage).toEqual({ promptTokens, completionTokens });
  });

  it.each(wireNames(".error.json"))("%s is a whole answer that holds an error and nothing else", (name) => {
    const { end, replies, problems } = read(wireText(name), { status: 400, streamed: true });
    expect({ end, problems, count: replies.length }).toEqual({ end: "complete", problems: [], count: 1 });
    expect(replies[0]?.error).toEqual(readErrorBody(wireText(name)));
    expect(replies[0]?.error?.message.length).toBeGreaterThan(2);
  });

  it("reads the same from an LF and from a CRLF copy of a stream", () => {
    const text = wireText("vllm-hermes-twohermes-auto-stream.sse");
    expect(read(text.replaceAll("\n", "\r\n"))).toEqual(read(text));
  });
});

describe("reading error bodies", () => {
  it.each<[string, unknown, object | null]>([
    ["nested", { error: { message: "m", type: "t", code: 400 } }, { message: "m", type: "t", code: 400 }],
    [
      "nested with a code as text",
      { error: { message: "m", type: "t", param: null, code: "400" }, request_id: "x" },
      { message: "m", type: "t", code: "400" },
    ],
    [
      "flat",
      { object: "error", message: "m", type: "BadRequest", code: 400 },
      { message: "m", type: "BadRequest", code: 400 },
    ],
    ["text", { error: "m" }, { message: "m", type: null, code: null }],
    ["detail", { detail: "Not Found" }, { message: "Not Found", type: null, code: null }],
    [
      "validation findings",
      { detail: [{ loc: ["body", "n"], msg: "too big" }] },
      { message: "too big (body.n)", type: null, code: null },
    ],
    ["message alone", { message: "m", code: 7 }, { message: "m", type: null, code: 7 }],
    ["a list of errors", { errors: [{ message: "m" }] }, { message: "m", type: null, code: null }],
    ["wrapped in a list", [{ error: { message: "m" } }], { message: "m", type: null, code: null }],
    [
      "JSON inside the message",
      { error: { message: '{"error":{"code":400,"message":"in","type":"inner"}}', type: "outer", code: null } },
      { message: "in", type: "inner", code: 400 },
    ],
    ["JSON inside an error text", { error: '{"error":"in"}' }, { message: "in", type: null, code: null }],
    [
      "JSON inside the message that is no error",
      { error: { message: '{"a":1}' } },
      { message: '{"a":1}', type: null, code: null },
    ],
    ["an error without a message", { error: { reason: "x" } }, { message: '{"reason":"x"}', type: null, code: null }],
    ["no error: null", { error: null, choices: [] }, null],
    ["no error: a completion", { choices: [{ message: { content: "a" } }] }, null],
    ["no error: anything else", { a: 1 }, null],
  ])("%s", (_name, body, expected) => {
    expect(readErrorBody(JSON.stringify(body))).toEqual(expected);
  });

  it.each(["", "null", "[]", "1", '"x"', "<html>", "404 page not found", '{"error"'])("is null for %j", (body) => {
    expect(readErrorBody(body)).toBeNull();
  });
});

describe("deciding by what the body is", () => {
  const completion = JSON.stringify({ choices: [{ index: 0, message: { content: "a" }, finish_reason: "stop" }] });

  it("reads a JSON body that answers a stream request, whatever its content type", () => {
    expect(read(completion, { streamed: true, contentType: "text/event-stream" })).toMatchObject({
      end: "complete",
      replies: [{ content: "a" }],
    });
  });

  it("reads a stream that answers a body request, whatever its content type", () => {
    const stream = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n';
    expect(read(stream, { contentType: "application/json" })).toMatchObject({
      end: "complete",
      replies: [{ content: "a" }],
    });
    expect(read(`: comment\n\n${stream}`)).toMatchObject({ end: "complete", replies: [{ content: "a" }] });
  });

  it("reads a completion inside one data line", () => {
    expect(read(`data: ${completion}\n\ndata: [DONE]\n\n`)).toMatchObject({
      end: "complete",
      replies: [{ content: "a", finishReason: "stop" }],
    });
  });

  it("takes an Ollama object that is not done for a stream that stopped", () => {
    expect(read('{"message":{"content":"a"},"done":false}\n')).toMatchObject({
      end: "no_done",
      replies: [{ content: "a" }],
    });
  });

  it("takes each entry of a body for a call of its own, whatever its index", () => {
    const entry = (argumentsText: string) => ({
      index: 0,
      type: "function",
      function: { name: "f", arguments: argumentsText },
    });
    const body = JSON.stringify({
      choices: [{ message: { content: null, tool_calls: [entry(""), entry('{"x":'), entry("{}")] } }],
    });
    expect(first(body).calls.map((call) => call.argumentsText)).toEqual(["", '{"x":', "{}"]);
  });

  it("keeps what a 200 body says beside an error", () => {
    const body = JSON.stringify({
      choices: [{ index: 0, message: { content: "a" }, finish_reason: "error" }],
      error: { message: "m" },
    });
    expect(read(body)).toMatchObject({ end: "complete", replies: [{ content: "a", error: { message: "m" } }] });
  });

  it("reads an error in a 200 body", () => {
    expect(read('{"error":{"message":"m"}}')).toMatchObject({
      end: "complete",
      replies: [{ content: "", error: { message: "m" } }],
    });
  });

  it("takes the text of a plain-text error answer for its message", () => {
    expect(read("Internal Server Error\n", { status: 500 })).toMatchObject({
      end: "complete",
      replies: [{ error: { message: "Internal Server Error" } }],
    });
    expect(read('{"status":"bad"}', { status: 502 })).toMatchObject({
      replies: [{ error: { message: '{"status":"bad"}' } }],
    });
  });

  it.each<[string, string, RegExp]>([
    ["an empty body", "", /the body is empty \(HTTP 200\)/],
    ["white space", " \r\n ", /empty/],
    ["HTML, by its title", "<!doctype html><html><head><title>Sign in</title></head></html>", /HTML.*"Sign in"/],
    ["HTML without a title", "<html>", /HTML/],
    ["plain text", "404 page not found", /neither JSON nor a stream: "404 page not found"/],
    ["JSON that is cut", '{"choices":[{"message":{"content":"a', /broken or cut JSON/],
    ["JSON of another kind", '{"data":[]}', /no chat reply/],
    ["a completion without choices", '{"choices":[]}', /no chat reply/],
    ["a JSON scalar in a list", "[1,2]", /no chat reply/],
    ["control characters, shown escaped", "\u001b[31mred", /neither JSON.*\\u001b\[31mred/],
  ])("is unreadable, and says what came: %s", (_name, body, problem) => {
    const reply = read(body);
    expect(reply).toMatchObject({ end: "unreadable", replies: [] });
    expect(reply.problems).toEqual([expect.stringMatching(problem)]);
  });

  it("names a stream that goes on after its end", () => {
    const chunk = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
    expect(read(`${chunk}data: [DONE]\n\n${chunk}`)).toMatchObject({
      end: "complete",
      replies: [{ content: "a" }],
      problems: ["the stream goes on after its end"],
    });
  });

  it("survives nesting that cannot be serialised again", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const body = `{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"name":"f","arguments":${deep}}}]}}],"error":{"x":${deep}}}`;
    expect(read(body)).toMatchObject({ replies: [{ content: "a", calls: [{ name: "f", argumentsText: "" }] }] });
  });

  it("never throws, and always gives an end that fits", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .array(
          fc.constantFrom(
            'data: {"choices":[{"delta":{"content":"a"}}]}',
            "data: [DONE]",
            "\n\n",
            "\n",
            '{"done":true,"message":{}}',
            "{",
            "<",
            ":",
            '{"error":"x"}',
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(null, 200, 404, 500), fc.boolean(), (body, status, streamed) => {
        const reply = readReply({ body, contentType: null, status, streamed });
        expect(reply.end === "unreadable").toBe(reply.replies.length === 0);
        if (reply.end === "unreadable") expect(reply.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a check against a second reader", () => {
  // Deliberately naive: the streams of real servers are simple enough to be read without any of the reader's care.
  function naive(text: string) {
    const chunks = text
      .split("\n\n")
      .filter((part) => part.startsWith("data: {"))
      .map((part) => JSON.parse(part.slice(6)));
    const deltas = chunks.flatMap((chunk) =>
      (chunk.choices ?? []).map((choice: { delta: Record<string, unknown> }) => choice.delta),
    );
    const join = (key: string) => deltas.map((item) => item[key] ?? "").join("");
    const fragments = deltas
      .flatMap((item) => item["tool_calls"] ?? [])
      .map((entry) => entry.function?.arguments ?? "");
    return {
      content: join("content"),
      reasoning: join("reasoning") + join("reasoning_content"),
      argumentsText: fragments.join(""),
    };
  }

  it.each(wireNames(".sse"))("%s", (name) => {
    const reply = first(wireText(name));
    expect({
      content: reply.content,
      reasoning: reply.reasoning,
      argumentsText: reply.calls.map((call) => call.argumentsText).join(""),
    }).toEqual(naive(wireText(name)));
  });
});
