import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { html, jsonForScript } from "../../../src/lab/report/html/escape.ts";
import { fitText } from "../../../src/lab/report/html/sample-data.ts";
import { hostile } from "./hostile-replies.ts";
import { rendered } from "./rendered.ts";
import { ahead, claim, qwenCall, tellRun } from "./sample-run.ts";

interface PageSample {
  readonly id: string;
  readonly replies: readonly {
    readonly texts: readonly {
      readonly field: string;
      readonly text: string;
      readonly marks: readonly [number, number, string][];
    }[];
  }[];
}

const pages = new Map<string, string>();
beforeAll(async () => {
  for (const lang of ["en", "ja"] as const) pages.set(lang, await rendered("html", lang));
});
const page = (lang = "en") => pages.get(lang) ?? "";

function elements(text: string, tag: string): { attributes: string; content: string }[] {
  return [...text.matchAll(new RegExp(`<${tag}([^>]*)>([\\s\\S]*?)</${tag}>`, "g"))].map((match) => ({
    attributes: match[1] ?? "",
    content: match[2] ?? "",
  }));
}

function unpacked(): PageSample[] {
  return elements(page(), "script")
    .filter(({ attributes }) => attributes.includes('class="packed"'))
    .flatMap(({ content }) => JSON.parse(gunzipSync(Buffer.from(content, "base64")).toString()) as PageSample[]);
}

describe.each(["en", "ja"])("html report in %s", (lang) => {
  it("allows its own script and style by hash and nothing else", () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page(lang))?.[1] ?? "";
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const scripts = elements(page(lang), "script").filter(({ attributes }) => attributes === "");
    const styles = elements(page(lang), "style");
    expect(scripts).toHaveLength(1);
    expect(styles).toHaveLength(1);
    expect(policy).toContain(`script-src ${hash(scripts[0]?.content ?? "")};`);
    expect(policy).toContain(`style-src ${hash(styles[0]?.content ?? "")};`);
    expect(policy).toMatch(/^default-src 'none'/);
    expect(policy).not.toContain("unsafe");
  });

  it("needs neither network nor inline handlers nor inline styles", () => {
    const markup = page(lang).replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, "");
    const tags = markup.match(/<[a-z][^>]*>/g) ?? [];
    expect(tags.filter((tag) => /\s(src|on\w+|style)=|href="(?!#)/.test(tag))).toEqual([]);
    expect(tags.length).toBeGreaterThan(200);
  });

  it("holds no markup that a model wrote", () => {
    expect(page(lang).includes("<script>alert")).toBe(false);
    expect(page(lang).includes("<img")).toBe(false);
    expect(page(lang).includes("&lt;/script&gt;&lt;script&gt;alert(&quot;owned&quot;)")).toBe(true);
  });

  it("names its language", () => {
    expect(page(lang).includes(`<html lang="${lang}">`)).toBe(true);
  });
});

describe("html report", () => {
  it("has data that parses back, one index line and one packed sample for each capture", () => {
    const data = Object.fromEntries(
      elements(page(), "script")
        .filter(({ attributes }) => attributes.includes("application/json"))
        .map(({ attributes, content }) => [/id="(\w+)"/.exec(attributes)?.[1], JSON.parse(content)]),
    );
    const ids = tellRun().captureList.map((capture) => capture.id);
    expect(data["index"].rows.map((row: string[]) => row[0])).toEqual(ids);
    expect(unpacked().map((sample) => sample.id)).toEqual(ids);
    expect(data["labels"].words.reportTitle).toBe("Tool-call report");
  });

  it("keeps every reply's text to the letter", () => {
    const texts = unpacked().flatMap((sample) =>
      sample.replies.flatMap((reply) => reply.texts.map((text) => text.text)),
    );
    for (const text of [hostile.script, hostile.terminal, hostile.formula, hostile.direction, hostile.long, qwenCall]) {
      expect(texts).toContain(text);
    }
  });

  it.each([
    ["thinkingcap-hermes.contract-matrix.seed-memorizable.native.body.1", "content", "call", qwenCall],
    ["thinkingcap-hermes.parser-mismatch.seed-memorizable.auto.stream.1", "raw", "call", qwenCall],
    ["thinkingcap-hermes.contract-matrix.seed-unmemorizable.marker.body.2", "content", "value_ahead", "e3b0c44298"],
    [
      "thinkingcap-hermes.contract-matrix.seed-unmemorizable.marker.body.2",
      "content",
      "call",
      ahead.slice(ahead.indexOf("{{")),
    ],
    ["agents-a1.contract-matrix.seed-memorizable.native.body.1", "content", "provenance_claim", claim],
  ])("marks the evidence of %s in its %s as %s", (id, field, kind, marked) => {
    const texts =
      unpacked()
        .find((sample) => sample.id === id)
        ?.replies.flatMap((reply) => reply.texts) ?? [];
    const found = texts
      .filter((text) => text.field === field)
      .flatMap((text) =>
        text.marks.filter((mark) => mark[2] === kind).map(([start, end]) => text.text.slice(start, end)),
      );
    expect(found).toEqual([marked]);
  });

  it("shows every state of a cell in words", () => {
    for (const words of ["not testable here", "not measured", "not rated", "not asked", "attempted 3/3"]) {
      expect(page().includes(words)).toBe(true);
    }
  });

  it("gives the fix as text to copy and says what is inferred", () => {
    expect(page().includes('data-copy="--tool-call-parser qwen3_coder"')).toBe(true);
    expect(page().includes("That the active parser is hermes is inferred")).toBe(true);
  });
});

describe("html escaping", () => {
  it("lets no text open or close markup, or leave an attribute", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { safe } = html`<p title="${text}">${text}</p>`;
        expect(safe.replace(/^<p title="|">|<\/p>$/g, "")).not.toMatch(/[<>"']/);
      }),
    );
  });

  it("writes JSON that ends no script and parses back", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constant(hostile.script)), (text) => {
        const { safe } = jsonForScript({ text });
        expect(safe).not.toContain("<");
        expect(JSON.parse(safe)).toEqual({ text });
      }),
    );
  });
});

describe("a text too long for the page", () => {
  it("keeps its head, and the marked evidence wherever it stands", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4990 }), (start) => {
        const text = Array.from({ length: 5000 }, (_, index) => String.fromCharCode(0x4e00 + (index % 997))).join("");
        const fitted = fitText(text, [{ start, end: start + 10, kind: "call" }], 1000);
        const [mark] = fitted.marks;
        expect(fitted.text.length).toBeLessThanOrEqual(1003);
        expect(fitted.text.slice(0, 500)).toBe(text.slice(0, 500));
        expect(fitted.text.slice(mark?.start, mark?.end)).toBe(text.slice(start, start + 10));
        expect(fitted.leftOut).toBeGreaterThan(0);
      }),
    );
  });
});
