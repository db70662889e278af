import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { repair } from "../../../src/adapter/stages/repair.ts";
import { scan } from "../../../src/adapter/stages/scan.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { runStages } from "../stage-harness.ts";
import { shellTool } from "../support.ts";

const request = { model: "m", messages: [{ role: "user", content: "List the files." }], tools: [shellTool as never] };
const end: AdapterEvent = { kind: "end", finishReason: "stop", usage: null };
const letters = (text: string): readonly AdapterEvent[] =>
  [...text].map((letter): AdapterEvent => ({ kind: "text", text: letter }));
const call = '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls"}}\n</tool_call>';

async function scanned(text: string, more: Partial<Parameters<typeof runStages>[0]> = {}) {
  const run = await runStages({ stages: [repair, scan], request, replies: [[...letters(text), end]], ...more });
  const { events } = run;
  return {
    ...run,
    text: events.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join(""),
    reasoning: events.flatMap((event) => (event.kind === "reasoning" ? [event.text] : [])).join(""),
    calls: events.flatMap((event) => (event.kind === "call" ? [JSON.parse(event.call.argumentsText)] : [])),
  };
}

// Formats that are only told apart by a server's option read as another one; those without arguments by name cannot be rendered here.
const written = toolCallFormats.filter((format) => !format.bare);

describe.each(written)("a call in $name", (format) => {
  it("is handed on as a call and taken out of the text", async () => {
    const { text, calls } = await scanned(
      `On it.\n${format.render([{ name: "exec_command", arguments: { cmd: "ls -la" } }])}`,
    );
    expect({ text: text.trim(), calls }).toEqual({ text: "On it.", calls: [{ cmd: "ls -la" }] });
  });
});

it("text leaves letter by letter until something may be a call", async () => {
  const { events } = await scanned("a < b, said Anna");
  expect(events.filter((event) => event.kind === "text").length).toBeGreaterThan(10);
});

it.each([
  { name: "in a code span", text: `Models write \`${call.replaceAll("\n", "")}\` for that.` },
  { name: "in a fenced example", text: `For example:\n\`\`\`\n${call}\n\`\`\`\nThat is the form.` },
  { name: "refused", text: `I will not run ${call}` },
  { name: "in a question", text: `If you want, I could run this: ${call}` },
])("a call that is only spoken of stays text: $name", async ({ text: given }) => {
  const { text, calls } = await scanned(given);
  expect(calls).toEqual([]);
  expect(text.trim()).toBe(given.trim());
});

it("says nothing twice, whatever white space stands before and behind a call", async () => {
  const { text, calls } = await scanned(`One.\n\n\n\nTwo.  \n\n${call}\n\n\nThree.`);
  expect(calls).toEqual([{ cmd: "ls" }]);
  expect(text.match(/One|Two|Three/g)).toEqual(["One", "Two", "Three"]);
});

it("is never handed on where the request forbids calls", async () => {
  const { calls } = await scanned(call, { request: { ...request, tool_choice: "none" } });
  expect(calls).toEqual([]);
});

it.each([
  { name: "an undeclared tool", text: call.replace("exec_command", "rm_rf") },
  { name: "arguments that do not fit", text: call.replace('"cmd"', '"command_line"').replace('"ls"', "7") },
  { name: "a call that was cut", text: call.slice(0, 45) },
])("the model is told once what is wrong: $name", async ({ text }) => {
  const run = await scanned(text, {
    replies: [
      [...letters(text), end],
      [...letters(call), end],
    ],
  });
  expect(run.asked).toHaveLength(2);
  expect(run.asked[1]?.messages.slice(-2)).toMatchObject([{ role: "assistant" }, { role: "user" }]);
  expect(run.calls).toEqual([{ cmd: "ls" }]);
  expect(run.events.filter((event) => event.kind === "end")).toHaveLength(1);
});

it("says so where the model does not better itself", async () => {
  const text = call.replace("exec_command", "rm_rf");
  const run = await scanned(text);
  expect(run.asked).toHaveLength(2);
  expect(run.calls).toEqual([]);
  expect(run.text).toMatch(/could not be carried out.*rm_rf.*not declared/);
});

it("completes no call that the budget cut", async () => {
  const text = '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "rm -rf /tmp/x';
  const run = await scanned(text, {
    replies: [[...letters(text), { kind: "end", finishReason: "length", usage: null }]],
  });
  expect(run).toMatchObject({ calls: [], asked: [{}] });
  expect(run.text).not.toBe("");
});

it("does not hand on a call in the thinking when something was said behind it", async () => {
  const { text, reasoning, calls } = await scanned(`<think>I could write ${call}</think>No, better not.`);
  expect({ text, calls }).toEqual({ text: "No, better not.", calls: [] });
  expect(reasoning).toContain("<tool_call>");
});

it("without repair hands on only what needs none", async () => {
  const broken = call.replace('"ls"}', '"ls",}');
  expect((await scanned(broken)).calls).toEqual([{ cmd: "ls" }]);
  expect((await scanned(broken, { config: { disable: ["repair"] } })).calls).toEqual([]);
  expect((await scanned(call, { config: { disable: ["repair"] } })).calls).toEqual([{ cmd: "ls" }]);
});

it("gives out what it holds when the reply breaks off", async () => {
  const failed: AdapterEvent = { kind: "failed", failure: { status: 503, type: "x", code: null, message: "cut" } };
  const run = await scanned("", { replies: [[...letters("So far <tool"), failed]] });
  expect(run.text).toBe("So far <tool");
  expect(run.events.at(-1)).toBe(failed);
});
