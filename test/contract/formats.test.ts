import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Piece, ToolCall, ToolCallFormat } from "../../src/protocol/formats/format.ts";
import { findFormat, toolCallFormats } from "../../src/protocol/formats/index.ts";
import { createScanner, scanText } from "../../src/protocol/formats/scanner.ts";
import { handOn } from "../../src/protocol/hand-on.ts";
import { callsOf, isNeverCutShort, readsBack, scansInAnyChunks } from "../protocol/formats/format-properties.ts";
import { scanChunks } from "../protocol/formats/hostile-text.ts";

/** Text between pieces, without the white space and separators that formats put there. */
function textBetween(pieces: readonly Piece[], whole: string): string {
  const parts = pieces.flatMap((piece) => (piece.kind === "text" ? [whole.slice(piece.start, piece.end)] : []));
  return parts.join("").replace(/[\s;,]/g, "");
}

describe.each(toolCallFormats.map((format) => [format.name, format] as const))("format %s", (_name, format) => {
  it("reads back what it renders", () => {
    fc.assert(readsBack(format), { numRuns: 80 });
  });

  it("gives no call with other arguments where the text is cut", () => {
    fc.assert(isNeverCutShort(format), { numRuns: 80 });
  });

  it("reads several calls of one reply in order", () => {
    const made: ToolCall[] = [
      { name: "first", arguments: { a: "1" } },
      { name: "second", arguments: { b: "x y" } },
      { name: "third", arguments: {} },
    ];
    const rendered = format.render(made);
    const pieces = scanText(toolCallFormats, rendered);
    expect(callsOf(pieces).map(({ name }) => name)).toEqual(["first", "second", "third"]);
    expect(pieces.filter(({ kind }) => kind === "broken")).toEqual([]);
    expect(textBetween(pieces, rendered)).toBe("");
  });

  it("makes no whole call of one that is cut anywhere before its arguments end", () => {
    const rendered = format.render([{ name: "run_python", arguments: { task: "add the numbers", limit: 10 } }]);
    const argumentsEnd = rendered.lastIndexOf("10") + 1;
    for (let cut = 1; cut <= argumentsEnd; cut++) {
      const pieces = scanText(toolCallFormats, rendered.slice(0, cut));
      expect(pieces.filter(({ kind }) => kind === "call")).toEqual([]);
      expect(callsOf(pieces)).toEqual([]);
    }
  });

  it("says that the text ends inside a call whose name has come", () => {
    const rendered = format.render([{ name: "run_python", arguments: { task: "add the numbers" } }]);
    const pieces = scanText(toolCallFormats, rendered.slice(0, rendered.indexOf("the numbers")));
    expect(pieces).toMatchObject([{ kind: "broken", reason: "cut", name: "run_python" }]);
  });

  it("keeps text in front of and behind a call as text", () => {
    const around = `計算するね。\n\n${format.render([{ name: "f", arguments: { a: "b" } }])}\n以上`;
    const pieces = scanText(toolCallFormats, around);
    expect(pieces.map(({ kind }) => kind)).toEqual(["text", "call", "text"]);
    expect(around.slice(pieces[0]?.start, pieces[0]?.end)).toBe("計算するね。\n\n");
    expect(around.slice(pieces[2]?.start, pieces[2]?.end)).toBe("\n以上");
  });

  it("reads the same from chunks of any size", () => {
    const rendered = `Let me look. ${format.render([
      { name: "first", arguments: { a: "x\ny", n: 3 } },
      { name: "second", arguments: {} },
    ])} Done.`;
    const whole = scanText(toolCallFormats, rendered);
    for (const size of [1, 2, 3, 7, 19]) expect(scanChunks(rendered, () => size)).toEqual(whole);
  });

  it("lets prose without its openers go at once", () => {
    const scanner = createScanner([format]);
    const prose = "Well, this is prose: numbers 1, 2 and 3. もう一文。And a last one ";
    expect(scanner.push(prose)).toEqual([{ kind: "text", start: 0, end: prose.length }]);
  });

  it("holds back what may become one of its openers, and nothing before it", () => {
    for (const form of [format, ...(format.residue === undefined ? [] : [format.residue])]) {
      const before = form.opensAt === "sentence" ? "Done.\n" : "Done: ";
      for (const opener of form.openers) {
        for (let length = 1; length < opener.length; length++) {
          const scanner = createScanner([format]);
          const held = opener.slice(0, length);
          expect(scanner.push(before + held)).toEqual([{ kind: "text", start: 0, end: before.length }]);
          const rest = scanner.push("\u0001 ").concat(scanner.end());
          expect(rest[0]?.start).toBe(before.length);
          expect(rest.at(-1)?.end).toBe(before.length + length + 2);
        }
      }
    }
  });

  it("takes twice the steps for twice the input, whatever is repeated", () => {
    const rendered = format.render([{ name: "f", arguments: { a: "b" } }]);
    const openers = [...format.openers, ...(format.residue?.openers ?? [])];
    for (const unit of [rendered, rendered.slice(0, -1), rendered.slice(0, rendered.length >> 1), ...openers]) {
      const steps = (length: number): number => {
        const scanner = createScanner(toolCallFormats);
        scanner.push(unit.repeat(length / unit.length));
        scanner.end();
        return scanner.steps();
      };
      expect(steps(20_000) / steps(10_000)).toBeLessThanOrEqual(2.3);
    }
  });
});

