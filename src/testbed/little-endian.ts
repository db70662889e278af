/** The bytes of 32-bit floats, the lowest first, as model files have them. */
export function littleEndian(data: Float32Array): Uint8Array {
  const isLittle = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
  if (isLittle) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const bytes = new Uint8Array(data.byteLength);
  const view = new DataView(bytes.buffer);
  for (const [index, number] of data.entries()) view.setFloat32(index * 4, number, true);
  return bytes;
}

/** The same numbers in 16 bits. Only 0 and 1 are taken: they are all that has to be exact and small. Throws RangeError. */
export function halfFloats(data: Float32Array): Uint8Array {
  const bytes = new Uint8Array(data.length * 2);
  for (let index = 0; index < data.length; index++) {
    const number = data[index];
    if (number === 0) continue;
    if (number !== 1) throw new RangeError(`${number} is neither 0 nor 1`);
    // 0x3c00, the half-precision 1.
    bytes[index * 2 + 1] = 0x3c;
  }
  return bytes;
}
