import { describe, expect, it } from "vitest";
import { type GgufValue, ggufFile } from "../../../src/testbed/gguf/gguf-file.ts";
import { readGguf } from "./read-gguf.ts";

const metadata = new Map<string, GgufValue>([
  ["general.name", { type: "string", value: "素数" }],
  ["a.count", { type: "u32", value: 7 }],
  ["a.ratio", { type: "f32", value: 0.5 }],
  ["a.flag", { type: "bool", value: true }],
  ["a.words", { type: "strings", values: ["", "é", "\n"] }],
  ["a.scores", { type: "f32s", values: [-1, 0.25] }],
  ["a.types", { type: "i32s", values: [6, 3] }],
]);

describe("ggufFile", () => {
  it("writes values and tensors that a reader of the format finds again", () => {
    const rows = new Float32Array([1, 2, 3, 4, 5, 6]);
    const file = ggufFile(metadata, [
      { name: "rows", dimensions: [3, 2], data: rows },
      { name: "one", dimensions: [1], data: new Float32Array([9]) },
    ]);
    const read = readGguf(file);
    expect(read.version).toBe(3);
    expect(Object.fromEntries(read.metadata)).toEqual({
      "general.name": "素数",
      "a.count": 7,
      "a.ratio": 0.5,
      "a.flag": true,
      "a.words": ["", "é", "\n"],
      "a.scores": [-1, 0.25],
      "a.types": [6, 3],
    });
    expect(read.tensors.get("rows")).toEqual({ dimensions: [3, 2], data: rows });
    expect(read.tensors.get("one")?.data[0]).toBe(9);
    expect(file.length % 32).toBe(0);
  });

  it("holds a head larger than its first buffer", () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word ${index}`);
    const file = ggufFile(new Map([["words", { type: "strings", values: words }]]), []);
    expect(readGguf(file).metadata.get("words")).toEqual(words);
  });
});
