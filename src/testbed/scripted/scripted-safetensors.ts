import { type SafeTensor, safetensorsFile } from "../safetensors/safetensors-file.ts";
import { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";
import { feedForwardLength, headLength, inHalves, type Matrix } from "./scripted-weights.ts";
import { tokenTypes, type Vocabulary } from "./vocabulary.ts";

/**
 * Writes a scripted model as a Hugging Face folder, for vLLM: content by file name. It is the model of the GGUF writer, token
 * for token. The same options give the same bytes. Throws ScriptedModelError.
 */
export function scriptedSafetensors(options: ScriptedModelOptions): ReadonlyMap<string, Uint8Array> {
  const model = scriptedModel(options);
  const { vocabulary, shape } = model;
  const ends = vocabulary.ends;
  const json = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
  const special = { bos_token_id: vocabulary.begin, eos_token_id: ends };
  const endText = vocabulary.texts[vocabulary.end];
  return new Map([
    ["model.safetensors", safetensorsFile(tensorsOf(model))],
    [
      "config.json",
      json({
        architectures: ["LlamaForCausalLM"],
        model_type: "llama",
        hidden_size: shape.width,
        intermediate_size: feedForwardLength,
        num_hidden_layers: 1,
        num_attention_heads: 1,
        num_key_value_heads: 1,
        head_dim: headLength,
        vocab_size: shape.vocabularySize,
        max_position_embeddings: shape.contextLength,
        rms_norm_eps: 1e-6,
        rope_theta: shape.ropeBase,
        rope_parameters: { rope_type: "default", rope_theta: shape.ropeBase },
        hidden_act: "silu",
        tie_word_embeddings: false,
        attention_bias: false,
        mlp_bias: false,
        torch_dtype: "float32",
        dtype: "float32",
        ...special,
      }),
    ],
    ["generation_config.json", json(special)],
    ["tokenizer.json", json(tokenizerOf(model))],
    [
      "tokenizer_config.json",
      json({
        tokenizer_class: "PreTrainedTokenizerFast",
        bos_token: vocabulary.texts[vocabulary.begin],
        eos_token: endText,
        pad_token: endText,
        unk_token: vocabulary.texts[vocabulary.unknown],
        add_bos_token: false,
        add_prefix_space: false,
        clean_up_tokenization_spaces: false,
        model_max_length: shape.contextLength,
        ...(options.chatTemplate === undefined ? {} : { chat_template: options.chatTemplate }),
      }),
    ],
  ]);
}

function tensorsOf({ shape, weights }: ScriptedModel): readonly SafeTensor[] {
  const { width } = shape;
  const matrix = (name: string, { rows, columns, data }: Matrix, half = false): SafeTensor => ({
    name,
    shape: [rows, columns],
    data,
    half,
  });
  const ones = (name: string): SafeTensor => ({
    name,
    shape: [width],
    data: new Float32Array(width).fill(1),
    half: true,
  });
  const nothing = (name: string, rows: number, columns: number): SafeTensor => ({
    name,
    shape: [rows, columns],
    data: new Float32Array(rows * columns),
    half: true,
  });
  const layer = "model.layers.0";
  return [
    matrix("lm_head.weight", weights.output),
    matrix("model.embed_tokens.weight", weights.embedding, true),
    ones(`${layer}.input_layernorm.weight`),
    nothing(`${layer}.mlp.down_proj.weight`, width, feedForwardLength),
    nothing(`${layer}.mlp.gate_proj.weight`, feedForwardLength, width),
    nothing(`${layer}.mlp.up_proj.weight`, feedForwardLength, width),
    ones(`${layer}.post_attention_layernorm.weight`),
    matrix(`${layer}.self_attn.k_proj.weight`, inHalves(weights.key)),
    matrix(`${layer}.self_attn.o_proj.weight`, weights.attention),
    matrix(`${layer}.self_attn.q_proj.weight`, inHalves(weights.query)),
    matrix(`${layer}.self_attn.v_proj.weight`, weights.value),
    ones("model.norm.weight"),
  ];
}

/**
 * A byte-level BPE without merges: what is no added token is cut into bytes, so that pieces are only ever written. Added
 * tokens stand in the vocabulary, too, or the tokenizers library numbers them anew.
 */
function tokenizerOf({ vocabulary, found }: ScriptedModel): unknown {
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false };
  const surfaces = vocabulary.texts.map((_text, token) => surfaceOf(vocabulary, found, token));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [...found]
      .sort((left, right) => left - right)
      .map((id) => ({
        id,
        content: surfaces[id],
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: vocabulary.types[id] === tokenTypes.control,
      })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(surfaces.map((surface, token) => [surface, token])),
      merges: [],
    },
  };
}

/** How a token is spelt in tokenizer.json: added tokens as they print, bytes and pieces in the byte-level alphabet. */
function surfaceOf({ texts, types }: Vocabulary, found: ReadonlySet<number>, token: number): string {
  const text = texts[token] ?? "";
  if (found.has(token) || types[token] === tokenTypes.unknown) return text;
  const byte = types[token] === tokenTypes.byte ? /^<0x([0-9A-F]{2})>$/.exec(text)?.[1] : undefined;
  if (byte !== undefined) return byteAlphabet[Number.parseInt(byte, 16)] ?? "";
  return [...new TextEncoder().encode(text)].map((each) => byteAlphabet[each]).join("");
}

/** GPT-2's alphabet: printable bytes stand for themselves, the others for the characters from U+0100 on. */
const byteAlphabet: readonly string[] = (() => {
  let next = 256;
  const stands = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(stands(byte) ? byte : next++));
})();
