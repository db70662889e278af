import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../src/testbed/scripted/cut-scripts.ts";
import { scriptedGguf } from "../../../src/testbed/scripted/scripted-gguf.ts";
import { mostScripts, type ScriptedModelOptions, scriptMarker } from "../../../src/testbed/scripted/scripted-model.ts";
import { scriptedSafetensors } from "../../../src/testbed/scripted/scripted-safetensors.ts";
import { primeSumScripts } from "../../../src/testbed/scripts/prime-sum.ts";
import { readGguf } from "../gguf/read-gguf.ts";
import { readFolder } from "../safetensors/read-folder.ts";
import { fromFolder, fromGguf, type Playable, play } from "./play.ts";

const tags = ["<tool_call>", "</tool_call>", "<think>", "</think>"];
const one = (name: string, text: string): Script => ({ name, branches: [{ probability: 1, text }] });

const options = (scripts: readonly Script[], more: Partial<ScriptedModelOptions> = {}): ScriptedModelOptions => ({
  name: "m",
  scripts,
  fallback: scripts[0]?.name ?? "",
  tags,
  align: ["<tool_call>\n"],
  ...more,
});

function model(scripts: readonly Script[], more: Partial<ScriptedModelOptions> = {}): Uint8Array {
  return scriptedGguf(options(scripts, more));
}

/** The two writers: how a model is written, and how it is read back to be played. */
const writers = {
  GGUF: (scripts: readonly Script[], more?: Partial<ScriptedModelOptions>) => fromGguf(model(scripts, more)),
  safetensors: (scripts: readonly Script[], more?: Partial<ScriptedModelOptions>) =>
    fromFolder(scriptedSafetensors(options(scripts, more))),
} as const;

function prompt(user: string, end = "<|im_start|>assistant\n"): string {
  return `<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n${end}`;
}

const published = primeSumScripts.map(({ script, text }) => one(script, text));

describe.each(["GGUF", "safetensors"] as const)("a scripted model as %s", (kind) => {
  const write = writers[kind];
  const file = write(published);

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

  it("writes whatever it is told, in pieces of any length", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 9 }), (written, pieceLength) => {
        const scripts = written.filter((text) => !text.includes("<|")).map((text, index) => one(`s${index}`, text));
        if (scripts.length === 0) return;
        const bytes = write(scripts, { pieceLength });
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
    const played = write([script]);
    expect(play(played, prompt("Toss."))).toBe("Tails, tails, tails.");
    const tokenOf = (text: string) => {
      const wanted = Buffer.from(text);
      return Array.from({ length: played.size }, (_, token) => token).find((token) =>
        wanted.equals(Buffer.from(played.printed(token))),
      );
    };
    const from = played.tokenise(prompt("Toss.")).at(-1) ?? 0;
    const logit = (text: string): number => {
      const part = (at: number) =>
        (played.output[(tokenOf(text) ?? 0) * played.width + at] ?? 0) * Math.sqrt(played.width / 2);
      return part(from) + part(played.size);
    };
    const odds = Math.exp((logit("Tails") - logit("Heads")) / 0.7);
    expect(odds).toBeCloseTo(3, 3);
  });
});

describe("the files of a scripted model", () => {
  it("are the same to the byte in every run, and others with other scripts", () => {
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const folder = (scripts: readonly Script[]) =>
      [...scriptedSafetensors(options(scripts))].map(([name, bytes]) => `${name} ${digest(bytes)}`);
    expect(digest(model(published))).toBe(digest(model(published)));
    expect(digest(model(published.slice(1)))).not.toBe(digest(model(published)));
    expect(folder(published)).toEqual(folder(published));
    expect(folder(published.slice(1))).not.toEqual(folder(published));
  });

  it("stay below 15 MB with sixty scripts", () => {
    const more = published.filter(({ name }) => !name.startsWith("long")).slice(0, 22);
    const again = more.map(({ name, branches }) => ({ name: `${name}-again`, branches }));
    const sixty = [...published, ...again].slice(0, 60);
    expect(sixty).toHaveLength(60);
    expect(model(sixty).length).toBeLessThan(15e6);
    expect(scriptedSafetensors(options(sixty)).get("model.safetensors")?.length).toBeLessThan(15e6);
  });

  it("hold one model: a token is the same number in both, and both write the same", () => {
    const gguf = fromGguf(model(published));
    const folder = fromFolder(scriptedSafetensors(options(published)));
    expect(folder.size).toBe(gguf.size);
    const printed = (model: Playable) =>
      Array.from({ length: model.size }, (_, token) => Buffer.from(model.printed(token)).toString("latin1"));
    expect(printed(folder)).toEqual(printed(gguf));
    expect(Buffer.from(folder.output.buffer).equals(Buffer.from(gguf.output.buffer))).toBe(true);
  });

  it("have every added token in the vocabulary under its own number, and thinking tags as tokens of their own", () => {
    const { tokenizer, config } = readFolder(scriptedSafetensors(options(published)));
    for (const { id, content } of tokenizer.added_tokens) expect(tokenizer.model.vocab[content]).toBe(id);
    expect(new Set(Object.values(tokenizer.model.vocab)).size).toBe(config.vocab_size);
    expect(config.hidden_size % config.num_attention_heads).toBe(0);
    const { tokenise, printed } = fromFolder(scriptedSafetensors(options(published)));
    const tokens = tokenise("<|im_start|>assistant\n<think>\n").map((token) => Buffer.from(printed(token)).toString());
    expect(tokens.slice(-2)).toEqual(["<think>", "\n"]);
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
    const refused = { name: "m", scripts: [], fallback: "a", tags, ...more };
    expect(() => scriptedGguf(refused)).toThrow(line);
    expect(() => scriptedSafetensors(refused)).toThrow(line);
  });
});
