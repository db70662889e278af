import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/protocol/json.ts";
import { asOneMessage } from "../../src/protocol/one-message.ts";
import { readReply } from "../../src/protocol/read-reply.ts";
import type { ServedCall } from "../../src/protocol/reply.ts";

function body(message: JsonValue, more: readonly JsonValue[] = []) {
  return readReply({
    body: JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }, ...more] }),
    contentType: "application/json",
    status: 200,
    streamed: false,
  });
}

function stream(deltas: readonly JsonValue[]) {
  const lines = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  return readReply({
    body: `${lines.join("")}data: [DONE]\n\n`,
    contentType: "text/event-stream",
    status: 200,
    streamed: true,
  });
}

const native = (message: JsonValue) =>
  readReply({
    body: JSON.stringify({ message, done: true }),
    contentType: "application/json",
    status: 200,
    streamed: false,
  });

const calls = (read: ReturnType<typeof body>): readonly ServedCall[] => asOneMessage(read.replies)?.calls ?? [];
const faults = (read: ReturnType<typeof body>) => calls(read).map((call) => call.faults ?? []);
const called = (name: string, given: JsonValue = "{}", id: string | null = "a") => ({
  id,
  type: "function",
  function: { name, arguments: given },
});

describe("faults of the wire are named on the call that has them", () => {
  it.each([
    ["a sound call", body({ tool_calls: [called("f")] }), [[]]],
    ["no id", body({ tool_calls: [called("f", "{}", null)] }), [["no_id"]]],
    ["an empty id", body({ tool_calls: [called("f", "{}", "")] }), [["no_id"]]],
    ["arguments as an object", body({ tool_calls: [called("f", { a: 1 })] }), [["arguments_as_object"]]],
    ["the old field", body({ function_call: { name: "f", arguments: "{}" } }), [["legacy_field"]]],
    ["Ollama's own shape", native({ tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] }), [[]]],
    [
      "text in Ollama's own shape",
      native({ tool_calls: [{ function: { name: "f", arguments: "{}" } }] }),
      [["arguments_as_text"]],
    ],
    [
      "a second call at the same index",
      stream([
        { tool_calls: [{ index: 0, ...called("f") }] },
        { tool_calls: [{ index: 0, ...called("g", "{}", "b") }] },
      ]),
      [[], ["index_reused"]],
    ],
    [
      "one id at two indices",
      stream([{ tool_calls: [{ index: 0, ...called("f") }] }, { tool_calls: [{ index: 1, ...called("f") }] }]),
      [[], ["same_id"]],
    ],
  ])("%s", (_what, read, wanted) => {
    expect(faults(read)).toEqual(wanted);
  });
});

describe("one message in several choices", () => {
  const text = { index: 0, message: { content: "First the folder." }, finish_reason: "stop" };
  const caller = { index: 1, message: { content: null, tool_calls: [called("f")] }, finish_reason: "tool_calls" };
  const read = (choices: readonly JsonValue[]) =>
    readReply({
      body: JSON.stringify({ choices: [...choices] }),
      contentType: "application/json",
      status: 200,
      streamed: false,
    });

  it("is put together where one has the text and the other the call", () => {
    const message = asOneMessage(read([text, caller]).replies);
    expect(message?.content).toBe("First the folder.");
    expect(message?.calls).toMatchObject([{ name: "f", faults: ["other_choice"] }]);
  });

  it("is not made of alternatives", () => {
    const other = { ...caller, index: 0, message: { content: "A", tool_calls: [called("g")] } };
    expect(asOneMessage(read([other, caller]).replies)).toMatchObject({ content: "A", calls: [{ name: "g" }] });
    expect(asOneMessage(read([text, { ...text, index: 1 }]).replies)?.content).toBe("First the folder.");
    expect(asOneMessage([])).toBeUndefined();
  });
});
