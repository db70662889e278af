import { describe, expect, it } from "vitest";
import type { AskedTruth, KnownSetUp, SampleTruth } from "../../../src/protocol/known-truth.ts";
import { primeSumScripts } from "../../../src/testbed/scripts/prime-sum.ts";
import { truthReader } from "../../../src/testbed/truth/index.ts";

const vllm: KnownSetUp = {
  id: "hermes",
  server: "vllm",
  parser: true,
  format: "hermes",
  tools: "whole",
  grammar: "forced",
};
const openThink: KnownSetUp = { ...vllm, server: "llama-server", grammar: "after_trigger", opensThinking: true };
const textOf = (script: string): string => primeSumScripts.find((each) => each.script === script)?.text ?? "";
const right = [{ index: 0, function: { name: "run_python", arguments: '{"task": "1から1000までの素数を合計する"}' } }];

function truthOf(
  script: string,
  message: object,
  {
    setUp = vllm,
    asked = {},
    finish = "stop",
    generated = null,
  }: {
    readonly setUp?: KnownSetUp;
    readonly asked?: Partial<AskedTruth>;
    readonly finish?: string;
    readonly generated?: string | null;
  } = {},
): SampleTruth {
  const truth = primeSumScripts.find((each) => each.script === script);
  if (truth === undefined) throw new Error(`no script ${script}`);
  const seen = truthReader.observe(200, JSON.stringify({ choices: [{ message, finish_reason: finish }] }), false);
  return truthReader.truthOf(truth, setUp, { choice: "auto", marker: false, stream: false, ...asked }, seen, generated);
}

describe("what is true of a sample", () => {
  it("a foreign call that came back as text is the parser's doing", () => {
    expect(truthOf("xml", { content: textOf("xml") })).toMatchObject({ axes: ["leaked"], owners: ["server_parser"] });
  });

  it("one of which nothing came back is swallowed", () => {
    expect(truthOf("xml", { content: null })).toMatchObject({ axes: ["swallowed"], owners: ["server_parser"] });
  });

  it("the same without any parser is a missing option", () => {
    const setUp: KnownSetUp = { ...vllm, parser: false, format: null, grammar: "none" };
    expect(truthOf("xml", { content: textOf("xml") }, { setUp }).owners).toEqual(["server_option"]);
  });

  it.each<readonly [string, string, object, Parameters<typeof truthOf>[2], Partial<SampleTruth>]>([
    [
      "a call that was written is not lost by tools that were missing",
      "xml",
      { content: textOf("xml") },
      { setUp: { ...vllm, parser: false, format: null, grammar: "none", tools: "missing" } },
      { axes: ["leaked"], owners: ["server_option"] },
    ],
    [
      "words that the budget ended are the model's choice",
      "long",
      { content: textOf("long").slice(0, 300) },
      { finish: "length", generated: textOf("long").slice(0, 300) },
      { axes: ["none"], owners: ["model"] },
    ],
    [
      "thinking that the budget ended is the budget's",
      "long",
      { content: null, reasoning: textOf("long").slice(0, 300) },
      { finish: "length", generated: textOf("long").slice(0, 300) },
      { axes: ["none"], owners: ["budget"] },
    ],
    [
      "where no call was wanted nobody answers for there being none",
      "fabricated-en",
      { content: textOf("fabricated-en") },
      { asked: { choice: "none" } },
      { axes: ["none"], owners: ["none"], findings: ["direct_answer", "provenance_claim"] },
    ],
    [
      "tool_calls is a wrong end wherever none was served",
      "llama3",
      { content: "", reasoning: textOf("llama3") },
      { finish: "tool_calls", setUp: { ...vllm, opensThinking: true } },
      { axes: ["reasoning_only"], findings: ["finish_reason_wrong"] },
    ],
    [
      "a call that the parser of thinking lets into the content is a call under none",
      "only-in-think",
      { content: textOf("hermes"), reasoning: "This needs the tool." },
      { asked: { choice: "none" } },
      { axes: ["leaked"], owners: ["model"], findings: ["choice_violated"] },
    ],
    [
      "a call of the thinking that a grammar goes on after does not end it",
      "only-in-think",
      { content: "", reasoning: `This needs the tool.\n${textOf("hermes")}\nand so on` },
      {
        setUp: openThink,
        asked: { choice: "required" },
        finish: "length",
        generated: `This needs the tool.\n${textOf("hermes")}\nand so on`,
      },
      { axes: ["none"], owners: ["budget"] },
    ],
    [
      "a call that ends the thinking has one reading where the script says nothing more",
      "only-in-think",
      { content: "", reasoning: `This needs the tool.\n${textOf("hermes")}` },
      { setUp: openThink, generated: `This needs the tool.\n${textOf("hermes")}` },
      { axes: ["reasoning_only"], owners: ["server_parser"] },
    ],
  ])("%s", (_what, script, message, how, expected) => {
    expect(truthOf(script, message, how)).toMatchObject(expected);
  });

  it("a call that vLLM's grammar wrote is served, and a named one may end with stop", () => {
    const generated = '<tool_call>\n{"name": "run_python", "arguments": {"task": "x"}}\n</tool_call>';
    const asked = { choice: "named" } as const;
    const truth = truthOf("direct", { content: "", tool_calls: right }, { asked, generated });
    expect(truth).toMatchObject({ axes: ["structured"], owners: ["none"] });
    const auto = truthOf("hermes", { content: "", tool_calls: right });
    expect(auto.findings).toEqual(["finish_reason_wrong"]);
  });

  it("a direct answer is the model's choice, stated value and all", () => {
    expect(truthOf("direct", { content: "76127" })).toMatchObject({
      axes: ["none"],
      owners: ["model"],
      findings: ["direct_answer"],
    });
  });

  it("a reply that begins inside the thinking and never ends it is all thinking", () => {
    const truth = truthOf(
      "direct",
      { content: "", reasoning_content: "76127" },
      { setUp: openThink, generated: "76127" },
    );
    expect(truth).toMatchObject({ axes: ["none"], findings: ["reasoning_only_reply"] });
  });

  it("a script of one's own thinking is played from behind the opening", () => {
    const generated = textOf("think-answer").slice("<think>\n".length);
    const message = { content: "The sum is 76127.", reasoning_content: "I know this one." };
    const truth = truthOf("think-answer", message, { setUp: openThink, generated });
    expect(truth).toMatchObject({ axes: ["none"], findings: ["direct_answer"] });
  });
});
