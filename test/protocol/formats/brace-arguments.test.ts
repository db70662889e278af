import { describe, expect, it } from "vitest";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";
import { scanChunks } from "./hostile-text.ts";

const forms = [
  ["gemma4", "<|tool_call>", "<tool_call|>", '<|"|>'],
  ["functiongemma", "<start_function_call>", "<end_function_call>", "<escape>"],
] as const;

describe.each(forms)("a call of %s that its closer ends too early", (format, opener, closer, quote) => {
  it.each([
    ["behind an open brace", "{"],
    ["behind a value", "{a:1,"],
    ["behind a string", `{a:${quote}x${quote},`],
    ["inside a string", `{a:${quote}x`],
    ["inside a list", "{a:[1,"],
    ["behind another opener", `{${opener}call:g:`],
    ["behind a lone bracket of a tag", "{a < b, "],
  ])("%s is damaged there, wherever the stream is cut", (_where, begun) => {
    const text = `${opener}call:f${begun}${closer} done`;
    const whole = scanText(toolCallFormats, text);
    expect(whole[0]).toMatchObject({ kind: "broken", format, reason: "malformed", start: 0, end: text.length - 5 });
    for (let at = 1; at < text.length; at++) {
      const sizes = [at, text.length - at].values();
      expect(scanChunks(text, () => sizes.next().value ?? 1)).toEqual(whole);
    }
  });
});
