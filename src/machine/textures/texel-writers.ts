/** Converts values to the formats of surfaces, as an H200 does for `sust.p`. */
import type { TexelTypeName } from '../../isa/texture-fields.ts';

/**
 * Writes the channel at an offset. The value is a 32-bit word. Only the writer for f16 treats it as a float and
 * converts it.
 */
export type WriteChannel = (texel: DataView, at: number, word: number) => void;

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
const writeWord: WriteChannel = (texel, at, word) => texel.setInt32(at, word, true);

/** Integers are clamped to the range of the format. */
export const channelWriters: Readonly<Record<TexelTypeName, WriteChannel>> = {
  u8: (texel, at, word) => texel.setUint8(at, Math.min(0xff, word >>> 0)),
  s8: (texel, at, word) => texel.setInt8(at, clamp(word, -0x80, 0x7f)),
  u16: (texel, at, word) => texel.setUint16(at, Math.min(0xffff, word >>> 0), true),
  s16: (texel, at, word) => texel.setInt16(at, clamp(word, -0x8000, 0x7fff), true),
  u32: writeWord,
  s32: writeWord,
  f16: (texel, at, word) => texel.setUint16(at, halfOf(word), true),
  f32: writeWord,
};

/** The difference between the exponent biases of f32 and f16. */
const biases = 127 - 15;

/**
 * Converts an f32 number to f16, rounding toward zero. A NaN keeps the leading bits of its payload; if these are all
 * zero, the lowest bit is set.
 */
function halfOf(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const [exponent, fraction] = [(word >>> 23) & 0xff, word & 0x7f_ffff];
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : Math.max(1, fraction >>> 13));
  if (exponent > biases + 30) return sign | 0x7bff;
  if (exponent > biases) return sign | ((exponent - biases) << 10) | (fraction >>> 13);
  const shift = 14 + biases - exponent;
  return sign | (shift > 24 ? 0 : (fraction | 0x80_0000) >>> shift);
}
