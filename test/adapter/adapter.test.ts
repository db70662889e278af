import { describe, expect, it } from "vitest";
import { chatBody, chatStream, post, scripted, shellTool, testAdapter, wireEvents } from "./support.ts";

const ask = { model: "m", messages: [{ role: "user", content: "List the files." }], tools: [shellTool] };
const askResponses = {
  model: "m",
  input: "List the files.",
  tools: [{ ...shellTool.function, type: "function", strict: false }],
};
const leak = 'Let me look.\n<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls"}}\n</tool_call>';

describe("chat front", () => {
  it("streams a reply as it came", async () => {
    const { handler, traces } = testAdapter(scripted(chatStream({ text: "Hello there" })));
    const response = await post(handler, "/v1/chat/completions", {
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    const events = wireEvents(await response.text());
    expect(response.headers.get("x-adapter-trace")).toBe(traces[0]?.id);
    expect(events.at(-1)?.data).toBe("[DONE]");
    const text = events
      .map(({ data }) => (typeof data === "string" ? "" : (JSON.stringify(data).match(/"content":"(.*?)"/)?.[1] ?? "")))
      .join("");
    expect(text).toBe("Hello there");
    expect(traces[0]?.outcome).toBe("completed");
  });

  it("makes a leaked call a call", async () => {
    const { handler } = testAdapter(scripted(chatBody({ text: leak })));
    const body = (await (await post(handler, "/v1/chat/completions", ask)).json()) as { choices: unknown[] };
    expect(body.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me look.\n",
        tool_calls: [{ function: { name: "exec_command", arguments: '{"cmd":"ls"}' } }],
      },
    });
  });
});

describe("responses front", () => {
  it("gives the same items in output_item.done and in response.completed", async () => {
    const { handler } = testAdapter(scripted(chatStream({ text: leak })));
    const response = await post(handler, "/v1/responses", { ...askResponses, stream: true });
    const events = wireEvents(await response.text());
    const done = events
      .filter(({ event }) => event === "response.output_item.done")
      .map(({ data }) => (data as { item: unknown }).item);
    const last = events.at(-1);
    expect(last?.event).toBe("response.completed");
    expect((last?.data as { response?: { output: unknown } } | undefined)?.response?.output).toEqual(done);
    expect(done).toMatchObject([
      { type: "message" },
      { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}' },
    ]);
  });

  it("answers in one body", async () => {
    const { handler } = testAdapter(scripted(chatBody({ text: "hi" })));
    const body = await (await post(handler, "/v1/responses", askResponses)).json();
    expect(body).toMatchObject({
      object: "response",
      status: "completed",
      output: [{ type: "message", content: [{ text: "hi" }] }],
      usage: { input_tokens: 10 },
    });
  });
});
