import { describe, expect, it } from "vitest";
import type { ConformanceOutcome } from "../../../src/protocol/known-truth.ts";
import { primeSumScripts } from "../../../src/testbed/scripts/prime-sum.ts";
import { truthReader } from "../../../src/testbed/truth/index.ts";

const task = "1から1000までの素数を合計する";
const served = (...calls: readonly (readonly [string, string])[]) => ({
  tool_calls: calls.map(([name, text], index) => ({ index, function: { name, arguments: text } })),
});
const right = ["run_python", JSON.stringify({ task })] as const;

function outcome(script: string, message: object, finish = "stop"): ConformanceOutcome {
  const truth = primeSumScripts.find((each) => each.script === script);
  if (truth === undefined) throw new Error(`no script ${script}`);
  const body = JSON.stringify({ choices: [{ message, finish_reason: finish }] });
  return truthReader.outcomeOf(truth, truthReader.observe(200, body, false));
}

const textOf = (script: string): string => primeSumScripts.find((each) => each.script === script)?.text ?? "";

describe("what a server made of a script", () => {
  it.each<readonly [string, string, object, ConformanceOutcome]>([
    ["a call as it was written", "hermes", { content: "", ...served(right) }, "call"],
    ["one with other arguments", "hermes", served(["run_python", '{"task": "x"}']), "mangled"],
    ["one of another name", "hermes", served(["python", right[1]]), "mangled"],
    ["one with arguments that are no JSON", "hermes", served(["run_python", '{"task": "1']), "mangled"],
    ["one call of two", "two-hermes", served(right), "mangled"],
    ["a call that was cut, closed by the server", "cut-hermes", served(right), "mangled"],
    ["a call as text", "xml", { content: textOf("xml") }, "leaked"],
    ["nothing at all of a call", "xml", { content: null }, "swallowed"],
    ["only what stood before it", "text-xml", { content: "Pythonに任せるね。\n" }, "swallowed"],
    ["nothing but its opening tag", "xml", { content: "\n<tool_call>\n" }, "swallowed"],
    ["half of a call", "xml", { content: textOf("xml").slice(0, 40) }, "leaked"],
    ["a call in the reasoning", "xml", { content: null, reasoning: textOf("xml") }, "reasoning"],
    ["a call that nobody wrote", "direct", { content: "76127", ...served(right) }, "forced"],
    ["a call made of an example", "quoted-hermes", served(["run_python", '{"task": "example"}']), "quoted"],
    ["a plain answer", "direct", { content: "76127" }, "text"],
    ["a plain answer that a grammar made go on", "direct", { content: "76127####" }, "text"],
    ["a plain answer as reasoning", "direct", { content: null, reasoning_content: "76127" }, "reasoning"],
    ["a plain answer that is gone", "direct", { content: "" }, "lost_text"],
    ["an empty reply to an empty script", "empty", { content: "" }, "text"],
    ["a marker", "marker", { content: textOf("marker") }, "text"],
  ])("%s", (_what, script, message, expected) => {
    expect(outcome(script, message)).toBe(expected);
  });

  it("compares arguments without their order", () => {
    const truth = {
      script: "two-keys",
      text: "x",
      parts: [
        {
          start: 0,
          end: 1,
          thinking: false,
          meaning: { kind: "call", format: "hermes", name: "f", arguments: { a: 1, b: [2] }, state: "whole" },
        },
      ],
    } as const;
    const body = JSON.stringify({ choices: [{ message: served(["f", '{"b":[2],"a":1}']) }] });
    expect(truthReader.outcomeOf(truth, truthReader.observe(200, body, false))).toBe("call");
  });

  it.each<readonly [string, number, string, boolean, ConformanceOutcome]>([
    [
      "Ollama's refusal of tools",
      400,
      '{"error":{"message":"registry.ollama.ai/library/x:latest does not support tools"}}',
      false,
      "refused",
    ],
    [
      "vLLM without a parser",
      400,
      '{"error":{"message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}}',
      true,
      "refused",
    ],
    ["a failure on the output", 500, '{"error":{"message":"Failed to parse"}}', false, "error"],
    ["an error inside a stream", 200, 'data: {"error":{"message":"EOF"}}\n\n', true, "error"],
    ["a stream that broke off", 200, 'data: {"choices":[{"delta":{"content":"7"}}]}\n\n', true, "error"],
    ["bytes that are no JSON", 502, "<html>Bad gateway</html>", false, "error"],
  ])("%s", (_what, status, body, stream, expected) => {
    const truth = primeSumScripts.find(({ script }) => script === "hermes");
    if (truth === undefined) throw new Error("no script");
    expect(truthReader.outcomeOf(truth, truthReader.observe(status, body, stream))).toBe(expected);
  });
});
