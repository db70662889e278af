import { describe, expect, it } from "vitest";
import { reasoningWrappers, splitReasoning } from "../../../src/protocol/formats/reasoning.ts";

/** How a reply looks in each wrapper. */
const written: Readonly<Record<string, string>> = {
  think: "<think>THOUGHT</think>REPLY",
  seed_think: "<seed:think>THOUGHT</seed:think>REPLY",
  mm_think: "<mm:think>THOUGHT</mm:think>REPLY",
  mistral_think: "[THINK]THOUGHT[/THINK]REPLY",
  harmony_analysis: "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>final<|message|>REPLY",
  harmony_stripped: "analysisTHOUGHTassistantfinalREPLY",
  gemma4_thought: "<|channel>thought\nTHOUGHT<channel|>REPLY",
  cohere_thinking: "<|START_THINKING|>THOUGHT<|END_THINKING|><|START_RESPONSE|>REPLY",
  kimi_k3_think: "<|open|>think<|sep|>THOUGHT<|close|>think<|sep|><|open|>response<|sep|>REPLY",
  inkling_thinking: "<|message_model|><|content_thinking|>THOUGHT<|end_message|>REPLY",
  muse_self: "<|start|>assistant to=self<|message|>THOUGHT<|eom|>REPLY",
  granite_thought: "Here is my thought process:THOUGHTHere is my response:REPLY",
  apriel_steps: "Here are my reasoning steps:THOUGHT[BEGIN FINAL RESPONSE]REPLY",
};

describe.each(reasoningWrappers.map((wrapper) => [wrapper.name, wrapper] as const))("wrapper %s", (name, wrapper) => {
  const text = written[name] ?? "";

  it("is split off the reply", () => {
    const split = splitReasoning(`\n${text}`);
    expect(split).toMatchObject({ inside: "THOUGHT", closed: true, wrapper: name });
    expect(`\n${text}`.slice(split.insideStart, split.insideStart + 7)).toBe("THOUGHT");
    expect(`\n${text}`.slice(split.from)).toBe("REPLY");
  });

  it("holds all the rest where it is not closed, unless its opening is plain words", () => {
    const open = text.slice(0, text.indexOf("THOUGHT") + 7);
    const split = splitReasoning(open);
    if (wrapper.plainWords) expect(split).toMatchObject({ inside: "", from: 0, wrapper: null });
    else expect(split).toMatchObject({ inside: "THOUGHT", from: open.length, closed: false, wrapper: name });
  });

  it("needs no opening where templates put it into the prompt", () => {
    const close = text.slice(text.indexOf("THOUGHT"));
    const split = splitReasoning(close);
    if (wrapper.opensInPrompt) expect(split).toMatchObject({ inside: "THOUGHT", insideStart: 0, closed: true });
    else expect(split.wrapper).toBeNull();
  });
});

describe("thinking", () => {
  it("keeps the header of a call that follows it", () => {
    const text =
      "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}";
    expect(text.slice(splitReasoning(text).from)).toMatch(/^<\|start\|>assistant<\|channel\|>commentary/);
    const stripped = "analysisTHOUGHT.assistantcommentary to=functions.f json{}";
    expect(stripped.slice(splitReasoning(stripped).from)).toBe("commentary to=functions.f json{}");
  });

  it("may come in several blocks", () => {
    const text = "<think>one</think>\n<think>two</think>REPLY";
    expect(splitReasoning(text)).toMatchObject({ inside: "one", closed: true });
    expect(text.slice(splitReasoning(text).from)).toBe("REPLY");
  });

  it.each([
    "The closing tag is `</think>` in this family.",
    "Qwen writes <think>like this</think> first.",
    "analysis of the data: fine",
    "Nothing at all",
    "",
  ])("is not seen in %j", (text) => {
    expect(splitReasoning(text)).toEqual({ inside: "", insideStart: 0, from: 0, closed: true, wrapper: null });
  });
});
