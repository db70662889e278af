/** Reads back what a GGUF file holds, from the format's own description and nothing of the writer. */
export interface ReadGguf {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, unknown>;
  readonly tensors: ReadonlyMap<string, { readonly dimensions: readonly number[]; readonly data: Float32Array }>;
}

export function readGguf(file: Uint8Array): ReadGguf {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 4;
  const u32 = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const u64 = () => {
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  };
  const text = () => {
    const length = u64();
    at += length;
    return new TextDecoder().decode(file.subarray(at - length, at));
  };
  const value = (type: number): unknown => {
    if (type === 4 || type === 5) return u32();
    if (type === 7) return file[at++] === 1;
    if (type === 8) return text();
    if (type === 6) {
      at += 4;
      return view.getFloat32(at - 4, true);
    }
    if (type !== 9) throw new Error(`type ${type}`);
    const element = u32();
    return Array.from({ length: u64() }, () => value(element));
  };
  if (new TextDecoder().decode(file.subarray(0, 4)) !== "GGUF") throw new Error("no GGUF file");
  const version = u32();
  const tensorCount = u64();
  const keyCount = u64();
  const metadata = new Map<string, unknown>();
  for (let index = 0; index < keyCount; index++) {
    const key = text();
    metadata.set(key, value(u32()));
  }
  const infos = Array.from({ length: tensorCount }, () => {
    const name = text();
    const dimensions = Array.from({ length: u32() }, u64);
    const type = u32();
    if (type !== 0 && type !== 1) throw new Error(`tensor type ${type}`);
    return { name, dimensions, type, offset: u64() };
  });
  const start = Math.ceil(at / 32) * 32;
  const tensors = new Map(
    infos.map(({ name, dimensions, type, offset }) => {
      const count = dimensions.reduce((product, dimension) => product * dimension, 1);
      const bytes = file.slice(start + offset, start + offset + count * (type === 0 ? 4 : 2));
      const data = type === 0 ? new Float32Array(bytes.buffer) : readHalves(bytes);
      return [name, { dimensions, data }] as const;
    }),
  );
  return { version, metadata, tensors };
}

/** Half-precision floats, widened. */
export function readHalves(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length / 2 }, (_, index) => {
    const half = view.getUint16(index * 2, true);
    const exponent = (half >> 10) & 0x1f;
    const size = exponent === 0 ? (half & 0x3ff) * 2 ** -24 : (1 + (half & 0x3ff) / 1024) * 2 ** (exponent - 15);
    return half >> 15 === 1 ? -size : size;
  });
}
