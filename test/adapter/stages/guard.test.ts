import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { createRepeatedTextFilter } from "../../../src/adapter/guard/repeated-text.ts";
import { guard } from "../../../src/adapter/stages/guard.ts";
import type { ChatMessage } from "../../../src/protocol/chat.ts";
import { runStages } from "../stage-harness.ts";
import { shellTool } from "../support.ts";

const end: AdapterEvent = { kind: "end", finishReason: "stop", usage: null };
const call = (args: object, name = "exec_command", id = "c"): AdapterEvent => ({
  kind: "call",
  call: { id, name, argumentsText: JSON.stringify(args), origin: "native" },
});
const say = (text: string): AdapterEvent => ({ kind: "text", text });

function history(count: number, result: (at: number) => string, cmd = "pwd"): readonly ChatMessage[] {
  const rounds = Array.from({ length: count }, (_, at): readonly ChatMessage[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: `c${at}`, type: "function", function: { name: "exec_command", arguments: JSON.stringify({ cmd }) } },
      ],
    },
    { role: "tool", tool_call_id: `c${at}`, content: result(at) },
  ]);
  return [{ role: "user", content: "Go." }, ...rounds.flat()];
}

const run = (messages: readonly ChatMessage[], ...replies: readonly (readonly AdapterEvent[])[]) =>
  runStages({ stages: [guard], request: { model: "m", messages, tools: [shellTool as never] }, replies });
const texts = (events: readonly AdapterEvent[]): string =>
  events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
const calls = (events: readonly AdapterEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "call" ? [event.call.name] : []));
const framed = (at: number): string =>
  `Chunk ID: ${at}a0b\nWall time: 0.00${at} seconds\nProcess exited with code 0\nOutput:\n/work\n`;

it("drops the second of two equal calls in a reply, however they are written", async () => {
  const { events, entries } = await run(history(0, framed), [
    call({ cmd: "ls" }),
    { kind: "call", call: { id: "d", name: "exec_command", argumentsText: '{ "cmd" : "ls" }', origin: "native" } },
    end,
  ]);
  expect(calls(events)).toEqual(["exec_command"]);
  expect(entries).toMatchObject([{ stage: "guard", decision: "duplicate_call" }]);
});

describe("a call that was made again and again with the same result", () => {
  it("is let through below the limit", async () => {
    expect(calls((await run(history(2, framed), [call({ cmd: "pwd" }), end])).events)).toEqual(["exec_command"]);
  });

  it("is answered by the adapter at the limit, and the model goes on", async () => {
    const { asked, events } = await run(history(3, framed), [call({ cmd: "pwd" }), end], [say("It is /work."), end]);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: expect.stringMatching(/3 times/) });
    expect(events).toEqual([say("It is /work."), end]);
  });

  it("ends the turn with a word where the model insists", async () => {
    const { asked, events } = await run(history(213, framed), [call({ cmd: "pwd" }), end]);
    expect(asked).toHaveLength(2);
    expect(calls(events)).toEqual([]);
    expect(texts(events)).toMatch(/213 times/);
    expect(events.at(-1)).toEqual(end);
  });

  it.each([
    { name: "results differ", messages: history(9, (at) => `line ${at}`) },
    {
      name: "the program is still running",
      messages: history(9, () => "Wall time: 1.0\nProcess running with session ID 7\nOutput:\n"),
    },
    { name: "the user has spoken since", messages: [...history(9, framed), { role: "user", content: "Once more." }] },
    { name: "it is another command", messages: history(9, framed, "ls") },
  ])("is no loop where $name", async ({ messages }) => {
    expect(calls((await run(messages, [call({ cmd: "pwd" }), end])).events)).toEqual(["exec_command"]);
  });
});

it("tells the model that a tool does not exist, and which ones do", async () => {
  const { asked, events } = await run(history(0, framed), [call({}, "shell"), end], [call({ cmd: "ls" }), end]);
  expect(asked[1]?.messages.at(-1)?.content).toMatch(/no tool "shell".*exec_command/);
  expect(calls(events)).toEqual(["exec_command"]);
});

it("makes the calls that can be made and leaves the others out", async () => {
  const { asked, events } = await run(history(0, framed), [call({}, "shell"), call({ cmd: "ls" }), end]);
  expect(asked).toHaveLength(1);
  expect(calls(events)).toEqual(["exec_command"]);
});

describe("an answer written twice", () => {
  const answer = "The directory holds three files:\n- a\n- b\n- c and nothing else.";
  const rows = [
    { name: "with a blank line between", given: `${answer}\n\n${answer}`, kept: answer },
    { name: "with one line break", given: `${answer}\n${answer}\n`, kept: answer },
    { name: "once", given: answer, kept: answer },
    { name: "with something added", given: `${answer}\n\n${answer} Really.`, kept: `${answer}\n\n${answer} Really.` },
    { name: "only begun again", given: `${answer}\n\nThe directory holds`, kept: `${answer}\n\nThe directory holds` },
    { name: "short and meant", given: "No.\n\nNo.", kept: "No.\n\nNo." },
    { name: "a list with equal beginnings", given: `${answer}\n\n- a\n- b\n- a`, kept: `${answer}\n\n- a\n- b\n- a` },
  ];

  it.each(rows.flatMap((row) => [1, 3, 1000].map((size) => ({ ...row, size }))))(
    "$name, in pieces of $size",
    ({ given, kept, size }) => {
      const filter = createRepeatedTextFilter();
      let out = "";
      for (let at = 0; at < given.length; at += size) out += filter.push(given.slice(at, at + size));
      out += filter.end();
      expect(out.trimEnd()).toBe(kept);
      expect(filter.dropped() === "").toBe(given.trimEnd() === kept);
    },
  );
});
