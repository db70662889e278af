import { type GgufTensor, type GgufValue, ggufFile } from "../gguf/gguf-file.ts";
import { cutScripts, type Script } from "./cut-scripts.ts";
import { checkEmission } from "./emission.ts";
import { scoresOf } from "./scores.ts";
import { ScriptedModelError } from "./scripted-model-error.ts";
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

/** A written model. */
export interface ScriptedModel {
  readonly file: Uint8Array;
  readonly vocabularySize: number;
  /** Embedding length. */
  readonly width: number;
}

/** One dimension of the attention head each. */
export const mostScripts = 64;
const headLength = 64;

/** The marker that asks for a script. It may stand in any message; the last one in the prompt counts. */
export function scriptMarker(name: string): string {
  return `<|script:${name}|>`;
}

/**
 * What generation prompts end with, as tokens of their own: longer than any piece, so that no piece can swallow the end of
 * a prompt, after which every script begins.
 */
const promptEnds = ["<|end_header_id|>\n\n", "</think>\n\n", "assistant\n", "<think>\n"] as const;

/**
 * Writes a small llama model that plays scripts instead of thinking. One attention head finds the last script marker of the
 * prompt (or, without one, the ends of lines, which stand for the fallback); the output layer adds what the last token says
 * to what the script says. So any template, renderer or client can be used as it is: the marker stands in a message, not in
 * the template. The same options give the same bytes. Throws {@link ScriptedModelError}.
 */
