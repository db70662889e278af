import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Piece, ToolCall } from "../../src/protocol/formats/format.ts";
import { toolCallFormats } from "../../src/protocol/formats/index.ts";
import { createScanner, scanText } from "../../src/protocol/formats/scanner.ts";
import { typeArguments } from "../../src/protocol/tool-arguments.ts";

/** Pieces of a chunked scan with neighbouring text joined, as a whole scan gives them. */
function scanChunks(chunks: readonly string[]): readonly Piece[] {
  const scanner = createScanner(toolCallFormats);
  const pieces: Piece[] = [];
  for (const piece of [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()]) {
    const last = pieces.at(-1);
    if (piece.kind === "text" && last?.kind === "text") pieces[pieces.length - 1] = { ...last, end: piece.end };
    else pieces.push(piece);
  }
  return pieces;
}

const word = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
/** Values as tools take them. Line breaks at the ends of a value are layout in XML-like formats, so none stand there. */
const value = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replace(/^[\r\n]+|[\r\n]+$/g, "")),
  fc.constantFrom("print('a')\nprint(\"b\")", '{"x": [1, 2]}', "素数の和 <b> & </p>", "1から1000まで", 'a\\b"c'),
);
const call: fc.Arbitrary<ToolCall> = fc.record({ name: word, arguments: fc.dictionary(word, value, { maxKeys: 4 }) });
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "<tool_call>",
    "</tool_call>",
    "<function=",
    "<function=f>",
    "<parameter=",
    "<parameter=p>",
    "</parameter>",
  ),
  fc.constantFrom(
    "</function>",
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    '{"name": "f", "arguments": {',
    '{"name": "f", "parameters": {}}',
    "\n",
    " ",
    "<",
  ),
);

describe.each(toolCallFormats.map((format) => [format.name, format] as const))("format %s", (_name, format) => {
  it("reads back what it renders", () => {
    fc.assert(
      fc.property(call, (made) => {
        // A value that holds this format's own markup is ambiguous by design of the format.
        fc.pre(!/<\/?(?:tool_call|function|parameter)/.test(JSON.stringify(made)));
        const text = format.render([made]);
        const pieces = scanText(toolCallFormats, text);
        expect(pieces).toMatchObject([{ kind: "call", format: format.name, start: 0, end: text.length }]);
        const [piece] = pieces;
        expect(
          piece?.kind === "call" ? piece.calls.map(({ name, arguments: given }) => ({ name, arguments: given })) : null,
        ).toEqual([made]);
      }),
    );
  });

  it("reads several calls of one reply in order", () => {
    const made: ToolCall[] = [
      { name: "first", arguments: { a: "1" } },
      { name: "second", arguments: {} },
    ];
    const pieces = scanText(toolCallFormats, format.render(made));
    const names = pieces.flatMap((piece) => (piece.kind === "call" ? piece.calls.map(({ name }) => name) : []));
    expect(names).toEqual(["first", "second"]);
  });

  it("calls a rendered call that is cut anywhere inside its arguments no whole call", () => {
    const text = format.render([{ name: "run_python", arguments: { task: "add the numbers from 1 to 10" } }]);
    const inside = text.indexOf("numbers");
    for (let cut = text.indexOf("run_python") + 12; cut < inside + 4; cut++) {
      const pieces = scanText(toolCallFormats, text.slice(0, cut));
      expect(pieces.some((piece) => piece.kind === "call")).toBe(false);
    }
  });

  it("keeps text in front of and behind a call as text", () => {
    const text = `計算するね。\n\n${format.render([{ name: "f", arguments: { a: "b" } }])}\n以上`;
    const pieces = scanText(toolCallFormats, text);
    expect(pieces.map(({ kind }) => kind)).toEqual(["text", "call", "text"]);
    expect(text.slice(pieces[0]?.start, pieces[0]?.end)).toBe("計算するね。\n\n");
    expect(text.slice(pieces[2]?.start, pieces[2]?.end)).toBe("\n以上");
  });
});

