/** Reads channels of texels, and writes the results of texture instructions. */
import { numberBits, f16Value } from '../../numerics/number-bits.ts';
import type { TexelType, TexelTypeName } from '../../isa/texture-fields.ts';

/** Reads the channel at an offset. */
export type ReadChannel = (texels: DataView, at: number) => number;

const readers: Readonly<Record<TexelTypeName, ReadChannel>> = {
  u8: (texels, at) => texels.getUint8(at),
  s8: (texels, at) => texels.getInt8(at),
  u16: (texels, at) => texels.getUint16(at, true),
  s16: (texels, at) => texels.getInt16(at, true),
  u32: (texels, at) => texels.getUint32(at, true),
  s32: (texels, at) => texels.getInt32(at, true),
  f16: (texels, at) => halves()[texels.getUint16(at, true)] ?? 0,
  f32: (texels, at) => texels.getFloat32(at, true),
};

let knownHalves: Float64Array | null = null;

/** The values of all codes of f16. */
function halves(): Float64Array {
  knownHalves ??= Float64Array.from({ length: 2 ** 16 }, (_, code) => f16Value(code));
  return knownHalves;
}

/** @param normalizes whether integers are read as numbers from 0 to 1, or from -1 to 1 if they are signed */
export function channelReader({ name, kind, bytes }: TexelType, normalizes: boolean): ReadChannel {
  const read = readers[name];
  if (!normalizes || kind === 'float') return read;
  const greatest = 2 ** (8 * bytes - (kind === 'signed' ? 1 : 0)) - 1;
  // The least signed integer is a little less than -1.
  return (texels, at) => Math.max(-1, read(texels, at) / greatest);
}

/** Writes the bits of the four results. */
export type WriteResults = (values: Float64Array, results: Uint32Array) => void;

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/**
 * Returns the function that writes results, which are floats or integers.
 *
 * @param narrows whether floats are converted to f16
 */
export function resultWriter(isFloat: boolean, narrows: boolean): WriteResults {
  const bitsOf = isFloat ? floatBits : (value: number): number => value;
  const codeOf = isFloat && narrows ? (value: number): number => Number(numberBits('f16', value)) : bitsOf;
  return (values, results) => {
    for (let i = 0; i < 4; i++) results[i] = codeOf(values[i] ?? 0);
  };
}

function floatBits(value: number): number {
  float[0] = value;
  return word[0] ?? 0;
}
