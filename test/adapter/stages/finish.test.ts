import { expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { choiceRefused } from "../../../src/adapter/failures.ts";
import { finish } from "../../../src/adapter/stages/finish.ts";
import { runStages } from "../stage-harness.ts";
import { shellTool } from "../support.ts";

const end: AdapterEvent = { kind: "end", finishReason: "tool_calls", usage: null };
const answer = (text: string): AdapterEvent => ({
  kind: "call",
  call: { id: "f", name: "final_answer", argumentsText: JSON.stringify({ answer: text }), origin: "native" },
});
const shell: AdapterEvent = {
  kind: "call",
  call: { id: "s", name: "exec_command", argumentsText: '{"cmd":"ls"}', origin: "native" },
};
const request = { model: "m", messages: [{ role: "user", content: "Go." }], tools: [shellTool as never] };
const run = (
  replies: readonly (readonly AdapterEvent[])[],
  more: object = {},
  config: object = { finish: { enabled: true } },
) =>
  runStages({ stages: [finish], request: { ...request, ...more }, replies, config: config as Record<string, unknown> });

it("asks for a call each time and adds final_answer behind the client's tools", async () => {
  const { asked } = await run([[answer("Done."), end]]);
  expect(asked[0]).toMatchObject({
    tool_choice: "required",
    tools: [{ function: { name: "exec_command" } }, { function: { name: "final_answer" } }],
  });
});

it("makes the final answer text", async () => {
  expect((await run([[answer("Done."), end]])).events).toEqual([{ kind: "text", text: "Done." }, end]);
});

it("says an answer once that was also written as text", async () => {
  const { events } = await run([[{ kind: "text", text: "Done." }, answer("Done."), end]]);
  expect(events).toEqual([{ kind: "text", text: "Done." }, end]);
});

it("lets other calls of the same reply come first: an answer cannot know their results", async () => {
  const { events, entries } = await run([[shell, answer("It printed 7."), end]]);
  expect(events).toEqual([shell, end]);
  expect(entries).toMatchObject([{}, { decision: "answer_set_aside", before: "It printed 7." }]);
});

it("falls back to auto once, and only where the refusal is about the choice", async () => {
  const refused = (code: string): AdapterEvent => ({
    kind: "failed",
    failure: { status: 400, type: "x", code, message: "tool_choice required is not supported" },
  });
  const { asked, events } = await run([[refused(choiceRefused)], [{ kind: "text", text: "Hm." }, end]]);
  expect(asked.map((one) => one.tool_choice)).toEqual(["required", "auto"]);
  expect(events).toEqual([{ kind: "text", text: "Hm." }, end]);
  expect((await run([[refused(choiceRefused)]])).asked).toHaveLength(2);
  expect((await run([[refused("context_length_exceeded")]])).asked).toHaveLength(1);
});

it.each([
  { name: "off", config: {}, more: {} },
  { name: "without tools", config: { finish: { enabled: true } }, more: { tools: [] } },
  { name: "where the client chose itself", config: { finish: { enabled: true } }, more: { tool_choice: "none" } },
])("changes nothing $name", async ({ config, more }) => {
  const { asked } = await run([[end]], more, config);
  expect(asked[0]).toEqual({ ...request, ...more });
});
