import { halfFloats, littleEndian } from "../little-endian.ts";

/** A tensor of a safetensors file. `shape`: the outermost dimension first. */
export interface SafeTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** Kept in 16 bits: only zeros and ones may be. */
  readonly half?: boolean;
}

/** Header and tensors begin at multiples of this. */
const alignment = 8;

/** Writes a safetensors file: length of the header, header as JSON, tensors. The same input gives the same bytes. */
export function safetensorsFile(tensors: readonly SafeTensor[]): Uint8Array {
  const contents = tensors.map(({ data, half = false }) => (half ? halfFloats(data) : littleEndian(data)));
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let offset = 0;
  for (const [index, { name, shape, half = false }] of tensors.entries()) {
    const end = offset + (contents[index]?.length ?? 0);
    header[name] = { dtype: half ? "F16" : "F32", shape, data_offsets: [offset, end] };
    offset = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerLength = Math.ceil(text.length / alignment) * alignment;
  const file = new Uint8Array(8 + headerLength + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerLength), true);
  file.fill(0x20, 8, 8 + headerLength);
  file.set(text, 8);
  let at = 8 + headerLength;
  for (const content of contents) {
    file.set(content, at);
    at += content.length;
  }
  return file;
}
