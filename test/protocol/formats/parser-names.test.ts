import { describe, expect, it } from "vitest";
import { findFormat, toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { parserNamesFor } from "../../../src/protocol/formats/parser-names.ts";

describe("the option that reads a format", () => {
  it.each([
    ["qwen3_coder", "vllm", "0.27.1", "qwen3_coder"],
    ["qwen3_coder", "vllm", null, "qwen3_coder"],
    ["qwen3_coder", "vllm", "0.10.2", "qwen3_coder"],
    ["glm47", "vllm", "v0.28.0", "glm47"],
    ["glm47", "vllm", "0.10.1.1", undefined],
    ["minimax_m1", "vllm", "0.10.0", "minimax"],
    ["minimax_m1", "vllm", "0.27.0", undefined],
    ["gemma4", "sglang", "0.5.7", "gemma4"],
    ["gemma4", "ollama", "0.33.0", "gemma4"],
    ["bare_json", "vllm", "0.27.0", undefined],
  ] as const)("%s on %s %s", (name, kind, version, option) => {
    const format = findFormat(name);
    expect(format === undefined ? null : parserNamesFor(format, kind, version)[0]).toBe(option);
  });

  it("offers an old vLLM no more than a present one, but for what was dropped since", () => {
    for (const format of toolCallFormats) {
      const dropped = format.name === "minimax_m1" ? ["minimax"] : [];
      const present = [...parserNamesFor(format, "vllm", null), ...dropped];
      expect(present).toEqual(expect.arrayContaining([...parserNamesFor(format, "vllm", "0.10.0")]));
    }
  });
});
