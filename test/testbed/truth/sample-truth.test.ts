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
