import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../../src/protocol/chat.ts";
import type { Piece, ToolCall } from "../../../src/protocol/formats/format.ts";
import { toolCallFormats } from "../../../src/protocol/formats/index.ts";
import { scanText } from "../../../src/protocol/formats/scanner.ts";
import { typeArguments } from "../../../src/protocol/tool-arguments.ts";
import { scanChunks } from "./hostile-text.ts";

interface Sample {
  readonly format: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

function fixture<Content>(name: string): Content {
  return JSON.parse(readFileSync(new URL(`../../fixtures/formats/${name}`, import.meta.url), "utf8")) as Content;
}

function found(pieces: readonly Piece[]): readonly Exclude<Piece, { kind: "text" }>[] {
  return pieces.flatMap((piece) => (piece.kind === "text" ? [] : [piece]));
}

/** Calls with raw texts typed by the tools' schemas. */
function calls(pieces: readonly Piece[], tools: readonly Tool[]): readonly ToolCall[] {
  return found(pieces)
    .flatMap((piece) => piece.calls)
    .map((call) => {
      const tool = tools.find((candidate) => candidate.function.name === call.name);
      const given = call.untyped ? typeArguments(tool, call.arguments) : call.arguments;
      return { name: call.name, arguments: given as ToolCall["arguments"] };
    });
}

const canonical = fixture<{
  marked: readonly (Sample & { id: string })[];
  stripped: readonly (Sample & { of: string; bare: boolean })[];
}>("canonical.json");

describe("canonical samples", () => {
  it.each(canonical.marked.map((sample) => [sample.id, sample] as const))("%s", (_id, sample) => {
    const pieces = scanText(toolCallFormats, sample.text);
    expect(pieces).toMatchObject([{ kind: "call", format: sample.format, start: 0, end: sample.text.length }]);
    expect(calls(pieces, [])).toEqual(sample.calls);
  });

  it.each(canonical.stripped.map((sample) => [sample.of, sample] as const))(
    "what is left of %s without its special tokens",
    (_of, sample) => {
      const pieces = scanText(toolCallFormats, sample.text);
      const { format, bare } = sample;
      expect(pieces).toMatchObject([{ kind: "call", format, bare, start: 0, end: sample.text.length }]);
      expect(calls(pieces, [])).toEqual(sample.calls);
    },
  );
});

describe("calls that servers leaked", () => {
  const leaked =
    fixture<readonly (Sample & { id: string; tools: readonly Tool[]; broken: readonly (string | null)[] })[]>(
      "leaked.json",
    );

  it.each(leaked.map((sample) => [sample.id, sample] as const))("%s", (_id, sample) => {
    const pieces = scanText(toolCallFormats, sample.text);
    expect(found(pieces).map(({ format }) => format)).toEqual(found(pieces).map(() => sample.format));
    expect(calls(pieces, sample.tools)).toEqual(sample.calls);
    expect(found(pieces).flatMap((piece) => (piece.kind === "broken" ? [piece.name] : []))).toEqual(sample.broken);
    expect(scanChunks(sample.text, () => 3)).toEqual(pieces);
  });
});
