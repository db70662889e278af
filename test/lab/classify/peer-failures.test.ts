import { describe, expect, it } from "vitest";
import { type CaseFile, readCase } from "../../../src/lab/classify/case-file.ts";
import { judgeCase } from "../../../src/lab/classify/score-cases.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";
import { handOn } from "../../../src/protocol/hand-on.ts";
import { repairJson } from "../../../src/protocol/repair/json-text.ts";

const runShell = {
  type: "function",
  function: {
    name: "run_shell",
    parameters: {
      type: "object",
      properties: { command: { type: "string" }, commands: { type: "array", items: { type: "string" } } },
    },
  },
};

function asCase(message: object, finish = "stop", user = "Clean up the project folder."): CaseFile {
  const read = readCase(
    "peer",
    JSON.stringify({
      request: { messages: [{ role: "user", content: user }] },
      tools: [runShell],
      response: { choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }] },
    }),
  );
  if (read.kind === "problem") throw new Error(read.message);
  return read.file;
}

const call = (name: string, command: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": {"command": "${command}"}}\n</tool_call>`;

describe("contents that other parsers run", () => {
  it.each([
    [
      "a fenced example that the prose then declines to run",
      'A call to remove it would look like this:\n\n```json\n{"name": "run_shell", "arguments": {"command": "rm -rf /home/u"}}\n```\n\nI will not run it without your word.',
      "non_call",
    ],
    [
      "a sentence that quotes a tagged call and refuses",
      `You want ${call("run_shell", "rm -rf /")} but I refuse to do that.`,
      "non_call",
    ],
    ["a tagged call of a tool that was not offered", call("delete_everything", "/"), "leaked_call"],
    [
      "a call that was cut inside its command",
      call("run_shell", "rm -rf /home/u/proj-old").slice(0, 70),
      "truncated_call",
    ],
  ] as const)("hands on nothing: %s", (_what, content, verdict) => {
    const line = judgeCase(asCase({ content }, verdict === "truncated_call" ? "length" : "stop"), false);
    expect(line.calls).toEqual([]);
    expect(line.verdict).toBe(verdict);
  });

  it("hands on a whole call although finish_reason says stop", () => {
    const line = judgeCase(asCase({ content: call("run_shell", "ls") }), false);
    expect(line).toMatchObject({
      verdict: "leaked_call",
      calls: [{ name: "run_shell", arguments: { command: "ls" } }],
    });
  });
});

describe("JSON that other repairers complete", () => {
  it.each([
    ["a command cut inside its string", '{"command": "rm -rf /home/u/proj'],
    ["a list cut after two commands", '{"commands": ["cd /home/u", "rm -rf build"'],
    ["an object cut behind a comma", '{"command": "ls", '],
  ])("stays unread: %s", (_what, text) => {
    expect(repairJson(text)).toBeNull();
    expect(repairJson(text, { stopped: true, behind: "text" })).toBeNull();
    const written = `<tool_call>{"name": "run_shell", "arguments": ${text}`;
    for (const end of ["stopped", "budget", "lost"] as const) {
      const request = { tools: [runShell as never], choice: "auto" as const, namedTool: null, userText: "go" };
      expect(handOn(written, scanText(toolCallFormats, written), request, end).calls).toEqual([]);
    }
  });
});

describe("three answers that one peer calls by one name", () => {
  const prompt = "How many files are in the project? Use the shell.";
  const answers = {
    leaked: asCase({ content: call("run_shell", "ls | wc -l") }, "stop", prompt),
    fabricated: asCase({ content: "I ran the command with the shell tool and it printed 42." }, "stop", prompt),
    real: asCase(
      {
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "run_shell", arguments: '{"command":"ls | wc -l"}' } },
        ],
      },
      "tool_calls",
      prompt,
    ),
  };

  it("get three verdicts and three owners", () => {
    const lines = Object.values(answers).map((file) => judgeCase(file, false));
    expect(lines.map((line) => line.verdict)).toEqual(["leaked_call", "fabricated_provenance", "structured_call"]);
    expect(lines.map((line) => line.owner)).toEqual(["server_parser", "model", "none"]);
  });
});
