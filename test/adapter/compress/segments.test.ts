import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { relevance } from "../../../src/adapter/compress/relevance.ts";
import { splitSegments } from "../../../src/adapter/compress/segments.ts";
import { textRank } from "../../../src/adapter/compress/text-rank.ts";
import { utf8Length } from "../../../src/adapter/compress/text-size.ts";
import { wordSplitter } from "../../../src/adapter/compress/words.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", " ", "\n", ".", "。", "日", "😀", ",", "\ud800"),
  maxLength: 900,
});

describe("segments", () => {
  it("join to the text, and cut through no span", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("lines", "sentences"), fc.nat(), fc.nat(40), (words, shape, at, length) => {
        const start = words.length === 0 ? 0 : at % words.length;
        const span = { start, end: Math.min(words.length, start + length) };
        const segments = splitSegments(words, shape as "lines" | "sentences", span.end > span.start ? [span] : []);
        expect(segments.map((one) => words.slice(one.start, one.end)).join("")).toBe(words);
        for (const { end } of segments) expect(end > span.start && end < span.end).toBe(false);
      }),
    );
  });

  it("are one for each loose stretch, and join to the text around them", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("lines", "sentences"), fc.nat(), fc.nat(600), (words, shape, at, length) => {
        const start = words.length === 0 ? 0 : at % words.length;
        const stretch = { start, end: Math.min(words.length, start + length) };
        const loose = stretch.end > start ? [stretch] : [];
        const segments = splitSegments(words, shape as "lines" | "sentences", [], loose);
        expect(segments.map((one) => words.slice(one.start, one.end)).join("")).toBe(words);
        for (const one of loose) expect(segments).toContainEqual(one);
      }),
    );
  });

  it("are lines of output and sentences of prose", () => {
    const prose = "One is here. 二つ目です。Three!\n\nfour";
    const cut = (shape: "lines" | "sentences") =>
      splitSegments(prose, shape, []).map(({ start, end }) => prose.slice(start, end));
    expect(cut("sentences")).toEqual(["One is here. ", "二つ目です。", "Three!\n\n", "four"]);
    expect(cut("lines")).toEqual(["One is here. 二つ目です。Three!\n\n", "four"]);
  });
});

describe("size of a text", () => {
  it("is that of its UTF-8", () => {
    fc.assert(
      fc.property(text, (words) => {
        expect(utf8Length(words)).toBe(new TextEncoder().encode(words).length);
      }),
    );
  });
});

describe("relevance", () => {
  it("is highest where a text shares rare words with the question, in either language", () => {
    const texts = ["the disk is full", "the sky is blue", "メモリ不足で停止しました", "空はとても青い"];
    const best = (question: string) => {
      const scores = relevance(texts, question);
      return texts[scores.indexOf(Math.max(...scores))];
    };
    expect(best("why is the disk so slow?")).toBe(texts[0]);
    expect(best("メモリはどうなっていますか")).toBe(texts[2]);
  });

  it("is nothing where no word is shared, or none asked", () => {
    expect(relevance(["a b c", "d"], "xyz")).toEqual([0, 0]);
    expect(relevance(["a b c", "d"], "?!")).toEqual([0, 0]);
  });

  it("finds words without a dictionary in very long texts", () => {
    const many = [...Array.from({ length: 3000 }, () => "空はとても青い"), "メモリ不足"];
    const scores = relevance(many, "メモリ");
    expect(scores.at(-1)).toBeGreaterThan(0);
    expect(scores[0]).toBe(0);
  });
});

describe("words", () => {
  it("sends nothing but text outside ASCII through the dictionary", () => {
    expect(wordSplitter(5)("Run foo_bar.TS メモリが不足した now")).toEqual([
      "run",
      "foo",
      "bar",
      "ts",
      "now",
      "メモリ",
      "不足",
      "した",
    ]);
  });
});

describe("TextRank", () => {
  it("puts the sentence that the others speak of first", () => {
    const ranks = textRank([
      "the cache stores pages and the server reads the cache",
      "pages live in the cache",
      "the server is old",
      "lunch was fine",
    ]);
    expect(ranks[0]).toBe(1);
    expect(ranks[3]).toBe(Math.min(...ranks));
  });
});
