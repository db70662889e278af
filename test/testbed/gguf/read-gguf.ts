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
    if (u32() !== 0) throw new Error("not 32-bit floats");
    return { name, dimensions, offset: u64() };
  });
  const start = Math.ceil(at / 32) * 32;
  const tensors = new Map(
    infos.map(({ name, dimensions, offset }) => {
      const count = dimensions.reduce((product, dimension) => product * dimension, 1);
      const bytes = file.slice(start + offset, start + offset + count * 4);
      return [name, { dimensions, data: new Float32Array(bytes.buffer) }] as const;
    }),
  );
  return { version, metadata, tensors };
}
