/** Arrays of values in the formats that tensors are held in before they are quantized. */

/** f32 values, or bits of f16 or bf16. */
export type SourceArray = Float32Array | Uint16Array;
export type SourceFormat = 'f32' | 'f16' | 'bf16';

let halves: Float32Array | null = null;

/** The values of all f16, exactly. */
function halfValues(): Float32Array {
  halves ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const [exponent, fraction] = [(bits >>> 10) & 31, bits & 0x3ff];
    const sign = bits < 0x8000 ? 1 : -1;
    if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  });
  return halves;
}

/** Writes the values of a source as f32, exactly, and gives the part of `room` that holds them; f32 stay where they are. */
export function singlesOf(source: SourceArray, from: SourceFormat, room: Float32Array): Float32Array {
  if (source instanceof Float32Array) return source;
  const count = source.length;
  if (from === 'bf16') {
    const words = new Uint32Array(room.buffer, room.byteOffset, count);
    for (let i = 0; i < count; i++) words[i] = (source[i] as number) << 16;
  } else {
    const values = halfValues();
    for (let i = 0; i < count; i++) room[i] = values[source[i] as number] as number;
  }
  return room.subarray(0, count);
}
