import { readHalves } from "../gguf/read-gguf.ts";

interface Config {
  readonly hidden_size: number;
  readonly head_dim: number;
  readonly rope_theta: number;
  readonly vocab_size: number;
  readonly num_attention_heads: number;
  readonly eos_token_id: readonly number[];
}

interface Tokenizer {
  readonly added_tokens: readonly { readonly id: number; readonly content: string; readonly special: boolean }[];
  readonly model: { readonly vocab: Readonly<Record<string, number>> };
}

interface TensorInfo {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Reads back a Hugging Face folder, from the formats' own descriptions and nothing of the writer. */
export function readFolder(files: ReadonlyMap<string, Uint8Array>) {
  const json = (name: string): unknown => JSON.parse(new TextDecoder().decode(files.get(name)));
  const config = json("config.json") as Config;
  const tokenizer = json("tokenizer.json") as Tokenizer;
  const tensors = readSafetensors(files.get("model.safetensors") ?? new Uint8Array());
  const added = new Set(tokenizer.added_tokens.map(({ id }) => id));
  const printed: Uint8Array[] = [];
  for (const [surface, id] of Object.entries(tokenizer.model.vocab)) {
    printed[id] = added.has(id) ? Buffer.from(surface) : fromByteLevel(surface);
  }
  return { config, tokenizer, tensors, printed };
}

/** The tensors of a safetensors file. Throws Error where the header does not fit the data. */
export function readSafetensors(
  file: Uint8Array,
): ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }> {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as Record<string, TensorInfo>;
  let expected = 0;
  const entries = Object.entries(header).filter(([name]) => name !== "__metadata__");
  const tensors = entries.map(
    ([
      name,
      {
        dtype,
        shape,
        data_offsets: [start, end],
      },
    ]) => {
      const count = shape.reduce((product, dimension) => product * dimension, 1);
      if (start !== expected || end - start !== count * (dtype === "F16" ? 2 : 4))
        throw new Error(`${name} is misplaced`);
      expected = end;
      const bytes = file.slice(8 + length + start, 8 + length + end);
      return [name, { shape, data: dtype === "F16" ? readHalves(bytes) : new Float32Array(bytes.buffer) }] as const;
    },
  );
  if (8 + length + expected !== file.length) throw new Error("there is more in the file than its header says");
  return new Map(tensors);
}

/** Bytes of a text in GPT-2's alphabet; a text with other characters stands for itself. */
function fromByteLevel(surface: string): Uint8Array {
  const shown = [...Array(256).keys()].filter((b) => (b > 32 && b < 127) || (b > 160 && b < 173) || b > 173);
  const hidden = [...Array(256).keys()].filter((b) => !shown.includes(b));
  const bytes = [...surface].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 256 ? (hidden[code - 256] ?? -1) : shown.includes(code) ? code : -1;
  });
  return bytes.includes(-1) ? Buffer.from(surface) : Uint8Array.from(bytes);
}
