import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../src/testbed/scripted/cut-scripts.ts";
import {
  mostScripts,
  type ScriptedModelOptions,
  scriptedGguf,
  scriptMarker,
} from "../../../src/testbed/scripted/scripted-gguf.ts";
import { primeSumScripts } from "../../../src/testbed/scripts/prime-sum.ts";
import { readGguf } from "../gguf/read-gguf.ts";
import { play } from "./play.ts";

const tags = ["<tool_call>", "</tool_call>", "<think>", "</think>"];
const one = (name: string, text: string): Script => ({ name, branches: [{ probability: 1, text }] });

function model(scripts: readonly Script[], more: Partial<ScriptedModelOptions> = {}): Uint8Array {
  return scriptedGguf({ name: "m", scripts, fallback: scripts[0]?.name ?? "", tags, align: ["<tool_call>\n"], ...more })
    .file;
}

function prompt(user: string, end = "<|im_start|>assistant\n"): string {
  return `<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n${end}`;
}

const published = primeSumScripts.map(({ script, text }) => one(script, text));

describe("a scripted model", () => {
  const file = model(published);

  it.each(primeSumScripts.map((truth) => [truth.script, truth] as const))(
    "writes the text of %s exactly",
    (name, truth) => {
      expect(play(file, prompt(`How much? ${scriptMarker(name)}`))).toBe(truth.text);
    },
  );

  it("plays the last script that the prompt asks for, in whatever message", () => {
    const both = `${scriptMarker("direct")} and then\nsomething else, ${scriptMarker("smalltalk")} it says`;
    expect(play(file, prompt(both))).toBe(primeSumScripts.find(({ script }) => script === "smalltalk")?.text);
  });

  it("plays its fallback where the prompt asks for none, and after every end of a generation prompt", () => {
    const text = "76127";
    expect(play(file, prompt("How much?"))).toBe(text);
    for (const end of ["<|start_header_id|>assistant<|end_header_id|>\n\n", "<think>\n\n</think>\n\n", "model says\n"])
      expect(play(file, prompt("How much?", end))).toBe(text);
  });

  it("is the same to the byte in every run, and another with other scripts", () => {
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    expect(digest(model(published))).toBe(digest(file));
    expect(digest(model(published.slice(1)))).not.toBe(digest(file));
  });

  it("writes whatever it is told, in pieces of any length", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (written, pieceLength) => {
        const scripts = written.filter((text) => !text.includes("<|")).map((text, index) => one(`s${index}`, text));
        if (scripts.length === 0) return;
        const bytes = model(scripts, { pieceLength });
        for (const { name, branches } of scripts)
          expect(play(bytes, prompt(scriptMarker(name)))).toBe(branches[0]?.text);
      }),
      { numRuns: 25 },
    );
  });

  it("takes the likelier of two branches, and holds their probabilities at its temperature", () => {
    const script: Script = {
      name: "branch",
      branches: [
        { probability: 0.25, text: "Heads it is." },
        { probability: 0.75, text: "Tails, tails, tails." },
      ],
    };
    const bytes = model([script]);
    expect(play(bytes, prompt("Toss."))).toBe("Tails, tails, tails.");
    const { metadata, tensors } = readGguf(bytes);
    const texts = metadata.get("tokenizer.ggml.tokens") as string[];
    const width = metadata.get("llama.embedding_length") as number;
    const logit = (text: string): number => {
      const [to, from] = [texts.indexOf(text), texts.indexOf("assistant\n")];
      const output = tensors.get("output.weight")?.data ?? new Float32Array();
      const part = (at: number) => (output[to * width + at] ?? 0) * Math.sqrt(width / 2);
      return part(from) + part(texts.length);
    };
    const odds = Math.exp((logit("Tails") - logit("Heads")) / 0.7);
    expect(odds).toBeCloseTo(3, 3);
  });

  it("ends a token where the trigger of a grammar ends, however many scripts begin with it", () => {
    const scripts = Array.from({ length: 30 }, (_, index) => one(`c${index}`, `<tool_call>\n{"name": "t${index}"}`));
    const { metadata } = readGguf(model(scripts));
    const texts = metadata.get("tokenizer.ggml.tokens") as string[];
    const crossing = texts.filter((text) => /\n\{|>\n/.test(text) && !text.startsWith("<|") && !text.includes("think"));
    expect(crossing).toEqual([]);
    // A token that is the trigger itself makes a server refuse every request with tools.
    expect(texts).not.toContain("<tool_call>\n");
  });
});

describe("scripts that cannot become a model", () => {
  it.each<readonly [string, Partial<ScriptedModelOptions>, RegExp]>([
    [
      "more than a head can tell apart",
      { scripts: Array.from({ length: mostScripts + 1 }, (_, i) => one(`s${i}`, "x")) },
      /^a model plays at most 64 scripts, not 65; write several files$/,
    ],
    ["two of one name", { scripts: [one("a", "x"), one("a", "y")] }, /^script "a" is there twice$/],
    ["a name that no marker can hold", { scripts: [one("A b", "x")] }, /^script "A b": a name is /],
    [
      "branches that do not add up",
      { scripts: [{ name: "a", branches: [{ probability: 0.5, text: "x" }] }] },
      /^script "a": the probabilities .* not 0\.5$/,
    ],
    [
      "a marker in a text",
      { scripts: [one("a", `say ${scriptMarker("a")}`)] },
      /^script "a" holds a script marker itself$/,
    ],
    [
      "a fallback that is none of them",
      { scripts: [one("a", "x")], fallback: "b" },
      /^the fallback "b" is none of the scripts \(a\)$/,
    ],
    [
      "a text that repeats itself beyond what tokens can tell apart",
      { scripts: [one("a", "x".repeat(5000))], fallback: "a" },
      /^script "a" cannot be cut into tokens of its own: .* near "x+"$/,
    ],
  ])("are refused in one line: %s", (_what, more, line) => {
    const options = { name: "m", scripts: [], fallback: "a", tags, ...more };
    expect(() => scriptedGguf(options)).toThrow(line);
  });
});
