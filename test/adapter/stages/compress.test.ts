import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { compress } from "../../../src/adapter/stages/compress.ts";
import type { ChatRequest } from "../../../src/protocol/chat.ts";
import { runStages } from "../stage-harness.ts";

const output = `${Array.from({ length: 300 }, (_, at) => `row ${at} is of no interest`).join("\n")}\nERROR: disk full\nsee /var/log/x.log`;
const request: ChatRequest = {
  model: "m",
  messages: [
    { role: "user", content: "Look around." },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_1", content: output },
    { role: "user", content: "次は？" },
  ],
};
const end = (promptTokens: number | null): readonly AdapterEvent[] => [
  { kind: "text", text: "ok" },
  { kind: "end", finishReason: "stop", usage: { promptTokens, completionTokens: 7 } },
];

describe("the stage compress", () => {
  it("sends less, keeps the facts, and says what is missing", async () => {
    const run = await runStages({ stages: [compress], request, config: { compress: { budgetBytes: 1000 } } });
    const sent = run.asked[0]?.messages[2]?.content;
    expect(sent).toContain("ERROR: disk full");
    expect(sent).toContain("/var/log/x.log");
    expect(JSON.stringify(run.asked[0]?.messages).length).toBeLessThan(2000);
    expect(run.entries).toMatchObject([
      { stage: "compress", decision: "compressed", before: { bytes: expect.any(Number) } },
    ]);
    const missing = run.dropped.map(({ text }) => text);
    expect(output.length - missing.join("").length).toBeLessThan(1000);
    for (const text of missing) expect(output).toContain(text);
  });

  it("reports the usage of the whole history", async () => {
    const run = await runStages({
      stages: [compress],
      request,
      config: { compress: { budgetBytes: 1000 } },
      replies: [end(250)],
    });
    const usage = run.events.flatMap((event) => (event.kind === "end" ? [event.usage] : []))[0];
    // About a quarter of a token a byte was reported for what was sent.
    expect(usage?.promptTokens).toBeGreaterThan((output.length / 4) * 0.8);
    expect(usage?.promptTokens).toBeLessThan((output.length / 4) * 1.3);
    expect(usage?.completionTokens).toBe(7);
  });

  it("touches neither request nor usage below the budget", async () => {
    const run = await runStages({ stages: [compress], request, replies: [end(250)] });
    expect(run.asked[0]).toBe(request);
    expect(run.events).toEqual(end(250));
    expect(run.entries).toEqual([]);
  });

  it("says so where the facts alone are too much, and asks all the same", async () => {
    const run = await runStages({
      stages: [compress],
      request,
      config: { compress: { budgetBytes: 10 } },
      replies: [end(null)],
    });
    expect(run.entries).toMatchObject([
      { decision: "too_long", reason: expect.stringContaining("must be kept is alone") },
    ]);
    expect(run.asked).toHaveLength(1);
    expect(run.events).toEqual(end(null));
  });
});