describe("the scanner over the whole registry", () => {
  it("gives the same pieces for any chunking, and pieces that join to the input", () => {
    fc.assert(
      fc.property(
        fc.array(hostile, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (parts, sizes) => {
          const text = parts.join("");
          const chunks: string[] = [];
          for (let from = 0; from < text.length; ) {
            const size = sizes.next().value ?? 1;
            chunks.push(text.slice(from, from + size));
            from += size;
          }
          const whole = scanText(toolCallFormats, text);
          expect(scanChunks(chunks)).toEqual(whole);
          let at = 0;
          for (const piece of whole) {
            expect(piece.start).toBe(at);
            expect(piece.end).toBeGreaterThan(piece.start);
            at = piece.end;
          }
          expect(at).toBe(text.length);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("lets text go at once that opens nothing, and holds back only what may be an opener", () => {
    const scanner = createScanner(toolCallFormats);
    expect(scanner.push("Hello, world. ")).toEqual([{ kind: "text", start: 0, end: 14 }]);
    expect(scanner.push("a <tool")).toEqual([{ kind: "text", start: 14, end: 16 }]);
    expect(scanner.push("box> b")).toEqual([{ kind: "text", start: 16, end: 27 }]);
    expect(scanner.push('{"title": 1')).toEqual([{ kind: "text", start: 27, end: 38 }]);
    expect(scanner.push('{"name": "not a tool')).toEqual([]);
    expect(scanner.push('", "age": 3}')).toEqual([{ kind: "text", start: 38, end: 70 }]);
  });

  it.each([
    ["open tags", "<tool_call>"],
    ["open functions", "<function=a>"],
    ["nested braces", "{"],
    ["nested lists", "["],
    ["nested call-like objects", '{"name":"x","arguments":'],
    ["call-like lists", '[{"name":"x","arguments":{}},'],
    ["less-than signs", "<"],
    ["closers inside a value", "</parameter>"],
    ["backslashes", "\\"],
    ["quotes", '{"name": "'],
    ["blanks", "{ "],
  ])("takes twice the steps for twice the input: %s", (_what, unit) => {
    for (const opening of ["", '<tool_call>{"name":"x","arguments":{"a":"', "<tool_call><function=a><parameter=b>"]) {
      const steps = (length: number): number => {
        const scanner = createScanner(toolCallFormats);
        scanner.push(opening + unit.repeat(length / unit.length));
        scanner.end();
        return scanner.steps;
      };
      expect(steps(40_000) / steps(20_000)).toBeLessThanOrEqual(2.3);
    }
  });

  it("ends a call with its JSON object, not with a close tag inside a string", () => {
    const text = '<tool_call>{"name": "put_file", "arguments": {"text": "ends with </tool_call> here"}}</tool_call>';
    expect(scanText(toolCallFormats, text)).toMatchObject([{ kind: "call", end: text.length }]);
  });

  it("keeps a protocol quotation inside an XML value", () => {
    const body = 'The model wrote:\n<tool_call>\n{"name":"x"}\n</tool_call>\nand </parameter> too';
    const text = `<tool_call>\n<function=put_file>\n<parameter=text>\n${body}\n</parameter>\n</function>\n</tool_call>`;
    expect(scanText(toolCallFormats, text)).toMatchObject([{ kind: "call", calls: [{ arguments: { text: body } }] }]);
  });

  it("reads an XML value whose closing tag is missing up to the next parameter", () => {
    const text = "<function=f>\n<parameter=a>\none\n<parameter=b>\ntwo\n</function>";
    expect(scanText(toolCallFormats, text)).toMatchObject([
      { kind: "call", calls: [{ arguments: { a: "one", b: "two" } }] },
    ]);
  });

  it("takes a tool's definition and other JSON for what they are", () => {
    for (const text of [
      '{"name": "get", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}',
      '{"name": "Ines", "age": 31}',
      '[{"name": "bo"}, {"age": 3}]',
      '{"type": "object", "title": "x"}',
    ]) {
      expect(scanText(toolCallFormats, text)).toEqual([{ kind: "text", start: 0, end: text.length }]);
    }
  });

  it("types raw XML values by the tool's schema and leaves strings alone", () => {
    const tool = {
      type: "function" as const,
      function: {
        name: "f",
        parameters: {
          type: "object",
          properties: {
            n: { type: "integer" },
            s: { type: "string" },
            list: { type: "array" },
            b: { type: "boolean" },
            either: { anyOf: [{ type: "null" }, { type: "number" }] },
          },
        },
      },
    };
    expect(typeArguments(tool, { n: "30", s: "30", list: '["a"]', b: "True", either: "2.5", other: "7" })).toEqual({
      n: 30,
      s: "30",
      list: ["a"],
      b: true,
      either: 2.5,
      other: "7",
    });
  });
});
