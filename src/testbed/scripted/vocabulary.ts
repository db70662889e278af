/** Token types as GGUF numbers them. */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, user: 4, byte: 6 } as const;
export type TokenType = (typeof tokenTypes)[keyof typeof tokenTypes];

/** The tokens of a scripted model. A text exists once; single ASCII characters are the byte tokens. */
export interface Vocabulary {
  readonly texts: readonly string[];
  readonly types: readonly TokenType[];
  readonly end: number;
  /** All tokens that end a turn, the usual one first. */
  readonly ends: readonly number[];
  readonly unknown: number;
  readonly begin: number;
  /** Id of a token by what it prints, adding it as a piece where there is none yet. */
  piece(text: string): number;
  /** Id of a token by what it prints, or undefined. */
  find(text: string): number | undefined;
  /** Adds a token of its own. `prints` tells apart what two tokens print alike. Throws RangeError where it is taken. */
  add(text: string, type: TokenType, prints?: string): number;
}

/** The token that ends a turn in every template of the testbed. */
export const endToken = "<|im_end|>";

/** A vocabulary with what every scripted model has: bytes, the blank of SentencePiece prompts, turn tokens. */
export function createVocabulary(): Vocabulary {
  const texts: string[] = [];
  const types: TokenType[] = [];
  /** By what is printed, which for bytes is not the token's own name. */
  const printed = new Map<string, number>();
  const add = (text: string, type: TokenType, prints = text): number => {
    if (printed.has(prints)) throw new RangeError(`the vocabulary has ${JSON.stringify(prints)} already`);
    printed.set(prints, texts.length);
    texts.push(text);
    types.push(type);
    return texts.length - 1;
  };
  const unknown = add("<unk>", tokenTypes.unknown);
  const begin = add("<s>", tokenTypes.control);
  add("</s>", tokenTypes.control);
  for (let byte = 0; byte < 256; byte++) {
    const name = `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
    // A byte above 127 prints no character by itself.
    add(name, tokenTypes.byte, byte < 128 ? String.fromCharCode(byte) : name);
  }
  // Without it every blank of a prompt is three byte tokens.
  add("\u2581", tokenTypes.normal);
  add("<|im_start|>", tokenTypes.control);
  const end = add(endToken, tokenTypes.control);
  // For scripts in whose states the usual one is another script's; servers know this text as an end, too.
  const otherEnd = add("<|endoftext|>", tokenTypes.control);
  return {
    texts,
    types,
    end,
    ends: [end, otherEnd],
    unknown,
    begin,
    piece: (text) => printed.get(text) ?? add(text, tokenTypes.user),
    find: (text) => printed.get(text),
    add,
  };
}
