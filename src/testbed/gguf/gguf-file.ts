import { halfFloats, littleEndian } from "../little-endian.ts";

/** A metadata value with its type as GGUF knows it. */
export type GgufValue =
  | { readonly type: "u32" | "f32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly values: readonly string[] }
  | { readonly type: "f32s" | "i32s"; readonly values: readonly number[] };

/** A tensor. `dimensions` as GGUF wants them: the innermost (row length) first. */
export interface GgufTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly data: Float32Array;
  /** Kept in 16 bits: only zeros and ones may be. */
  readonly half?: boolean;
}

const typeCodes = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
/** Of tensors: floats of 32 and of 16 bits. */
const elementTypes = { single: 0, half: 1 } as const;
const alignment = 32;
const version = 3;

/** Writes a GGUF file (version 3, little-endian): the same input gives the same bytes. */
export function ggufFile(metadata: ReadonlyMap<string, GgufValue>, tensors: readonly GgufTensor[]): Uint8Array {
  const head = new ByteWriter();
  head.ascii("GGUF");
  head.u32(version);
  head.u64(tensors.length);
  head.u64(metadata.size);
  for (const [key, value] of metadata) {
    head.string(key);
    writeValue(head, value);
  }
  let offset = 0;
  const contents = tensors.map(({ data, half = false }) => (half ? halfFloats(data) : littleEndian(data)));
  for (const [index, { name, dimensions, half = false }] of tensors.entries()) {
    head.string(name);
    head.u32(dimensions.length);
    for (const dimension of dimensions) head.u64(dimension);
    head.u32(half ? elementTypes.half : elementTypes.single);
    head.u64(offset);
    offset += padded(contents[index]?.length ?? 0);
  }
  const headBytes = head.bytes();
  const file = new Uint8Array(padded(headBytes.length) + offset);
  file.set(headBytes);
  let at = padded(headBytes.length);
  for (const content of contents) {
    file.set(content, at);
    at += padded(content.length);
  }
  return file;
}

function writeValue(writer: ByteWriter, value: GgufValue): void {
  switch (value.type) {
    case "u32":
      writer.u32(typeCodes.u32);
      writer.u32(value.value);
      return;
    case "f32":
      writer.u32(typeCodes.f32);
      writer.f32(value.value);
      return;
    case "bool":
      writer.u32(typeCodes.bool);
      writer.byte(value.value ? 1 : 0);
      return;
    case "string":
      writer.u32(typeCodes.string);
      writer.string(value.value);
      return;
    case "strings":
      writer.array(typeCodes.string, value.values.length);
      for (const text of value.values) writer.string(text);
      return;
    case "f32s":
      writer.array(typeCodes.f32, value.values.length);
      for (const number of value.values) writer.f32(number);
      return;
    case "i32s":
      writer.array(typeCodes.i32, value.values.length);
      for (const number of value.values) writer.u32(number);
      return;
    default:
      value satisfies never;
  }
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

/** Collects the head of a file; it holds the whole vocabulary, so it grows by doubling. Making room replaces buffer and view. */
class ByteWriter {
  #buffer = new Uint8Array(1 << 16);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    const at = this.#room(1);
    this.#buffer[at] = value;
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: number): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  f32(value: number): void {
    const at = this.#room(4);
    this.#view.setFloat32(at, value, true);
  }

  ascii(text: string): void {
    this.#raw(new TextEncoder().encode(text));
  }

  string(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.u64(bytes.length);
    this.#raw(bytes);
  }

  array(elementType: number, length: number): void {
    this.u32(typeCodes.array);
    this.u32(elementType);
    this.u64(length);
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Makes room for so many bytes and returns where they begin. */
  #room(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length));
      larger.set(this.#buffer);
      this.#buffer = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
