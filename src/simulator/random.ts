/** A repeatable source of numbers: the same seed text gives the same sequence on every machine. */
export interface SeededRandom {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** `length` characters, each drawn from `alphabet`. */
  text(length: number, alphabet: string): string;
}

const hexDigits = "0123456789abcdef";
export const lowerAlphanumeric = "0123456789abcdefghijklmnopqrstuvwxyz";
export const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 32-bit FNV-1a of a text's UTF-16 units, from another start for another `salt`. */
export function hash32(text: string, salt = 0): number {
  let hash = (0x811c9dc5 ^ salt) >>> 0;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A 53-bit key of a text: two hashes in one number, so that some thousand texts do not meet by chance. */
export function hashKey(text: string): string {
  return `${hash32(text).toString(36)}.${hash32(text, 0x5bd1e995).toString(36)}.${text.length.toString(36)}`;
}

/** Hexadecimal digest of any wanted length: stands where a server shows a digest of a model or a start-up configuration. */
export function hexDigest(text: string, length: number): string {
  return createRandom(text).text(length, hexDigits);
}

/** The second half of a random UUID: 16 hexadecimal digits of which the first is one of four, since it holds the variant. */
export function uuidTail(random: SeededRandom): string {
  return `${random.text(1, "89ab")}${random.text(15, hexDigits)}`;
}

/** The generator is sfc32, seeded by four hashes of the text and warmed up. */
export function createRandom(seed: string): SeededRandom {
  let a = hash32(seed, 1);
  let b = hash32(seed, 2);
  let c = hash32(seed, 3);
  let counter = hash32(seed, 4);
  const step = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) step();
  const below = (limit: number): number => Math.floor((step() / 0x100000000) * limit);
  return {
    next: () => step() / 0x100000000,
    below,
    text(length, alphabet) {
      let text = "";
      for (let index = 0; index < length; index++) text += alphabet.charAt(below(alphabet.length));
      return text;
    },
  };
}

/** The items in a random order; the input is left as it is. */
export function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const order = [...items];
  for (let index = order.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    const held = order[index] as Item;
    order[index] = order[other] as Item;
    order[other] = held;
  }
  return order;
}
