import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/protocol/json.ts";
import { chatStream, post, scripted, shellTool, testAdapter, type WireEvent, wireEvents } from "./support.ts";

type Said = Parameters<typeof chatStream>[0];

interface Case {
  readonly name: string;
  readonly said: Said;
  readonly done?: boolean;
  /** What every client must have understood at the end. */
  readonly text: string;
  readonly reasoning?: string;
  /** Calls as the Responses API names them. */
  readonly calls: readonly {
    readonly name: string;
    readonly namespace?: string;
    readonly input?: string;
    readonly arguments?: unknown;
  }[];
}

const shell = (args: string, id?: string | null) => ({
  name: "exec_command",
  arguments: args,
  ...(id === undefined ? {} : { id }),
});
const pwd = { name: "exec_command", arguments: { cmd: "pwd" } };

const cases: readonly Case[] = [
  { name: "text", said: { text: "Hello, 世界 🙂." }, text: "Hello, 世界 🙂.", calls: [] },
  { name: "reasoning, then text", said: { reasoning: "Hm.", text: "Yes." }, text: "Yes.", reasoning: "Hm.", calls: [] },
  {
    name: "thinking in the text",
    said: { text: "<think>Hm.</think>\n\nYes." },
    text: "Yes.",
    reasoning: "Hm.",
    calls: [],
  },
  { name: "a native call", said: { calls: [shell('{"cmd":"pwd"}')] }, text: "", calls: [pwd] },
  {
    name: "text, then a call",
    said: { text: "Looking.", calls: [shell('{"cmd":"pwd"}')] },
    text: "Looking.",
    calls: [pwd],
  },
  { name: "a call without an id", said: { calls: [shell('{"cmd":"pwd"}', null)] }, text: "", calls: [pwd] },
  {
    name: "two calls with the same id",
    said: { calls: [shell('{"cmd":"pwd"}', "same"), shell('{"cmd":"ls"}', "same")] },
    text: "",
    calls: [pwd, { name: "exec_command", arguments: { cmd: "ls" } }],
  },
  {
    name: "the same call twice",
    said: { calls: [shell('{"cmd":"pwd"}'), shell('{"cmd":"pwd"}')] },
    text: "",
    calls: [pwd],
  },
  {
    name: "a call that ends with stop",
    said: { calls: [shell('{"cmd":"pwd"}')], finish: "stop" },
    text: "",
    calls: [pwd],
  },
  { name: "a call, no [DONE]", said: { calls: [shell('{"cmd":"pwd"}')] }, done: false, text: "", calls: [pwd] },
  {
    name: "a number as text",
    said: { calls: [shell('{"cmd":"pwd","yield_time_ms":"1000"}')] },
    text: "",
    calls: [{ name: "exec_command", arguments: { cmd: "pwd", yield_time_ms: 1000 } }],
  },
  {
    name: "an integer with a fraction of zero",
    said: { calls: [shell('{"cmd":"pwd","yield_time_ms":1000.0}')] },
    text: "",
    calls: [{ name: "exec_command", arguments: { cmd: "pwd", yield_time_ms: 1000 } }],
  },
  { name: "null for a boolean", said: { calls: [shell('{"cmd":"pwd","login":null}')] }, text: "", calls: [pwd] },
  { name: "arguments that are nearly JSON", said: { calls: [shell("{'cmd': 'pwd',}")] }, text: "", calls: [pwd] },
  {
    name: "a name with markup behind it",
    said: { calls: [{ name: "exec_command<|channel|>commentary", arguments: '{"cmd":"pwd"}' }] },
    text: "",
    calls: [pwd],
  },
  {
    name: "a Hermes call in the text",
    said: { text: '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "pwd"}}\n</tool_call>' },
    text: "",
    calls: [pwd],
  },
  {
    name: "Qwen XML in the text",
    said: {
      text: "On it.\n<tool_call>\n<function=exec_command>\n<parameter=cmd>\npwd\n</parameter>\n</function>\n</tool_call>",
    },
    text: "On it.",
    calls: [pwd],
  },
  {
    name: "a Hermes call with broken JSON",
    said: { text: '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "pwd",}}\n</tool_call>' },
    text: "",
    calls: [pwd],
  },
  {
    name: "a call at the end of the thinking",
    said: { reasoning: 'I call it.\n<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "pwd"}}\n</tool_call>' },
    text: "",
    calls: [pwd],
  },
  {
    name: "a call that is only spoken of",
    said: {
      text: 'Models write `<tool_call>{"name": "exec_command", "arguments": {"cmd": "pwd"}}</tool_call>` for that.',
    },
    text: 'Models write `<tool_call>{"name": "exec_command", "arguments": {"cmd": "pwd"}}</tool_call>` for that.',
    calls: [],
  },
  {
    name: "a tool of a namespace",
    said: { calls: [{ name: "mcp__tiny__add", arguments: '{"a":2,"b":3}' }] },
    text: "",
    calls: [{ name: "add", namespace: "mcp__tiny", arguments: { a: 2, b: 3 } }],
  },
  {
    name: "a freeform tool",
    said: { calls: [{ name: "apply_patch", arguments: '{"input":"*** Begin Patch\\n*** End Patch"}' }] },
    text: "",
    calls: [{ name: "apply_patch", input: "*** Begin Patch\n*** End Patch" }],
  },
];

