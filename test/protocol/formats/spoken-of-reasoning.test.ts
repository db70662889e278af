import { describe, expect, it } from "vitest";
import { splitReasoning } from "../../../src/protocol/formats/reasoning.ts";

describe("thought and speech in one text", () => {
  it.each([
    ["<think>a</think>b", "a", "b"],
    ["\n<thinking>\na\n</thinking>\nb", "\na\n", "\nb"],
    ["a</think>b", "a", "b"],
    ["<seed:think>a</seed:think>b", "a", "b"],
    ["<think:x1>a</think:x1>b", "a", "b"],
    ["[THINK]a[/THINK]b", "a", "b"],
    ["<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b", "a", "b"],
    ["<|channel>thought\na<channel|>b", "a", "b"],
    ["<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "a", "b"],
    ["<|channel|>final<|message|>b", "", "b"],
    ["analysisWe think.assistantfinalb", "We think.", "b"],
    ["Here is my thought process: a Here is my response: b", " a ", " b"],
    ["<think>a</think>\n<think>c</think>b", "a", "b"],
  ])("%j", (text, inside, speech) => {
    const split = splitReasoning(text);
    expect(split.inside).toBe(inside);
    expect(text.slice(split.from)).toBe(speech);
    expect(text.slice(split.insideStart, split.insideStart + inside.length)).toBe(inside);
    expect(split.closed).toBe(true);
  });

  it("is all thought where the wrapper never closes", () => {
    expect(splitReasoning("<think>a b")).toMatchObject({ inside: "a b", insideStart: 7, from: 10, closed: false });
  });

  it.each([
    "plain words",
    "The `</think>` tag ends the thoughts.",
    "「</think>」で思考が終わります。",
    "Use <think> and </think> around it.",
    "analysis: the market grew.",
    "analysis of variance",
    "Here is my thought process: I add them.",
    "<|channel|>analysis to=functions.f<|message|>{}<|call|>",
  ])("is all speech where the tags are only spoken of: %j", (text) => {
    expect(splitReasoning(text)).toMatchObject({ inside: "", insideStart: 0, from: 0, closed: true });
  });
});
