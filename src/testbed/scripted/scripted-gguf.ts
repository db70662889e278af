import { type GgufTensor, type GgufValue, ggufFile } from "../gguf/gguf-file.ts";
import { type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";
import { feedForwardLength, headLength, type Matrix, type ModelShape } from "./scripted-weights.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Writes a scripted model as GGUF, for llama-server and Ollama. The same options give the same bytes. Throws ScriptedModelError. */
export function scriptedGguf(options: ScriptedModelOptions): Uint8Array {
  const { vocabulary, shape, weights } = scriptedModel(options);
  const { width } = shape;
  const ones = (): Float32Array => new Float32Array(width).fill(1);
  const vector = (name: string): GgufTensor => ({ name, dimensions: [width], data: ones() });
  const matrix = (name: string, { rows, columns, data }: Matrix, half = false): GgufTensor => ({
    name,
    dimensions: [columns, rows],
    data,
    half,
  });
  const nothing = (rows: number, columns: number): Matrix => ({
    rows,
    columns,
    data: new Float32Array(rows * columns),
  });
  return ggufFile(metadata(options, vocabulary, shape), [
    // Zeros and ones are exact in 16 bits.
    matrix("token_embd.weight", weights.embedding, true),
    vector("blk.0.attn_norm.weight"),
    matrix("blk.0.attn_q.weight", weights.query),
    matrix("blk.0.attn_k.weight", weights.key),
    matrix("blk.0.attn_v.weight", weights.value),
    matrix("blk.0.attn_output.weight", weights.attention),
    vector("blk.0.ffn_norm.weight"),
    matrix("blk.0.ffn_gate.weight", nothing(feedForwardLength, width), true),
    matrix("blk.0.ffn_up.weight", nothing(feedForwardLength, width), true),
    matrix("blk.0.ffn_down.weight", nothing(width, feedForwardLength), true),
    vector("output_norm.weight"),
    matrix("output.weight", weights.output),
  ]);
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
    ["llama.feed_forward_length", u32(feedForwardLength)],
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
