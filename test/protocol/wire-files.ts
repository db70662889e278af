import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../fixtures/wire/", import.meta.url));

/** Names of the recorded bodies with one of these endings, those of the side channels as `side/…`. */
export function wireNames(...endings: string[]): string[] {
  return ["", "side/"]
    .flatMap((sub) => readdirSync(folder + sub).map((name) => sub + name))
    .filter((name) => endings.some((ending) => name.endsWith(ending)));
}

/** The bytes of one recorded body. */
export function wireBytes(name: string): Uint8Array {
  return readFileSync(folder + name);
}

/** The text of one recorded body. */
export function wireText(name: string): string {
  return readFileSync(folder + name, "utf8");
}

/** Cuts bytes at the given places, given as shares of the length. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((share) => Math.floor(share * bytes.length)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}
