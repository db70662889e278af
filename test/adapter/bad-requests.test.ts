import { describe, expect, it } from "vitest";
import { chatBody, post, scripted, shellTool, testAdapter } from "./support.ts";

const user = { role: "user", content: "Hi." };
const tool = (name: string, parameters: unknown = { type: "object", properties: {} }) => ({
  type: "function",
  function: { name, parameters },
});

const refused: readonly { name: string; path: string; body: unknown; status?: number; words: RegExp }[] = [
  { name: "no JSON", path: "/v1/chat/completions", body: "{nope", words: /no JSON: "\{nope"/ },
  { name: "an empty body", path: "/v1/responses", body: "", words: /empty/ },
  { name: "a list", path: "/v1/chat/completions", body: "[]", words: /JSON object/ },
  { name: "no messages", path: "/v1/chat/completions", body: { model: "m" }, words: /messages is missing/ },
  {
    name: "an empty list of messages",
    path: "/v1/chat/completions",
    body: { messages: [] },
    words: /messages is empty/,
  },
  {
    name: "an unknown role",
    path: "/v1/chat/completions",
    body: { messages: [user, { role: "wizard", content: "x" }] },
    words: /messages\[1\]\.role is "wizard".*user/,
  },
  {
    name: "content that is a number",
    path: "/v1/chat/completions",
    body: { messages: [{ role: "user", content: 7 }] },
    words: /messages\[0\]\.content/,
  },
  {
    name: "a choice of an absent tool",
    path: "/v1/chat/completions",
    body: { messages: [user], tools: [shellTool], tool_choice: { type: "function", function: { name: "nope" } } },
    words: /"nope".*exec_command/,
  },
  { name: "several answers", path: "/v1/chat/completions", body: { messages: [user], n: 3 }, words: /n is 3/ },
  { name: "no input", path: "/v1/responses", body: { model: "m" }, words: /input is missing/ },
  { name: "an empty input", path: "/v1/responses", body: { model: "m", input: [] }, words: /input is empty/ },
  {
    name: "previous_response_id",
    path: "/v1/responses",
    body: { model: "m", input: "x", previous_response_id: "resp_1" },
    words: /previous_response_id.*whole input/,
  },
  {
    name: "an unknown role in the input",
    path: "/v1/responses",
    body: { input: [{ type: "message", role: "wizard", content: "x" }] },
    words: /input\[0\]\.role/,
  },
  {
    name: "an absent tool in the Responses choice",
    path: "/v1/responses",
    body: { input: "x", tools: [], tool_choice: { type: "function", name: "nope" } },
    words: /"nope"/,
  },
];

describe.each(refused)("$name", ({ path, body, words }) => {
  it("is refused with 400 in one clear line, with a trace id", async () => {
    const upstream = scripted(chatBody({ text: "ok" }));
    const { handler, errors } = testAdapter(upstream);
    const response = await post(handler, path, body);
    const { error } = (await response.json()) as { error: { message: string; type: string } };
    expect({ status: response.status, type: error.type }).toEqual({ status: 400, type: "invalid_request_error" });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain("\n");
    expect(response.headers.get("x-adapter-trace")).toMatch(/^trace_/);
    expect(upstream.bodies).toEqual([]);
    expect(errors).toEqual([]);
  });
});

const served: readonly {
  name: string;
  path?: string;
  body: Record<string, unknown>;
  check?: (body: Record<string, unknown>) => void;
}[] = [
  { name: "store: true", path: "/v1/responses", body: { input: "x", store: true } },
  {
    name: "images",
    path: "/v1/responses",
    body: {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What?" },
            { type: "input_image", image_url: "data:image/png;base64,AAAA" },
          ],
        },
      ],
    },
    check: (body) =>
      expect(JSON.stringify(body)).toContain('{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}'),
  },
  { name: "400 tools", body: { messages: [user], tools: Array.from({ length: 400 }, (_, at) => tool(`tool_${at}`)) } },
  {
    name: "two tools of one name",
    body: {
      messages: [user],
      tools: [tool("twice"), tool("twice", { type: "object", properties: { other: { type: "string" } } })],
    },
    check: (body) => expect(body["tools"]).toHaveLength(1),
  },
  {
    name: "a schema that cannot be compiled",
    body: { messages: [user], tools: [tool("odd", { type: "nonsense", properties: 7 })] },
  },
  {
    name: "a pattern that would backtrack for ever",
    body: {
      messages: [user],
      tools: [tool("evil", { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } })],
    },
  },
  {
    name: "lone surrogates",
    body: { messages: [{ role: "user", content: "before \ud83d after" }] },
    check: (body) => expect(JSON.stringify(body)).toContain("before \uFFFD after"),
  },
  {
    name: "a result of ten megabytes",
    body: {
      messages: [
        user,
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "exec_command", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "x".repeat(10_000_000) },
      ],
      tools: [shellTool],
    },
  },
  {
    name: "a choice without tools",
    body: { messages: [user], tool_choice: "auto" },
    check: (body) => expect(body["tool_choice"]).toBeUndefined(),
  },
];

describe.each(served)("$name", ({ path = "/v1/chat/completions", body, check }) => {
  it("is served", async () => {
    const upstream = scripted(
      chatBody({ calls: [{ name: "evil", arguments: JSON.stringify({ a: `${"a".repeat(40)}!` }) }], text: "ok" }),
    );
    const { handler, errors } = testAdapter(upstream);
    const response = await post(handler, path, { model: "m", ...body });
    expect(response.status).toBe(200);
    expect(errors).toEqual([]);
    expect(upstream.bodies.length).toBeGreaterThan(0);
    check?.(upstream.bodies[0] ?? {});
  });
});

describe("a body beyond the limit", () => {
  const big = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(5000) }] });

  it("is refused with 413 by its length alone", async () => {
    const { handler } = testAdapter(scripted(chatBody({})), { limits: { bodyBytes: 1000 } });
    const response = await post(handler, "/v1/chat/completions", big, {
      headers: { "content-length": String(big.length) },
    });
    expect(response.status).toBe(413);
    expect(await response.text()).toMatch(/request_too_large/);
  });

  it("is refused with 413 where its length is not said, without reading it to the end", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 500;
        controller.enqueue(new Uint8Array(500).fill(120));
      },
    });
    const { handler } = testAdapter(scripted(chatBody({})), { limits: { bodyBytes: 1000 } });
    const response = await handler(
      new Request("http://127.0.0.1/v1/responses", { method: "POST", body, duplex: "half" } as RequestInit),
    );
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(5000);
  });
});

it("hands on a key named __proto__ as a key, and takes nothing from it", async () => {
  const upstream = scripted(chatBody({ text: "Hello." }));
  const { handler } = testAdapter(upstream);
  const body = `{"model":"m","messages":[${JSON.stringify(user)}],"__proto__":{"seed":7}}`;
  expect((await post(handler, "/v1/chat/completions", body)).status).toBe(200);
  const [sent = {}] = upstream.bodies;
  expect(Object.hasOwn(sent, "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(sent)).toBe(Object.prototype);
  expect(sent["seed"]).toBeUndefined();
});
