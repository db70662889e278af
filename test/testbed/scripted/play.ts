import { readGguf } from "../gguf/read-gguf.ts";
import { readFolder } from "../safetensors/read-folder.ts";

/** What playing needs of a model, whatever file it came from. */
export interface Playable {
  readonly width: number;
  readonly base: number;
  readonly head: number;
  /** Rows of a rotary pair in query and key. */
  rows(pair: number): readonly [number, number];
  readonly query: Float32Array;
  readonly key: Float32Array;
  readonly value: Float32Array;
  readonly attention: Float32Array;
  readonly output: Float32Array;
  readonly ends: ReadonlySet<number>;
  readonly size: number;
  tokenise(prompt: string): readonly number[];
  /** The bytes that a token prints. */
  printed(token: number): Uint8Array;
}

/** A model from a GGUF file alone. */
export function fromGguf(file: Uint8Array): Playable {
  const { metadata, tensors } = readGguf(file);
  const texts = metadata.get("tokenizer.ggml.tokens") as string[];
  const types = metadata.get("tokenizer.ggml.token_type") as number[];
  const weights = (name: string): Float32Array => tensors.get(name)?.data ?? new Float32Array();
  const special = texts
    .map((text, token) => ({ text, token }))
    .filter(({ token, text }) => (types[token] === 3 || types[token] === 4) && text !== "");
  return {
    width: metadata.get("llama.embedding_length") as number,
    base: metadata.get("llama.rope.freq_base") as number,
    head: metadata.get("llama.attention.key_length") as number,
    rows: (pair) => [2 * pair, 2 * pair + 1],
    query: weights("blk.0.attn_q.weight"),
    key: weights("blk.0.attn_k.weight"),
    value: weights("blk.0.attn_v.weight"),
    attention: weights("blk.0.attn_output.weight"),
    output: weights("output.weight"),
    ends: new Set(["<|im_end|>", "<|endoftext|>"].map((text) => texts.indexOf(text))),
    size: texts.length,
    tokenise: (prompt) => cut(prompt, special, (byte) => 3 + byte),
    printed: (token) => {
      const byte = /^<0x([0-9A-F]{2})>$/.exec(texts[token] ?? "")?.[1];
      return byte === undefined ? Buffer.from(texts[token] ?? "") : Uint8Array.of(Number.parseInt(byte, 16));
    },
  };
}

/** A model from the files of a Hugging Face folder alone. */
export function fromFolder(files: ReadonlyMap<string, Uint8Array>): Playable {
  const { config, tokenizer, tensors, printed } = readFolder(files);
  const weights = (name: string): Float32Array => tensors.get(name)?.data ?? new Float32Array();
  const attention = (part: string): Float32Array => weights(`model.layers.0.self_attn.${part}_proj.weight`);
  const half = config.head_dim / 2;
  const added = tokenizer.added_tokens.map(({ id, content }) => ({ token: id, text: content }));
  return {
    width: config.hidden_size,
    base: config.rope_theta,
    head: config.head_dim,
    rows: (pair) => [pair, pair + half],
    query: attention("q"),
    key: attention("k"),
    value: attention("v"),
    attention: attention("o"),
    output: weights("lm_head.weight"),
    ends: new Set(config.eos_token_id),
    size: config.vocab_size,
    tokenise: (prompt) =>
      cut(prompt, added, (byte) => printed.findIndex((text) => text.length === 1 && text[0] === byte)),
    printed: (token) => printed[token] ?? new Uint8Array(),
  };
}

/**
 * Plays a scripted model: one attention head over the prompt's tokens, then the output layer, as a server would, without the
 * grammar and without sampling. Returns the text up to the end of the turn.
 */
export function play(model: Playable, prompt: string, limit = 4000): string {
  const { width, base, head, query, key, value, attention, output, ends, size } = model;
  const tokens = model.tokenise(prompt);
  const column = (matrix: Float32Array | undefined, token: number): number[] =>
    Array.from({ length: head }, (_, row) => (matrix?.[row * width + token] ?? 0) * Math.sqrt(width));
  const rotated = (vector: readonly number[], position: number): number[] => {
    const turned = [...vector];
    for (let pair = 0; pair < head / 2; pair++) {
      const angle = position * base ** ((-2 * pair) / head);
      const [first, second] = model.rows(pair);
      const [x = 0, y = 0] = [vector[first], vector[second]];
      turned[first] = x * Math.cos(angle) - y * Math.sin(angle);
      turned[second] = x * Math.sin(angle) + y * Math.cos(angle);
    }
    return turned;
  };
  const keys = tokens.map((token, position) => rotated(column(key, token), position));
  const written: Uint8Array[] = [];
  const text = (): string => Buffer.concat(written).toString();
  for (let last = tokens.at(-1) ?? 0, position = tokens.length - 1; written.length < limit; position++) {
    const asked = rotated(column(query, last), position);
    const scores = keys.map((each) => each.reduce((sum, part, index) => sum + part * (asked[index] ?? 0), 0) / 8);
    const top = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
    const shares = scores.map((score) => Math.exp(score - top));
    const total = shares.reduce((sum, share) => sum + share, 0);
    const mixed = new Float64Array(head);
    for (const [index, token] of tokens.entries()) {
      const share = (shares[index] ?? 0) / total;
      if (share < 1e-12) continue;
      for (const [row, part] of column(value, token).entries()) mixed[row] = (mixed[row] ?? 0) + share * part;
    }
    const residual = new Float64Array(width);
    residual[last] = 1;
    for (let row = 0; row < width; row++) {
      for (let at = 0; at < head; at++) {
        residual[row] = (residual[row] ?? 0) + (attention[row * head + at] ?? 0) * (mixed[at] ?? 0);
      }
    }
    const active = [...residual.entries()].filter(([, size]) => size !== 0);
    const norm = Math.sqrt(active.reduce((sum, [, size]) => sum + size * size, 0) / width);
    let best = 0;
    let highest = Number.NEGATIVE_INFINITY;
    for (let to = 0; to < size; to++) {
      const logit = active.reduce((sum, [at, size]) => sum + (output[to * width + at] ?? 0) * (size / norm), 0);
      if (logit > highest) [best, highest] = [to, logit];
    }
    if (ends.has(best)) return text();
    written.push(model.printed(best));
    last = best;
  }
  return text();
}

/** Added tokens first, the longest before the shorter ones; bytes for the rest. */
function cut(
  prompt: string,
  added: readonly { readonly text: string; readonly token: number }[],
  ofByte: (byte: number) => number,
): readonly number[] {
  let parts: (string | number)[] = [prompt];
  for (const { text, token } of [...added].sort((left, right) => byteLength(right.text) - byteLength(left.text))) {
    parts = parts.flatMap((part) =>
      typeof part === "number" || !part.includes(text)
        ? [part]
        : part.split(text).flatMap((piece, index) => (index === 0 ? [piece] : [token, piece])),
    );
  }
  return parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)].map(ofByte)));
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
