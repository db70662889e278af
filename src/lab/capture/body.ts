import type { Capture, Exchange } from "./capture.ts";

/** The bytes of a stored body. */
export function bodyBytes(body: Exchange["body"]): Uint8Array {
  if ("utf8" in body) return new TextEncoder().encode(body.utf8);
  const binary = atob(body.base64);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The text of a stored body; bytes that are no UTF-8 show as U+FFFD. */
export function bodyText(body: Exchange["body"]): string {
  return "utf8" in body ? body.utf8 : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bodyBytes(body));
}

/** UTF-16 units of reply bodies up to which the samples of a run stay in memory: who needs them again need not read them. */
export const heldUnits = 16_000_000;

/** UTF-16 units of all bodies of a capture as they are stored. */
export function bodyUnits(capture: Capture): number {
  return capture.exchanges.reduce((sum, { body }) => sum + ("utf8" in body ? body.utf8 : body.base64).length, 0);
}