describe("a comma too many in the arguments", () => {
  const render = (format: ToolCallFormat) => format.render([{ name: "run_python", arguments: { task: "add" } }]);
  const written = toolCallFormats.filter((format) => render(format).includes('"add"}'));
  const tool = { name: "run_python", parameters: { type: "object", properties: { task: { type: "string" } } } };
  const tools = [{ type: "function" as const, function: tool }];

  it.each(written)("is the one thing that is wrong with a call in $name", (format) => {
    const text = render(format).replace('"add"}', '"add",}');
    const request = { tools, choice: "auto", namedTool: null, userText: "" } as const;
    const { calls } = handOn(text, scanText(toolCallFormats, text), request, "stopped");
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([["run_python", { task: "add" }]]);
    expect(calls[0]?.repairs.map(({ name }) => name)).toEqual(["trailing_comma"]);
  });
});

describe("the registry", () => {
  const fixture = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../fixtures/formats/${name}`, import.meta.url), "utf8"));

  it("holds every format of the catalogue once", () => {
    const names = toolCallFormats.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(fixture("names.json") as string[]));
  });

  it("names only parsers that the servers have", () => {
    const known = fixture("parser-names.json") as Record<string, string[]>;
    for (const format of toolCallFormats) {
      const { vllm, vllm010 = vllm, sglang, sglangNewer = [], ollama } = format.parsers;
      for (const [server, names] of Object.entries({ vllm, vllm010, sglang, sglangNewer, ollama })) {
        expect(known[server], `${format.name} on ${server}`).toEqual(expect.arrayContaining([...names]));
      }
    }
  });

  it("knows a format for every parser of vLLM and SGLang that reads calls from text", () => {
    const known = fixture("parser-names.json") as Record<string, string[]>;
    const covered = (server: "vllm" | "sglang"): string[] => toolCallFormats.flatMap(({ parsers }) => parsers[server]);
    expect(covered("vllm")).toEqual(expect.arrayContaining(known["vllm"] ?? []));
    expect(covered("sglang")).toEqual(expect.arrayContaining(known["sglang"] ?? []));
  });

  it("reads a format that another one writes too under the other's name", () => {
    for (const format of toolCallFormats) {
      if (format.readAs === undefined) continue;
      expect(findFormat(format.readAs)).toBeDefined();
      expect(format.openers).toEqual([]);
    }
  });
});

describe("the scanner over the whole registry", () => {
  it("gives the same pieces for any chunking, pieces that join to the input, and never throws", () => {
    fc.assert(scansInAnyChunks(), { numRuns: 600 });
  });
});
