import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CaseFile, readCase } from "../../../src/lab/classify/case-file.ts";
import { judgeCase } from "../../../src/lab/classify/score-cases.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";

const tools = [
  {
    type: "function",
    function: {
      name: "run_python",
      parameters: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    },
  },
];

function asCase(message: object, user = "do it"): CaseFile {
  const read = readCase(
    "hostile",
    JSON.stringify({
      request: { messages: [{ role: "user", content: user }] },
      tools,
      response: { choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }] },
    }),
  );
  if (read.kind === "problem") throw new Error(read.message);
  return read.file;
}

const called = (argumentsText: string): object => ({
  content: "",
  tool_calls: [{ id: "c", type: "function", function: { name: "run_python", arguments: argumentsText } }],
});

const size = 300_000;
const filled = (text: string): string => text.repeat(Math.ceil(size / text.length));

// A rule that looks at a text again for each of its characters needs minutes here, and longer than any test may take.
describe("a reply made to keep the judge busy is judged", () => {
  it.each([
    "「",
    "`",
    "```\n",
    "```bash\n$ ls\n",
    "<",
    "<tool_call>",
    "<think>",
    "</think>",
    '<tool_call>{"name":',
    "{",
    "[",
    '"',
    "\\",
    "\n",
    " ",
    ".",
    "1234567 ",
    "1,234,",
    "deadbeef",
    "I ran the script ",
    "using the python ",
    "here's the output of ",
    "I added the ",
    "Done. ",
    "file ",
    "Pythonで計算し",
    "調べて",
    "用工具算",
    "已经",
    "Action: run_python\nAction Input: x\n",
    "run_python(code=1) ",
    "functions.run_python:0",
    "<function=run_python>\n<parameter=code>\n",
    "{{PYTHON: x",
    "<|im_end|>",
  ])("of %j", (piece) => {
    for (const content of [filled(piece), `${filled(piece)}\nI ran it with Python.`])
      expect(judgeCase(asCase({ content, reasoning: filled(piece) }), true).id).toBe("hostile");
  });

  it.each(["what is the ", "write a ", "show me ", "give JSON ", "コードを", "写", " ", '"', "`"])(
    "to a turn of %j",
    (piece) => {
      expect(judgeCase(asCase({ content: "ok" }, filled(piece)), true).verdict).toBe("non_call");
    },
  );

  it.each([
    filled("{"),
    filled('{"code":"x"}'),
    `{"code": "${filled('a"')}`,
    filled('\\"'),
    filled(" "),
    filled("[1,"),
    `{"code":"${filled('",')}`,
    `json\n${filled(" ")}`,
  ])("with arguments without end (%#)", (argumentsText) => {
    expect(judgeCase(asCase(called(argumentsText)), true).id).toBe("hostile");
  });
});

describe("whatever a model writes", () => {
  const fragment = fc.oneof(
    fc.constantFrom(...toolCallFormats.flatMap((format) => format.openers)),
    fc.constantFrom(
      "</tool_call>",
      "</think>",
      "<think>",
      "```",
      "\n",
      "「",
      "」",
      "{{PYTHON: ",
      "}}",
      "Observation:",
      "run_python",
    ),
    fc.constantFrom(
      '{"name": "run_python", "arguments": {"code": "1"}}',
      "run_python(code='1')",
      '{"code": "1"}',
      "I ran it.",
    ),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
  );
  const text = fc.array(fragment, { maxLength: 24 }).map((parts) => parts.join(""));

  it("is judged without a fault, twice the same, and only declared tools with fitting arguments are handed on", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom("auto", "none"), (content, reasoning, choice) => {
        const base = asCase({ content, reasoning });
        const file = { ...base, request: { ...base.request, tool_choice: choice } } as CaseFile;
        const line = judgeCase(file, true);
        expect(judgeCase(file, true)).toEqual(line);
        if (choice === "none") expect(line.calls).toEqual([]);
        for (const call of line.calls)
          expect(call).toMatchObject({ name: "run_python", arguments: { code: expect.any(String) } });
      }),
      { numRuns: 400 },
    );
  });
});