const responsesBody = {
  model: "m",
  stream: true,
  input: "Do it.",
  tools: [
    { type: "function", strict: false, ...shellTool.function },
    {
      type: "namespace",
      name: "mcp__tiny",
      description: "Sums.",
      tools: [
        {
          type: "function",
          name: "add",
          parameters: {
            type: "object",
            properties: { a: { type: "number" }, b: { type: "number" } },
            required: ["a", "b"],
          },
        },
      ],
    },
    {
      type: "custom",
      name: "apply_patch",
      description: "Patches.",
      format: { type: "grammar", syntax: "lark", definition: "start: begin" },
    },
  ],
};
const chatTools = [
  shellTool,
  {
    type: "function",
    function: { name: "mcp__tiny__add", parameters: responsesBody.tools[1]?.tools?.[0]?.parameters },
  },
  { type: "custom", custom: { name: "apply_patch", description: "Patches." } },
];
const chatRequest = {
  model: "m",
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: "user", content: "Do it." }],
  tools: chatTools,
};

const sizes = [1, 2, 3, 5, 7, 11, 64, 100_000];

async function streamed(
  path: string,
  body: unknown,
  { said, done = true }: Pick<Case, "said" | "done">,
  size: number,
): Promise<readonly WireEvent[]> {
  const { handler } = testAdapter(scripted(chatStream(said, { size, done })));
  const response = await post(handler, path, body);
  expect(response.status).toBe(200);
  return wireEvents(await response.text());
}

