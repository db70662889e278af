/** Decodes UTF-8 that arrives in pieces. Undecodable bytes become U+FFFD and make `damaged` true; it never throws. */
export interface Utf8Decoder {
  push(bytes: Uint8Array): string;
  /** Text of what was held back at the end: U+FFFD where a character was cut. */
  end(): string;
  /** True once a byte could not be decoded; a U+FFFD that the sender wrote itself does not count. */
  damaged(): boolean;
}

/** A decoder for one body; a leading byte order mark is dropped. */
export function createUtf8Decoder(): Utf8Decoder {
  // Made on first use: a body that is text already never needs one, and it is the dearest part of a reader.
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let damaged = false;
  // The last two bytes of the piece before: a written U+FFFD (EF BF BD) may be split over pieces.
  let before: readonly number[] = [];

  function inspect(text: string, bytes: Uint8Array): string {
    if (!damaged && text.includes("\uFFFD")) damaged = countReplacements(text) > countWritten(before, bytes);
    before = bytes.length >= 2 ? [...bytes.subarray(-2)] : [...before, ...bytes].slice(-2);
    return text;
  }

  return {
    push(bytes) {
      decoder ??= new TextDecoder("utf-8");
      return inspect(decoder.decode(bytes, { stream: true }), bytes);
    },
    end: () => (decoder === undefined ? "" : inspect(decoder.decode(), new Uint8Array(0))),
    damaged: () => damaged,
  };
}

function countReplacements(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\uFFFD"); at >= 0; at = text.indexOf("\uFFFD", at + 1)) count += 1;
  return count;
}

/** EF is never a continuation byte, so EF BF BD is always one written U+FFFD wherever it stands. */
function countWritten(before: readonly number[], bytes: Uint8Array): number {
  const offset = before.length;
  const byteAt = (index: number) => (index < offset ? before[index] : bytes[index - offset]);
  let count = 0;
  for (let index = 0; index + 2 < offset + bytes.length; index++) {
    if (byteAt(index) === 0xef && byteAt(index + 1) === 0xbf && byteAt(index + 2) === 0xbd) count += 1;
  }
  return count;
}
