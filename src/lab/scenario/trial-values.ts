import { hash } from "node:crypto";
import type { TrialValues } from "./template.ts";

/** SHA-256 of the parts, joined so that no two lists of parts give the same text. */
function digest(...parts: readonly (string | number)[]): Buffer {
  return hash("sha256", JSON.stringify(parts), "buffer");
}

/** Sorts in random order, the same for the same run seed: ids compare by these keys. */
export function orderKey(runSeed: string, id: string): string {
  return hash("sha256", JSON.stringify(["order", runSeed, id]), "hex");
}

/** Seed of a sample: 1 to 2^31 - 1, since 0 and negative seeds mean "random" on some servers. */
export function sampleSeed(runSeed: string, id: string, attempt: number): number {
  return (digest("seed", runSeed, id, attempt).readUInt32BE(0) % 0x7fffffff) + 1;
}

/** The values of a trial, fixed by its seed alone, so that a stored sample can be asked again. */
export function trialValues(seed: number): TrialValues {
  let nonce: string | null = null;
  return {
    get nonce() {
      // Most scenarios have none, and a plan has thousands of trials.
      nonce ??= nonceWord(digest("nonce", seed));
      return nonce;
    },
    number: (low, high) => {
      const draw = digest("number", seed, low, high).readBigUInt64BE(0);
      return low + Number(draw % BigInt(high - low + 1));
    },
    code: (name) => codeWord(digest("code", seed, name)),
  };
}

/**
 * Five syllables and four digits, "mitorakune7392": a word that a model can copy without slips and that, unlike a run of hex
 * digits, cannot be taken for a result.
 */
function nonceWord(bytes: Buffer): string {
  const consonants = "bdghkmnprstyz";
  const vowels = "aeiou";
  const syllable = (byte: number) =>
    `${consonants.charAt(byte % consonants.length)}${vowels.charAt(Math.floor(byte / consonants.length) % vowels.length)}`;
  const word = [...bytes.subarray(0, 5)].map(syllable).join("");
  return `${word}${String(bytes.readUInt16BE(5) % 10_000).padStart(4, "0")}`;
}

/** Letters that no digit is taken for, and four digits: nothing that a model could guess, and easy to copy. */
function codeWord(bytes: Buffer): string {
  const letters = "BCDFGHJKLMNPQRSTVWXZ";
  const word = [...bytes.subarray(0, 3)].map((byte) => letters.charAt(byte % letters.length)).join("");
  return `${word}-${String(bytes.readUInt16BE(3) % 10_000).padStart(4, "0")}`;
}
