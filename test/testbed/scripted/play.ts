import { readGguf } from "../gguf/read-gguf.ts";

/**
 * Plays a scripted model from its file alone: one attention head over the prompt's tokens, then the output layer, as a
 * server would, without the grammar and without sampling. Returns the text up to the end of the turn.
 */
export function play(file: Uint8Array, prompt: string, limit = 4000): string {
  const { metadata, tensors } = readGguf(file);
  const texts = metadata.get("tokenizer.ggml.tokens") as string[];
  const types = metadata.get("tokenizer.ggml.token_type") as number[];
  const width = metadata.get("llama.embedding_length") as number;
  const base = metadata.get("llama.rope.freq_base") as number;
  const head = metadata.get("llama.attention.key_length") as number;
  const weights = (name: string): Float32Array => tensors.get(name)?.data ?? new Float32Array();
  const [query, key, value] = ["q", "k", "v"].map((part) => weights(`blk.0.attn_${part}.weight`));
  const attention = weights("blk.0.attn_output.weight");
  const output = weights("output.weight");
  const tokens = tokenise(prompt, texts, types);
  const ends = new Set(["<|im_end|>", "<|endoftext|>"].map((text) => texts.indexOf(text)));
  const column = (matrix: Float32Array | undefined, token: number): number[] =>
    Array.from({ length: head }, (_, row) => (matrix?.[row * width + token] ?? 0) * Math.sqrt(width));
  const rotated = (vector: readonly number[], position: number): number[] => {
    const turned = [...vector];
    for (let pair = 0; pair < head / 2; pair++) {
      const angle = position * base ** ((-2 * pair) / head);
      const [x = 0, y = 0] = [vector[2 * pair], vector[2 * pair + 1]];
      turned[2 * pair] = x * Math.cos(angle) - y * Math.sin(angle);
      turned[2 * pair + 1] = x * Math.sin(angle) + y * Math.cos(angle);
    }
    return turned;
  };
  const keys = tokens.map((token, position) => rotated(column(key, token), position));
  let text = "";
  for (let last = tokens.at(-1) ?? 0, position = tokens.length - 1; text.length < limit; position++) {
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
    for (let to = 0; to < texts.length; to++) {
      const logit = active.reduce((sum, [at, size]) => sum + (output[to * width + at] ?? 0) * (size / norm), 0);
      if (logit > highest) [best, highest] = [to, logit];
    }
    if (ends.has(best)) return text;
    text += printed(texts[best] ?? "");
    last = best;
  }
  return text;
}

/** Control and user tokens first, the longest before the shorter ones; bytes for the rest, as SentencePiece vocabularies do. */
function tokenise(prompt: string, texts: readonly string[], types: readonly number[]): readonly number[] {
  const special = texts
    .map((text, token) => ({ text, token, type: types[token] }))
    .filter(({ type, text }) => (type === 3 || type === 4) && text !== "")
    .sort((left, right) => Buffer.byteLength(right.text) - Buffer.byteLength(left.text));
  let parts: (string | number)[] = [prompt];
  for (const { text, token } of special) {
    parts = parts.flatMap((part) =>
      typeof part === "number" || !part.includes(text)
        ? [part]
        : part.split(text).flatMap((piece, index) => (index === 0 ? [piece] : [token, piece])),
    );
  }
  return parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)].map((byte) => 3 + byte)));
}

function printed(text: string): string {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(text)?.[1];
  return byte === undefined ? text : String.fromCharCode(Number.parseInt(byte, 16));
}
