import type { Script } from "./cut-scripts.ts";
import { cutScripts } from "./cut-scripts.ts";
import { checkEmission } from "./emission.ts";
import { scoresOf } from "./scores.ts";
import { ScriptedModelError } from "./scripted-model-error.ts";
import { headLength, type ModelShape, type ScriptedWeights, scriptedWeights } from "./scripted-weights.ts";
import { createVocabulary, tokenTypes, type Vocabulary } from "./vocabulary.ts";

/** What a scripted model is made of. */
export interface ScriptedModelOptions {
  readonly name: string;
  /** At most {@link mostScripts}. */
  readonly scripts: readonly Script[];
  /** Name of the script that plays where the prompt holds no marker. */
  readonly fallback: string;
  /** Jinja text inside the file; absent where the server brings the template. */
  readonly chatTemplate?: string | undefined;
  /** Texts that are one token each, as `<tool_call>` is in real vocabularies. */
  readonly tags?: readonly string[] | undefined;
  /** Tags of type CONTROL, which servers may strip from the text. */
  readonly controlTags?: readonly string[] | undefined;
  /** Texts on whose end a token must end: the triggers of the server's grammar for this template. */
  readonly align?: readonly string[] | undefined;
  /** How a call begins that a grammar forces after a text which cannot end. */
  readonly openers?: readonly string[] | undefined;
  /** Characters of a piece; 5 unless said. */
  readonly pieceLength?: number | undefined;
  /** Tokens the model was "trained" on; 8192 unless said. */
  readonly contextLength?: number | undefined;
  /** Temperature at which the branches' probabilities hold; 0.7 unless said. */
  readonly temperature?: number | undefined;
}

/** A model as it is before any file format: what the writers for GGUF and for safetensors share. */
export interface ScriptedModel {
  readonly vocabulary: Vocabulary;
  readonly shape: ModelShape;
  readonly weights: ScriptedWeights;
  /** Tokens that a tokenizer must find in a prompt before it cuts the rest into bytes. */
  readonly found: ReadonlySet<number>;
}

/** One dimension of the attention head each. */
export const mostScripts = headLength;

/** The marker that asks for a script. It may stand in any message; the last one in the prompt counts. */
export function scriptMarker(name: string): string {
  return `<|script:${name}|>`;
}

/**
 * What generation prompts end with, as tokens of their own: longer than any piece, so that no piece can swallow the end of
 * a prompt, after which every script begins.
 */
const promptEnds = ["<|end_header_id|>\n\n", "</think>\n\n", "assistant\n", "<think>\n", "[/INST]"] as const;

/**
 * Makes a small llama model that plays scripts instead of thinking. One attention head finds the last script marker of the
 * prompt (or, without one, the ends of lines, which stand for the fallback); the output layer adds what the last token says
 * to what the script says. So any template, renderer or client can be used as it is: the marker stands in a message, not in
 * the template. The same options give the same model. Throws {@link ScriptedModelError}.
 */
export function scriptedModel(options: ScriptedModelOptions): ScriptedModel {
  const { scripts } = options;
  checkScripts(options);
  const vocabulary = createVocabulary();
  const markers = scripts.map(({ name }) => vocabulary.add(scriptMarker(name), tokenTypes.control));
  const ends = promptEnds.map((text) => vocabulary.add(text, tokenTypes.user));
  // A line's end in a prompt is a token of its own, so that the byte of the same text is free for scripts to write.
  const lineEnd = vocabulary.add("\n", tokenTypes.user, "a prompt's line end");
  // What ends a parameter that a grammar has forced in XML, as one token: byte by byte the model would never find to it.
  vocabulary.piece("\n</parameter>");
  const automaton = cutScripts(scripts, vocabulary, {
    tags: options.tags ?? [],
    controlTags: options.controlTags ?? [],
    align: options.align ?? [],
    pieceLength: options.pieceLength ?? 5,
    temperature: options.temperature ?? 0.7,
    starts: [...ends, lineEnd],
    forbidden: [...promptEnds, "<|script:"],
  });
  const openers = (options.openers ?? []).map((text) => vocabulary.piece(text));
  const scores = scoresOf(automaton, vocabulary, { scripts: scripts.length, openers });
  checkEmission(scripts, automaton, vocabulary, scores);
  const vocabularySize = vocabulary.texts.length;
  const contextLength = options.contextLength ?? 8192;
  const shape: ModelShape = {
    vocabularySize,
    width: Math.ceil((vocabularySize + scripts.length) / headLength) * headLength,
    contextLength,
    ropeBase: (Math.PI / 2 / contextLength) ** -2,
  };
  const fallback = scripts.findIndex(({ name }) => name === options.fallback);
  const tags = [...(options.tags ?? []), ...(options.controlTags ?? [])].flatMap((tag) => vocabulary.find(tag) ?? []);
  // An end of several tokens would hide those inside it, which parsers of thinking look for.
  const whole = ends.filter((token) => !vocabulary.texts[token]?.includes("\n"));
  const control = [...vocabulary.types.keys()].filter((token) => vocabulary.types[token] === tokenTypes.control);
  return {
    vocabulary,
    shape,
    weights: scriptedWeights(shape, { markers, anchors: [...ends, lineEnd], fallback, scores }),
    found: new Set([...control, ...tags, ...whole, lineEnd]),
  };
}

function checkScripts({ scripts, fallback }: ScriptedModelOptions): void {
  if (scripts.length > mostScripts)
    throw new ScriptedModelError(
      `a model plays at most ${mostScripts} scripts, not ${scripts.length}; write several files`,
    );
  const seen = new Set<string>();
  for (const { name, branches } of scripts) {
    if (!/^[a-z0-9_-]+$/.test(name))
      throw new ScriptedModelError(`script "${name}": a name is lower-case letters, digits, hyphens and underscores`);
    if (seen.has(name)) throw new ScriptedModelError(`script "${name}" is there twice`);
    seen.add(name);
    const sum = branches.reduce((total, { probability }) => total + probability, 0);
    if (branches.some(({ probability }) => !(probability > 0)) || Math.abs(sum - 1) > 1e-9)
      throw new ScriptedModelError(
        `script "${name}": the probabilities of its branches must be above 0 and add up to 1, not ${sum}`,
      );
    if (branches.length > 1 && branches.some(({ text }) => text === ""))
      throw new ScriptedModelError(`script "${name}": a branch without text can only stand alone`);
    const marked = branches.find(({ text }) => text.includes("<|script:"));
    if (marked !== undefined) throw new ScriptedModelError(`script "${name}" holds a script marker itself`);
  }
  if (!seen.has(fallback))
    throw new ScriptedModelError(`the fallback "${fallback}" is none of the scripts (${[...seen].join(", ")})`);
}