export function scriptedGguf(options: ScriptedModelOptions): ScriptedModel {
  const { scripts } = options;
  checkScripts(options);
  const vocabulary = createVocabulary();
  const markers = scripts.map(({ name }) => vocabulary.add(scriptMarker(name), tokenTypes.control));
  const ends = promptEnds.map((text) => vocabulary.add(text, tokenTypes.user));
  // A line's end in a prompt is a token of its own, so that the byte of the same text is free for scripts to write.
  const lineEnd = vocabulary.add("\n", tokenTypes.user, "a prompt's line end");
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
  const contextLength = options.contextLength ?? 8192;
  const fallback = scripts.findIndex(({ name }) => name === options.fallback);
  const shape = modelShape(vocabulary, scripts.length, contextLength);
  const tensors = writeTensors(shape, { markers, anchors: [...ends, lineEnd], fallback, scores });
  return {
    file: ggufFile(metadata(options, vocabulary, shape), tensors),
    vocabularySize: vocabulary.texts.length,
    width: shape.width,
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

interface ModelShape {
  readonly vocabularySize: number;
  readonly width: number;
  readonly contextLength: number;
  /** So that pair 16 of the head turns a quarter circle over the context, and the last pair practically not at all. */
  readonly ropeBase: number;
}

function modelShape(vocabulary: Vocabulary, scripts: number, contextLength: number): ModelShape {
  const vocabularySize = vocabulary.texts.length;
  const width = Math.ceil((vocabularySize + scripts) / headLength) * headLength;
  return { vocabularySize, width, contextLength, ropeBase: (Math.PI / 2 / contextLength) ** -2 };
}

/**
 * Rotary pairs of the head: `recency` turns with the distance, so that the last marker scores highest; `presence` does not
 * turn, so that any marker beats any line's end and both beat all other tokens, at whatever distance.
 */
const pairs = { recency: 16, presence: 31 } as const;
/** Exact in 16 bits, in which servers keep keys and queries. */
const strengths = { query: 32768, marker: 24, anchor: 2, recency: 16 } as const;

function writeTensors(
  { vocabularySize, width, contextLength: _context }: ModelShape,
  {
    markers,
    anchors,
    fallback,
    scores,
  }: {
    readonly markers: readonly number[];
    readonly anchors: readonly number[];
    readonly fallback: number;
    readonly scores: { token(to: number, from: number): number; script(to: number, script: number): number };
  },
): readonly GgufTensor[] {
  const matrix = (rows: number, columns = width): Float32Array => new Float32Array(rows * columns);
  const ones = (): Float32Array => new Float32Array(width).fill(1);
  /** What normalisation makes of a single feature of strength 1. */
  const alone = Math.sqrt(width);
  /** And of each of two. */
  const paired = Math.sqrt(width / 2);

  const embedding = matrix(vocabularySize);
  const query = matrix(headLength);
  const key = matrix(headLength);
  const value = matrix(headLength);
  const attention = matrix(width, headLength);
  const output = matrix(vocabularySize);
  for (let token = 0; token < vocabularySize; token++) {
    embedding[token * width + token] = 1;
    query[pairs.presence * 2 * width + token] = strengths.query / alone;
    // A quarter circle ahead: the score falls with the distance.
    query[(pairs.recency * 2 + 1) * width + token] = strengths.query / alone;
  }
  for (const [script, token] of markers.entries()) {
    key[pairs.presence * 2 * width + token] = strengths.marker / alone;
    key[pairs.recency * 2 * width + token] = strengths.recency / alone;
    value[script * width + token] = 1 / alone;
    attention[(vocabularySize + script) * headLength + script] = 1;
  }
  for (const token of anchors) {
    key[pairs.presence * 2 * width + token] = strengths.anchor / alone;
    value[fallback * width + token] = 1 / alone;
  }
  for (let to = 0; to < vocabularySize; to++) {
    for (let from = 0; from < vocabularySize; from++) output[to * width + from] = scores.token(to, from) / paired;
    for (const script of markers.keys())
      output[to * width + vocabularySize + script] = scores.script(to, script) / paired;
  }
  const tensor = (name: string, dimensions: readonly number[], data: Float32Array): GgufTensor => ({
    name,
    dimensions,
    data,
  });
  return [
    tensor("token_embd.weight", [width, vocabularySize], embedding),
    tensor("blk.0.attn_norm.weight", [width], ones()),
    tensor("blk.0.attn_q.weight", [width, headLength], query),
    tensor("blk.0.attn_k.weight", [width, headLength], key),
    tensor("blk.0.attn_v.weight", [width, headLength], value),
    tensor("blk.0.attn_output.weight", [headLength, width], attention),
    tensor("blk.0.ffn_norm.weight", [width], ones()),
    tensor("blk.0.ffn_gate.weight", [width, headLength], matrix(headLength)),
    tensor("blk.0.ffn_up.weight", [width, headLength], matrix(headLength)),
    tensor("blk.0.ffn_down.weight", [headLength, width], matrix(width, headLength)),
    tensor("output_norm.weight", [width], ones()),
    tensor("output.weight", [width, vocabularySize], output),
  ];
}

function metadata(
  { name, chatTemplate }: ScriptedModelOptions,
  vocabulary: Vocabulary,
  { vocabularySize, width, contextLength, ropeBase }: ModelShape,
): ReadonlyMap<string, GgufValue> {
  const u32 = (value: number): GgufValue => ({ type: "u32", value });
  const f32 = (value: number): GgufValue => ({ type: "f32", value });
  const text = (value: string): GgufValue => ({ type: "string", value });
  const entries: [string, GgufValue][] = [
    ["general.architecture", text("llama")],
    ["general.name", text(name)],
    ["general.file_type", u32(0)],
    ["llama.context_length", u32(contextLength)],
    ["llama.embedding_length", u32(width)],
    ["llama.block_count", u32(1)],
    ["llama.feed_forward_length", u32(headLength)],
    ["llama.attention.head_count", u32(1)],
    ["llama.attention.head_count_kv", u32(1)],
    ["llama.attention.key_length", u32(headLength)],
    ["llama.attention.value_length", u32(headLength)],
    ["llama.attention.layer_norm_rms_epsilon", f32(1e-6)],
    ["llama.rope.dimension_count", u32(headLength)],
    ["llama.rope.freq_base", f32(ropeBase)],
    ["llama.vocab_size", u32(vocabularySize)],
    ["tokenizer.ggml.model", text("llama")],
    ["tokenizer.ggml.tokens", { type: "strings", values: vocabulary.texts }],
    ["tokenizer.ggml.scores", { type: "f32s", values: vocabulary.texts.map((_text, index) => -index) }],
    ["tokenizer.ggml.token_type", { type: "i32s", values: vocabulary.types }],
    ["tokenizer.ggml.bos_token_id", u32(vocabulary.begin)],
    ["tokenizer.ggml.eos_token_id", u32(vocabulary.end)],
    ["tokenizer.ggml.unknown_token_id", u32(vocabulary.unknown)],
    ["tokenizer.ggml.add_bos_token", { type: "bool", value: false }],
    ["tokenizer.ggml.add_space_prefix", { type: "bool", value: false }],
  ];
  if (chatTemplate !== undefined) entries.push(["tokenizer.chat_template", text(chatTemplate)]);
  return new Map(entries);
}
