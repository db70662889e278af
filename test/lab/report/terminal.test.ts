import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { cutToWidth, wrap } from "../../../src/lab/report/console/terminal-layout.ts";
import { visibleText } from "../../../src/lab/report/terminal-text.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

describe("visibleText", () => {
  it.each([
    ["\u001b[31m", "\\x1b[31m"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\u009b1A\u007f", "\\x9b1A\\x7f"],
    ["\u202egnp\u200b", "\\u202egnp\\u200b"],
    ["\ud800x", "\\ud800x"],
    ["\u{e0041}", "\\u{e0041}"],
    ["計算は✨ Python café", "計算は✨ Python café"],
  ])("writes %j as %j", (text, visible) => {
    expect(visibleText(text)).toBe(visible);
  });

  it("leaves nothing that acts instead of being seen", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

describe("terminal layout", () => {
  it("cuts any text to the width asked for", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 80 }), (text, width) => {
        expect(stringWidth(cutToWidth(visibleText(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("cuts a text of endless combining marks short", () => {
    expect(cutToWidth(`a${"\u0301".repeat(100_000)}b`, 10).length).toBeLessThan(200);
  });

  it("wraps any text within the width and loses no visible character", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 10, max: 80 }), (raw, width) => {
        const text = visibleText(raw);
        const lines = wrap(text, width);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      }),
    );
  });

  it("never begins a Japanese line with closing punctuation", () => {
    const lines = wrap(
      "サーバーのパーサーが読み取れていません。起動オプションを直してください、すぐに。".repeat(4),
      20,
    );
    expect(lines.filter((line) => /^[。、）」]/.test(line))).toEqual([]);
  });
});
