import { describe, expect, it } from "vitest";
import type { AdapterEvent } from "../../../src/adapter/events.ts";
import { toolsRefused } from "../../../src/adapter/failures.ts";
import { choosePrompt, promptFormats, textFormatFor } from "../../../src/adapter/prompt/index.ts";
import { prompt } from "../../../src/adapter/stages/prompt.ts";
import { repair } from "../../../src/adapter/stages/repair.ts";
import { scan } from "../../../src/adapter/stages/scan.ts";
import { type ChatRequest, messageText } from "../../../src/protocol/chat.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { runStages } from "../stage-harness.ts";
import { shellTool } from "../support.ts";

const end: AdapterEvent = { kind: "end", finishReason: "stop", usage: null };
const request: ChatRequest = {
  model: "m",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where am I?" },
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [{ id: "a", type: "function", function: { name: "exec_command", arguments: '{"cmd":"pwd"}' } }],
    },
    { role: "tool", tool_call_id: "a", content: "/work" },
  ],
  tools: [shellTool as never],
  tool_choice: "auto",
  parallel_tool_calls: true,
};
const facts = (toolsInPrompt: "whole" | "damaged" | "missing" | "unknown") => ({
  reached: true,
  kind: "openai" as const,
  version: null,
  toolsInPrompt,
});
const run = (format: string, more: Partial<Parameters<typeof runStages>[0]> = {}) =>
  runStages({ stages: [prompt, repair, scan], request, config: { prompt: { format } }, ...more });

describe.each(promptFormats)("%s", (format) => {
  it("puts tools, calls and results into the prompt and leaves nothing of native tools", async () => {
    const { asked } = await run(format);
    const sent = asked[0];
    expect(Object.keys(sent ?? {})).toEqual(["model", "messages"]);
    expect(sent?.messages.map(({ role }) => role)).toEqual(["system", "system", "user", "assistant", "user"]);
    const [, tools = "", , call = "", result = ""] = (sent?.messages ?? []).map(messageText);
    for (const word of ["exec_command", "Runs a command.", "cmd", "yield_time_ms", "login"])
      expect(tools).toContain(word);
    expect(call).toMatch(/^Looking\./);
    expect(call).toMatch(/pwd/);
    expect(result).toContain("/work");
  });

  it("is told to the model in the very form that is read back", async () => {
    const written =
      toolCallFormats
        .find(({ name }) => name === format)
        ?.render([{ name: "exec_command", arguments: { cmd: "ls" } }]) ?? "";
    const { events } = await run(format, { replies: [[{ kind: "text", text: written }, end]] });
    expect(events.filter(({ kind }) => kind === "call")).toMatchObject([
      { call: { name: "exec_command", argumentsText: '{"cmd":"ls"}' } },
    ]);
  });
});

it("says what tool_choice would have said", async () => {
  const named = { type: "function" as const, function: { name: "exec_command" } };
  const text = async (choice: ChatRequest["tool_choice"]) =>
    messageText(
      (await run("hermes", { request: { ...request, tool_choice: choice } })).asked[0]?.messages[1] ?? { role: "" },
    );
  expect(await text("required")).toMatch(/must call a function now/);
  expect(await text(named)).toMatch(/must call the function exec_command now/);
  expect(await text("none")).toBe("Where am I?");
});

describe("auto", () => {
  it.each(["whole", "unknown"] as const)("leaves tools native where they are %s in the prompt", async (state) => {
    expect((await run("auto", { facts: facts(state) })).asked[0]).toEqual(request);
  });

  it.each(["missing", "damaged"] as const)("writes them where they are %s", async (state) => {
    const { asked, entries } = await run("auto", { facts: facts(state) });
    expect(asked[0]?.tools).toBeUndefined();
    expect(entries).toMatchObject([{ stage: "prompt", decision: "hermes", reason: expect.stringContaining(state) }]);
  });

  it("asks again with the tools in the prompt where the server refuses tools", async () => {
    const refused: AdapterEvent = {
      kind: "failed",
      failure: { status: 400, type: "x", code: toolsRefused, message: "does not support tools" },
    };
    const reply: AdapterEvent = {
      kind: "text",
      text: '<tool_call>\n{"name": "exec_command", "arguments": {"cmd": "ls"}}\n</tool_call>',
    };
    const { asked, events } = await run("auto", { facts: facts("unknown"), replies: [[refused], [reply, end]] });
    expect(asked.map((one) => one.tools !== undefined)).toEqual([true, false]);
    expect(events.map(({ kind }) => kind)).toEqual(["call", "end"]);
  });

  it("chooses the words of the model's family", () => {
    expect(
      ["Qwen3-Coder-30B-A3B", "hermes-3-llama-3.1-8b", "Llama-3.1-8B-Instruct", "Devstral-Small", "unheard-of"].map(
        textFormatFor,
      ),
    ).toEqual(["qwen3_coder", "hermes", "llama3_json", "mistral", "hermes"]);
    expect(choosePrompt("auto", facts("missing"), "llama3.2:3b").prompt?.format).toBe("llama3_json");
  });
});
