import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNdjsonDecoder, encodeNdjsonLine } from "../../src/protocol/ndjson.ts";
import { cutAt } from "./wire-files.ts";

const encoder = new TextEncoder();

function decode(pieces: readonly Uint8Array[], limit?: number) {
  const decoder = createNdjsonDecoder(limit === undefined ? {} : { limit });
  const lines = pieces.flatMap((piece) => decoder.push(piece));
  lines.push(...decoder.end());
  return { lines, problems: [...decoder.problems(), ...decoder.losses()] };
}

describe("reading NDJSON", () => {
  it.each<[string, string, [string, boolean][]]>([
    [
      "lines",
      '{"a":1}\n{"b":2}\n',
      [
        ['{"a":1}', true],
        ['{"b":2}', true],
      ],
    ],
    [
      "CRLF and blank lines",
      '\r\n{"a":1}\r\n\n  \n{"b":2}\r\n',
      [
        ['{"a":1}', true],
        ['{"b":2}', true],
      ],
    ],
    [
      "an unfinished last line",
      '{"a":1}\n{"b":',
      [
        ['{"a":1}', true],
        ['{"b":', false],
      ],
    ],
    ["a byte order mark", '\uFEFF{"a":1}\n', [['{"a":1}', true]]],
    ["a lone CR inside a line", '{"a":\r1}\n', [['{"a":\r1}', true]]],
    ["nothing", "", []],
  ])("%s", (_name, text, expected) => {
    expect(decode([encoder.encode(text)])).toEqual({
      lines: expected.map(([data, terminated]) => ({ data, terminated })),
      problems: [],
    });
  });

  it("drops a line over the limit and goes on", () => {
    expect(decode([encoder.encode(`${"x".repeat(30)}\n{}\n`)], 20)).toEqual({
      lines: [{ data: "{}", terminated: true }],
      problems: [expect.stringContaining("longer than 20")],
    });
  });

  it("gives the same lines for any chunking, whatever the bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .array(fc.constantFrom("{}", "\n", "\r\n", "\r", "あ", "\uFEFF", " "), { maxLength: 20 })
        .map((parts) => encoder.encode(parts.join(""))),
    );
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(bytes, places, (all, cuts) => void expect(decode(cutAt(all, cuts))).toEqual(decode([all]))),
      { numRuns: 300 },
    );
  });

  it("reads back what it writes", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (values) => {
        const { lines } = decode([encoder.encode(values.map(encodeNdjsonLine).join(""))]);
        expect(lines.map((line) => JSON.parse(line.data))).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });
});
