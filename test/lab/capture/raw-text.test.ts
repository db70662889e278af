import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/lab/capture/capture.ts";
import { rawText } from "../../../src/lab/capture/raw-text.ts";
import { wireText } from "../../protocol/servers/fixture-server.ts";
import { readStored, storedExchange } from "./exchange-fixture.ts";

const hermesCall =
  '<tool_call>\n{"name": "run_python", "arguments": {"task": "1から1000までの素数の和を計算する"}}\n</tool_call>';
const xmlCall =
  '<tool_call>\n<function=search_notes>\n<parameter=query>\n味噌づくり\n</parameter>\n<parameter=tags>\n["料理", "発酵"]\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>';

/** What {@link rawText} sees of the first of some stored exchanges. */
const rawTextOf = ([judged, ...sides]: readonly [Exchange, ...Exchange[]]) =>
  rawText([judged, ...sides], 0, readStored(judged));
const subject = (file: string): Exchange => storedExchange(wireText(`side/${file}`));
const side = (file: string, purpose: Exchange["purpose"], more: Partial<Exchange> = {}): Exchange =>
  storedExchange(wireText(`side/${file}`), { hop: "side", purpose, parent: 0, ...more });

describe("rawText of recorded replies", () => {
  it.each([
    ["vllm-hermes-hermes-auto-ids.json", "vllm-detokenize-hermes.json", hermesCall],
    ["vllm-hermes-hermes-auto-ids-stream.sse", "vllm-detokenize-hermes.json", hermesCall],
    ["vllm-hermes-qwenxml-auto-ids.json", "vllm-detokenize-qwenxml.json", xmlCall],
    ["vllm-hermes-qwenxml-auto-ids-stream.sse", "vllm-detokenize-qwenxml.json", xmlCall],
    [
      "vllm-hermes-direct-auto-ids.json",
      "vllm-detokenize-direct.json",
      "The sum of the primes from 1 to 1000 is 76127.",
    ],
  ])("decodes the token ids of %s", (file, decoded, text) => {
    expect(rawTextOf([subject(file), side(decoded, "detokenize")])).toEqual({ text, grade: "in_band", exchange: 1 });
  });

  it.each([
    ["llama-server-hermes-hermes-auto-verbose.json", hermesCall],
    ["ollama-hermes-qwenxml-auto-logprobs.json", xmlCall],
    ["ollama-hermes-qwenxml-auto-logprobs-stream.sse", xmlCall],
    ["ollama-hermes-qwenxml-auto-api-logprobs-stream.ndjson", xmlCall],
    ["ollama-hermes-hermes-auto-logprobs.json", hermesCall],
    ["vllm-hermes-qwenxml-auto-logprobs.json", xmlCall],
    ["vllm-hermes-qwenxml-auto-logprobs-stream.sse", xmlCall],
  ])("reads the text that %s carries itself", (file, text) => {
    expect(rawTextOf([subject(file)])).toEqual({ text, grade: "in_band", exchange: 0 });
  });

  it("sees a swallowed call through a repetition with the same seed", () => {
    const swallowed = storedExchange(wireText("ollama-hermes-qwenxml-auto-stream.sse"));
    const replay = side("ollama-hermes-qwenxml-auto-logprobs.json", "logprobs_replay", {
      evidenceGrade: "same_seed_replay",
    });
    expect(rawTextOf([swallowed, replay])).toEqual({ text: xmlCall, grade: "same_seed_replay", exchange: 1 });
  });

  it("prefers the same seed to a second draw, whatever their order", () => {
    const failed = storedExchange(wireText("llama-server-hermes-hermes-auto-stream.sse"));
    const twin = side("llama-server-hermes-qwenxml-none-twin.json", "none_twin", {
      evidenceGrade: "second_generation",
    });
    const replay = side("llama-server-hermes-hermes-auto-verbose.json", "verbose_replay", {
      evidenceGrade: "same_seed_replay",
    });
    expect(rawTextOf([failed, twin, replay])).toMatchObject({ text: hermesCall, exchange: 2 });
    expect(rawTextOf([failed, twin])).toEqual({ text: xmlCall, grade: "second_generation", exchange: 1 });
  });

  it("has nothing for a stream whose verbose text is empty", () => {
    expect(rawTextOf([subject("llama-server-hermes-hermes-auto-verbose-stream.sse")])).toBeNull();
  });

  it("has nothing for ids that were not decoded, or not to a text", () => {
    const ids = subject("vllm-hermes-qwenxml-auto-ids.json");
    expect(rawTextOf([ids])).toBeNull();
    expect(rawTextOf([ids, side("vllm-detokenize-bad.json", "detokenize")])).toBeNull();
    expect(rawTextOf([ids, side("vllm-detokenize-qwenxml.json", "detokenize", { parent: 3 })])).toBeNull();
    expect(rawTextOf([ids, side("vllm-detokenize-qwenxml.json", "detokenize", { status: 500 })])).toBeNull();
  });
});

describe("the end token", () => {
  const reply = (finish: string | null): Exchange =>
    storedExchange(
      JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: finish, token_ids: [1] }],
      }),
    );
  const decoded = (text: string): Exchange =>
    storedExchange(JSON.stringify({ prompt: text }), { hop: "side", purpose: "detokenize", parent: 0 });

  it.each([
    ["a<|im_end|>", "stop", "a"],
    ["a</s>", "stop", "a"],
    ["a<｜end▁of▁sentence｜>", "tool_calls", "a"],
    ["a<|im_end|>", "length", "a<|im_end|>"],
    ["a<|im_end|>", null, "a<|im_end|>"],
    ["a<|im_end|><|im_end|>", "stop", "a<|im_end|>"],
    ["a<|im_end|> b", "stop", "a<|im_end|> b"],
    ["a<|tool_calls_section_end|>", "stop", "a<|tool_calls_section_end|>"],
    ["a</tool_call>", "stop", "a</tool_call>"],
  ])("%s with finish %s leaves %s", (text, finish, left) => {
    expect(rawTextOf([reply(finish), decoded(text)])?.text).toBe(left);
  });
});
