import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/protocol/chat.ts";
import { toolCallFormats } from "../../src/protocol/formats/index.ts";
import { scanText } from "../../src/protocol/formats/scanner.ts";
import { type HandOn, type HandOnRequest, handOn, type TextEnd } from "../../src/protocol/hand-on.ts";

const tools: readonly Tool[] = [
  {
    type: "function",
    function: {
      name: "shell_exec",
      parameters: {
        type: "object",
        properties: { cmd: { type: "string" }, timeout_s: { type: "integer" } },
        required: ["cmd"],
      },
    },
  },
  { type: "function", function: { name: "server_uptime" } },
];

function hand(text: string, request: Partial<HandOnRequest> = {}, end: TextEnd = "stopped"): HandOn {
  return handOn(
    text,
    scanText(toolCallFormats, text),
    { tools, choice: "auto", namedTool: null, userText: "List the files, please.", ...request },
    end,
  );
}

const call = '<tool_call>\n{"name": "shell_exec", "arguments": {"cmd": "ls"}}\n</tool_call>';
const xml =
  "<tool_call>\n<function=shell_exec>\n<parameter=cmd>\nls\n</parameter>\n<parameter=timeout_s>\n30\n</parameter>\n</function>\n</tool_call>";

describe("what is handed on", () => {
  it.each([
    ["the whole reply", call],
    ["an own block after an announcement", `I'll list them.\n\n${call}`],
    ["right behind a finished sentence", `好的，我来查询。${call}`],
    ["a bare call as the whole reply", '{"name": "shell_exec", "parameters": {"cmd": "ls"}}'],
    ["a bare call after an announcement", 'Listing now:\n{"name": "shell_exec", "arguments": {"cmd": "ls"}}'],
    [
      "a fence that holds nothing else and ends the reply",
      'Running it.\n```json\n{"name": "shell_exec", "arguments": {"cmd": "ls"}}\n```',
    ],
  ])("hands on a call that stands where a call stands: %s", (_where, text) => {
    expect(hand(text).calls).toMatchObject([{ name: "shell_exec", arguments: { cmd: "ls" } }]);
  });

  it("types XML values by the schema", () => {
    expect(hand(xml).calls).toMatchObject([{ arguments: { cmd: "ls", timeout_s: 30 }, repairs: [] }]);
  });

  it.each([
    ["a refusal that quotes it", `I won't do that. I will not run ${call}`],
    ["a refusal before the block", `これは危険なので実行しません。\n\n${call}`],
    ["a documented example", `A Hermes model writes the call like this, for example:\n\n${call}`],
    ["a code span", `The tag is \`${call}\` in that format`],
    ["a fence with text behind it", `\`\`\`\n${call}\n\`\`\`\nThat is what a model would write.`],
    ["a quotation", `「${call}」`],
    ["the middle of a sentence", `The model wrote ${call} and stopped.`],
    ["a conditional offer", `If you want, I could run this:\n\n${call}`],
    [
      "bare JSON with prose behind it",
      '{"name": "shell_exec", "arguments": {"cmd": "ls"}}\nis what such a call looks like.',
    ],
  ])("leaves alone what only speaks of a call: %s", (_where, text) => {
    const { calls, residual } = hand(text);
    expect(calls).toEqual([]);
    expect(residual).toContain("shell_exec");
  });

  it("leaves an example alone that the user asked for", () => {
    expect(hand(call, { userText: "Show me an example of the Hermes format" }).calls).toEqual([]);
    expect(hand(`Sure.\n\n${call}`, { userText: "Show me an example of the Hermes format" }).calls).toEqual([]);
  });

  it.each([
    ["an undeclared tool", call.replace("shell_exec", "rm_all"), {}, "undeclared_tool"],
    ["arguments that do not fit", call.replace('"cmd": "ls"', '"command": "ls"'), {}, "arguments_do_not_fit"],
    ["any call under none", call, { choice: "none" as const }, "choice_none"],
    [
      "another than the named tool",
      call,
      { choice: "named" as const, namedTool: "server_uptime" },
      "not_the_named_tool",
    ],
  ])("rejects %s and says why", (_what, text, request, reason) => {
    const { calls, rejected } = hand(text, request);
    expect(calls).toEqual([]);
    expect(rejected).toMatchObject([{ reason }]);
  });

  it.each(["budget", "lost", "stopped"] as const)("never completes a cut call, however the text ended (%s)", (end) => {
    for (const whole of [call, xml, '{"name": "shell_exec", "arguments": {"cmd": "rm -rf build"}}']) {
      for (let cut = whole.indexOf("ls") === -1 ? 50 : whole.indexOf("ls") + 1; cut > 12; cut -= 3) {
        expect(hand(whole.slice(0, cut), {}, end).calls).toEqual([]);
      }
    }
  });

  it("closes brackets only when the text ended by itself, and never an open string", () => {
    const open = '<tool_call>\n{"name": "shell_exec", "arguments": {"cmd": "ls"}';
    expect(hand(open, {}, "stopped").calls).toMatchObject([
      { arguments: { cmd: "ls" }, repairs: [{ name: "missing_outer_brace", safety: "lossless" }] },
    ]);
    expect(hand(open, {}, "budget").calls).toEqual([]);
    expect(hand('<tool_call>\n{"name": "shell_exec", "arguments": {"cmd": "ls', {}, "stopped").calls).toEqual([]);
  });

  it.each([
    ["a trailing comma", '{"cmd": "ls",}', { cmd: "ls" }, ["trailing_comma"]],
    ["an object that was not closed", '{"cmd": "ls"', { cmd: "ls" }, ["missing_outer_brace"]],
    [
      "Python literals, and a null where none is allowed",
      '{"cmd": "ls", "timeout_s": None}',
      { cmd: "ls" },
      ["python_literals", "null_dropped"],
    ],
    ["a string inside a string", '"{\\"cmd\\": \\"ls\\"}"', { cmd: "ls" }, ["escaped_twice"]],
    ["a number as text", '{"cmd": "ls", "timeout_s": "30"}', { cmd: "ls", timeout_s: 30 }, ["types_by_schema"]],
    ["a raw line break in a string", '{"cmd": "echo a\nb"}', { cmd: "echo a\nb" }, ["raw_control_characters"]],
    ["an invalid escape", '{"cmd": "dir C:\\Work"}', { cmd: "dir C:\\Work" }, ["invalid_escapes"]],
  ])("repairs %s by name, and by no other", (_what, given, wanted, names) => {
    const { calls } = hand(`<tool_call>\n{"name": "shell_exec", "arguments": ${given}}\n</tool_call>`);
    expect(calls).toMatchObject([{ arguments: wanted }]);
    expect(calls[0]?.repairs.map(({ name }) => name)).toEqual(names);
  });

  it("hands on equal calls once and differing ones twice", () => {
    expect(hand(`${call}\n${call}`).calls).toHaveLength(1);
    expect(hand(`${call}\n${call.replace("ls", "pwd")}`).calls).toHaveLength(2);
  });

  it("leaves the user the text without the calls", () => {
    expect(hand(`First.\n\n${call}\n\nLast.`).residual).toBe("First.\n\nLast.");
  });
});
