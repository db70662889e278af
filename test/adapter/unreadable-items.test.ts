import { describe, expect, it } from "vitest";
import { openResponsesWriter } from "../../src/adapter/fronts/responses-writer.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../src/protocol/json.ts";
import { openTestTurn } from "./stage-harness.ts";
import { chatBody, post, scripted, testAdapter } from "./support.ts";

const tools = [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }];

/** The response that a stream of events ends with. */
function completed(text: string): JsonValue | undefined {
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  return events
    .map((line) => parseJson(line.slice("data: ".length)))
    .filter(isJsonObject)
    .find(({ type }) => type === "response.completed")?.["response"];
}

function said(words: RegExp) {
  return { status: "completed", output: [{ type: "message", content: [{ text: expect.stringMatching(words) }] }] };
}

describe("what a client could not read", () => {
  it.each([{ stream: true }, { stream: false }])(
    "is told, where a server sends a call without a name (stream: $stream)",
    async ({ stream }) => {
      const upstream = scripted(chatBody({ calls: [{ id: "call_1", name: "", arguments: '{"path":"a.txt"}' }] }));
      const { handler, traces } = testAdapter(upstream);
      const response = await post(handler, "/v1/responses", { model: "m", input: "Look.", tools, stream });
      const text = await response.text();
      const id = response.headers.get("x-adapter-trace");
      expect(stream ? completed(text) : parseJson(text)).toMatchObject(
        said(new RegExp(`could not be read: a tool call without a name was left out, .*a\\.txt.*Trace ${id}\\]$`)),
      );
      expect(text).not.toContain('"type":"function_call"');
      expect(traces[0]?.entries).toContainEqual({
        stage: "upstream",
        decision: "unreadable_part",
        reason: expect.stringContaining("without a name"),
      });
    },
  );

  it("never leaves as an item: the last look withholds it, says so, and logs it as it was", () => {
    const { turn, entries } = openTestTurn({ front: "responses" });
    const writer = openResponsesWriter(turn, {});
    const call = { id: "", name: "look", argumentsText: "{}", origin: "native" } as const;
    const written = [
      writer.start(),
      writer.write({ kind: "call", call }),
      writer.write({ kind: "end", finishReason: "tool_calls", usage: null }),
    ].join("");
    expect(completed(written)).toMatchObject(said(/withheld a call of look: call_id: /));
    expect(written).not.toContain('"type":"function_call"');
    expect(entries).toContainEqual(
      expect.objectContaining({
        stage: "front",
        decision: "unreadable_item",
        before: expect.objectContaining({ type: "function_call", call_id: "", name: "look" }),
      }),
    );
  });
});