function object(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  return value;
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** Rules of the Responses stream, whatever is said; gives the items. */
function checkResponses(events: readonly WireEvent[]): readonly JsonObject[] {
  const data = events.map((event) => object(event.data));
  for (const [at, { event }] of events.entries()) {
    expect(data[at]?.["type"]).toBe(event);
    expect(data[at]?.["sequence_number"]).toBe(at);
  }
  expect(events.slice(0, 2).map(({ event }) => event)).toEqual(["response.created", "response.in_progress"]);
  expect(object(data[0]?.["response"])).toMatchObject({ object: "response", status: "in_progress", output: [] });
  const items = data.filter(({ type }) => type === "response.output_item.done").map(({ item }) => object(item));
  const last = object(data.at(-1)?.["response"]);
  expect(last["id"]).toBe(object(data[0]?.["response"])["id"]);
  expect(last["output"]).toEqual(items);
  if (last["status"] === "completed")
    expect(object(last["usage"])).toMatchObject({
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    });
  // Each item is announced, filled and closed before the next one begins.
  const order = data
    .filter(({ type }) => String(type).startsWith("response.output_item."))
    .map(({ type, output_index: index }) => `${String(type).split(".").at(-1)} ${String(index)}`);
  expect(order).toEqual(items.flatMap((_, index) => [`added ${index}`, `done ${index}`]));
  for (const [index, item] of items.entries())
    checkItem(
      item,
      data.filter((one) => one["output_index"] === index),
    );
  return items;
}

function checkItem(item: JsonObject, events: readonly JsonObject[]): void {
  const types = events.map(({ type }) => String(type)).filter((type, at, all) => type !== all[at - 1]);
  const deltas = events
    .filter(({ type }) => String(type).endsWith(".delta"))
    .map(({ delta }) => String(delta))
    .join("");
  expect(item["id"]).toEqual(expect.stringMatching(/^(msg|fc|ctc|rs|ws)_/));
  switch (item["type"]) {
    case "message":
      expect(types).toEqual([
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
      ]);
      expect(item["content"]).toEqual([{ type: "output_text", text: deltas, annotations: [] }]);
      break;
    case "reasoning":
      expect(item["summary"]).toEqual([{ type: "summary_text", text: deltas }]);
      break;
    case "function_call":
      expect(types).toEqual([
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
      ]);
      expect(item["arguments"]).toBe(deltas);
      expect(item["call_id"]).toEqual(expect.stringMatching(/./));
      break;
    case "custom_tool_call":
      expect(types).toEqual([
        "response.output_item.added",
        "response.custom_tool_call_input.delta",
        "response.custom_tool_call_input.done",
        "response.output_item.done",
      ]);
      expect(item["input"]).toBe(deltas);
      break;
    default:
      expect.fail(`an item of type ${String(item["type"])}`);
  }
}

/** Rules of the chat stream; gives what a client folds of it. */
function checkChat(events: readonly WireEvent[]): { text: string; reasoning: string; calls: readonly JsonObject[] } {
  expect(events.at(-1)?.data).toBe("[DONE]");
  const chunks = events.slice(0, -1).map(({ data }) => object(data));
  for (const chunk of chunks)
    expect(chunk).toMatchObject({
      id: chunks[0]?.["id"],
      object: "chat.completion.chunk",
      created: expect.any(Number),
      model: "m",
    });
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  const choices = chunks.slice(0, -1).map((chunk) => object(list(chunk["choices"])[0]));
  for (const choice of choices) expect(choice["index"]).toBe(0);
  const deltas = choices.map((choice) => object(choice["delta"]));
  expect(deltas[0]?.["role"]).toBe("assistant");
  const calls = deltas.flatMap((delta) => list(delta["tool_calls"]));
  expect(calls.map((call) => call["index"])).toEqual(calls.map((_, index) => index));
  expect(new Set(calls.map((call) => call["id"])).size).toBe(calls.length);
  expect(choices.map((choice) => choice["finish_reason"]).filter((reason) => reason !== null)).toEqual([
    calls.length > 0 ? "tool_calls" : "stop",
  ]);
  return {
    text: deltas.map((delta) => (typeof delta["content"] === "string" ? delta["content"] : "")).join(""),
    reasoning: deltas
      .map((delta) => (typeof delta["reasoning_content"] === "string" ? delta["reasoning_content"] : ""))
      .join(""),
    calls,
  };
}

describe.each(cases)("$name", (one) => {
  it.each(sizes)("reaches a Responses client whole, upstream in pieces of %i bytes", async (size) => {
    const items = checkResponses(await streamed("/v1/responses", responsesBody, one, size));
    const text = items
      .filter(({ type }) => type === "message")
      .map(({ content }) => String(list(content)[0]?.["text"]))
      .join("");
    const thought = items
      .filter(({ type }) => type === "reasoning")
      .map(({ summary }) => String(list(summary)[0]?.["text"]))
      .join("");
    const calls = items.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
    expect(text.trim()).toBe(one.text);
    expect(one.reasoning === undefined || thought === one.reasoning).toBe(true);
    expect(
      calls.map((call) => ({
        name: call["name"],
        ...(call["namespace"] === undefined ? {} : { namespace: call["namespace"] }),
        ...(call["input"] === undefined
          ? { arguments: JSON.parse(String(call["arguments"])) }
          : { input: call["input"] }),
      })),
    ).toEqual(one.calls);
    expect(new Set(calls.map((call) => call["call_id"])).size).toBe(calls.length);
  });

  it.each(sizes)("reaches a chat client whole, upstream in pieces of %i bytes", async (size) => {
    const { text, reasoning, calls } = checkChat(await streamed("/v1/chat/completions", chatRequest, one, size));
    expect(text.trim()).toBe(one.text);
    expect(one.reasoning === undefined || reasoning === one.reasoning).toBe(true);
    const read = calls.map((call) => {
      const custom = call["custom"];
      if (isJsonObject(custom)) return { type: call["type"], name: custom["name"], input: custom["input"] };
      const body = object(call["function"]);
      return { type: call["type"], name: body["name"], arguments: JSON.parse(String(body["arguments"])) };
    });
    expect(read).toEqual(
      one.calls.map(({ name, namespace, input, arguments: args }) =>
        input === undefined
          ? { type: "function", name: namespace === undefined ? name : `${namespace}__${name}`, arguments: args }
          : { type: "custom", name, input },
      ),
    );
  });
});

describe("a reply that ends early", () => {
  const long: Said = { text: "The beginning of a long answer", calls: [shell('{"cmd":"rm -rf build"}')] };
  const whole = 4000;

  it.each([1, 7, 1000])(
    "is told as incomplete on the Responses front, with what came (pieces of %i bytes)",
    async (size) => {
      const { handler } = testAdapter(scripted(chatStream(long, { size, cutAfter: 1200 })));
      const events = wireEvents(await (await post(handler, "/v1/responses", responsesBody)).text());
      const items = checkResponses(events);
      expect(events.at(-1)?.event).toBe("response.incomplete");
      expect(items).toMatchObject([{ type: "message", status: "incomplete" }]);
    },
  );

  it.each([1, 7, 1000])("is an error on the chat front, without [DONE] (pieces of %i bytes)", async (size) => {
    const { handler } = testAdapter(scripted(chatStream(long, { size, cutAfter: 1200 })));
    const events = wireEvents(await (await post(handler, "/v1/chat/completions", chatRequest)).text());
    expect(object(events.at(-1)?.data)).toMatchObject({ error: { code: "upstream_cut" } });
  });

  it("never hands on a call that was cut, wherever the cut is", async () => {
    for (let cutAfter = 200; cutAfter < whole; cutAfter += 37) {
      const { handler } = testAdapter(scripted(chatStream(long, { cutAfter })));
      const text = await (await post(handler, "/v1/responses", responsesBody)).text();
      for (const { data } of wireEvents(text)) {
        const item = isJsonObject(data) ? data["item"] : undefined;
        if (isJsonObject(item) && item["type"] === "function_call" && item["status"] === "completed")
          expect(JSON.parse(String(item["arguments"]))).toEqual({ cmd: "rm -rf build" });
      }
    }
  });

  it("says max_output_tokens where the budget was used up, and withholds the cut call", async () => {
    const said: Said = { text: "So", calls: [shell('{"cmd":"rm -rf bu')], finish: "length" };
    const { handler, traces } = testAdapter(scripted(chatStream(said)));
    const events = wireEvents(await (await post(handler, "/v1/responses", responsesBody)).text());
    expect(checkResponses(events)).toMatchObject([{ type: "message" }]);
    expect(object(object(events.at(-1)?.data)["response"])).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    expect(traces[0]?.entries.map((entry) => entry.decision)).toContain("cut_call_withheld");
  });
});
