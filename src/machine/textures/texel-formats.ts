/** Reads channels of texels, and writes the results of texture instructions. */
import { once } from '../../base/once.ts';
import { f16Value, numberBits } from '../../numerics/number-bits.ts';
import type { TexelType, TexelTypeName } from '../../isa/texture-fields.ts';
import { leastNormal } from './coordinates.ts';
import { f16Format, f32Format, FloatSum, IntegerSum, type TexelSum, totalWeight } from './mixing.ts';

/** Reads the channel at an offset. */
export type ReadChannel = (texels: DataView, at: number) => number;

/** How texels of a format are read, mixed and returned. */
export interface TexelReader {
  /** The bits of the result if a single texel is read. */
  readonly bits: ReadChannel;
  /** The number that is used if several texels are mixed. */
  readonly channel: ReadChannel;
  readonly sum: TexelSum;
  /** The bits of the result for the mean of several texels. */
  readonly bitsOfMean: (mean: number) => number;
  /** Like `bits` and `channel`, but for a channel of the border color. */
  readonly bitsOfColor: (color: number) => number;
  readonly channelOfColor: (color: number) => number;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function floatBits(value: number): number {
  float[0] = value;
  return word[0] ?? 0;
}

const integerReaders: Readonly<Record<Exclude<TexelTypeName, 'f16' | 'f32'>, ReadChannel>> = {
  u8: (texels, at) => texels.getUint8(at),
  s8: (texels, at) => texels.getInt8(at),
  u16: (texels, at) => texels.getUint16(at, true),
  s16: (texels, at) => texels.getInt16(at, true),
  u32: (texels, at) => texels.getUint32(at, true),
  s32: (texels, at) => texels.getInt32(at, true),
};

/** @param normalizes whether integers are read as numbers from 0 to 1, or from -1 to 1 if they are signed */
export function texelReader({ name, kind, bytes }: TexelType, normalizes: boolean): TexelReader {
  if (name === 'f32') return singles();
  if (name === 'f16') return halves();
  const read = integerReaders[name];
  const bits = 8 * bytes;
  if (!normalizes) return integers(read, kind === 'signed', bits);
  return kind === 'signed' ? signedFractions(read, bits) : unsignedFractions(read, bits);
}

/** Integers are not mixed. For the border color, the lowest bits of its f32 bit pattern are used. */
function integers(read: ReadChannel, isSigned: boolean, bits: number): TexelReader {
  const unused = 32 - bits;
  const channelOfColor = (color: number): number =>
    isSigned ? (floatBits(color) << unused) >> unused : (floatBits(color) << unused) >>> unused;
  return {
    bits: (texels, at) => read(texels, at) >>> 0,
    channel: read,
    sum: new IntegerSum(roundedMean),
    bitsOfMean: (mean) => mean >>> 0,
    bitsOfColor: (color) => channelOfColor(color) >>> 0,
    channelOfColor,
  };
}

/** The mean of several fractions is computed as a 16-bit number. */
export const greatestUnsigned: number = 2 ** 16 - 1;
export const greatestSigned: number = 2 ** 15 - 1;

function unsignedFractions(read: ReadChannel, bits: number): TexelReader {
  const greatest = 2 ** bits - 1;
  const factor = greatestUnsigned / greatest;
  const codeOf = (color: number): number => fractionCode(Math.max(0, color), bits);
  return {
    bits: (texels, at) => floatBits(read(texels, at) / greatest),
    channel: (texels, at) => factor * read(texels, at),
    sum: new IntegerSum(roundedMean),
    bitsOfMean: (mean) => floatBits(mean / greatestUnsigned),
    bitsOfColor: (color) => floatBits(codeOf(color) / greatest),
    channelOfColor: (color) => factor * codeOf(color),
  };
}

function signedFractions(read: ReadChannel, bits: number): TexelReader {
  const greatest = 2 ** (bits - 1) - 1;
  const codeOf = (color: number): number =>
    color < 0 ? 0 - fractionCode(-color, bits - 1) : fractionCode(color, bits - 1);
  return {
    // The smallest integer is read as the same number as the next larger one, unless texels are mixed.
    bits: (texels, at) => floatBits(Math.max(-greatest, read(texels, at)) / greatest),
    channel: read,
    sum: new IntegerSum(bits === 8 ? widenedMean : roundedMean),
    bitsOfMean: (mean) => floatBits(Math.max(-greatestSigned, mean) / greatestSigned),
    bitsOfColor: (color) => floatBits(codeOf(color) / greatest),
    channelOfColor: codeOf,
  };
}

/** The mean of 8-bit integers, as a 16-bit number: it is multiplied by about 32767 / 127. */
function widenedMean(sum: number): number {
  const highest = sum >> 4;
  return roundUp(sum + highest / 8 + highest / 2048);
}

const roundedMean = (sum: number): number => roundUp(sum / totalWeight);

/** Rounds to the nearest integer, with ties rounded up. */
const roundUp = (value: number): number => Math.floor(value + 0.5);

/**
 * The code for a positive channel of the border color. It is computed from a few more bits than the code has, and a
 * value halfway between two codes is rounded down.
 */
function fractionCode(color: number, bits: number): number {
  const size = 2 ** (bits + 4);
  const cut = Math.floor(Math.min(1, color) * size);
  return Math.max(0, Math.ceil((cut * (2 ** bits - 1)) / size - 0.5));
}

/** The f32 bits of the mean of several texels if one of them is a NaN. */
export const canonicalNan = 0x7fff_ffff;

/** A single texel keeps all of its bits. If texels are mixed, subnormal numbers are treated as zeros. */
function singles(): TexelReader {
  return {
    bits: (texels, at) => texels.getUint32(at, true),
    channel: (texels, at) => {
      const value = texels.getFloat32(at, true);
      if (value === 0 || !(Math.abs(value) < leastNormal)) return value;
      return value < 0 ? -0 : 0;
    },
    sum: new FloatSum(f32Format),
    bitsOfMean: (mean) => (Number.isNaN(mean) ? canonicalNan : floatBits(mean)),
    bitsOfColor: floatBits,
    channelOfColor: (color) => color,
  };
}

interface Halves {
  readonly values: Float64Array;
  /** The f32 bits of the values. */
  readonly bits: Uint32Array;
}

/** All f16 numbers. */
const allHalves = once((): Halves => {
  const values = Float64Array.from({ length: 2 ** 16 }, (_, code) => f16Value(code));
  return { values, bits: Uint32Array.from(values, (value, code) => bitsOfHalf(code, value)) };
});

function halves(): TexelReader {
  const { values, bits } = allHalves();
  return {
    bits: (texels, at) => bits[texels.getUint16(at, true)] ?? 0,
    channel: (texels, at) => values[texels.getUint16(at, true)] ?? 0,
    sum: new FloatSum(f16Format),
    bitsOfMean: (mean) => (Number.isNaN(mean) ? bitsOfHalf(0x7fff, mean) : floatBits(mean)),
    bitsOfColor: (color) => floatBits(halfColor(color)),
    channelOfColor: halfColor,
  };
}

/** The f32 bits of the value that an f16 code stands for. NaNs keep their sign and payload. */
function bitsOfHalf(code: number, value: number): number {
  if (!Number.isNaN(value)) return floatBits(value);
  return (((code & 0x8000) << 16) | 0x7f80_0000 | ((code & 0x3ff) << 13)) >>> 0;
}

const greatestHalf = 65504;

/** The border color as an f16 number, rounded toward zero. */
function halfColor(color: number): number {
  const size = Math.abs(color);
  if (!(size > 0 && size < greatestHalf))
    return Number.isNaN(color) ? color : Math.sign(color) * Math.min(size, greatestHalf);
  const step = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10);
  return Math.trunc(color / step) * step;
}

/** Converts the bits of an f32 number to those of an f16 number. */
export function narrowBits(bits: number): number {
  word[0] = bits;
  const value = float[0] ?? 0;
  return Number.isNaN(value) ? 0x7fff : Number(numberBits('f16', value));
}
