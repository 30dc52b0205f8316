/** Converts elements that are copied between a tensor and shared memory. */
import type { TensorElement } from '../../isa/tensor-map-fields.ts';

/** Computes the bits of a 4-byte element in shared memory. */
export type ConvertElement = (bits: number) => number;

const infinity = 0x7f80_0000;
const magnitude = 0x7fff_ffff;
const nan = 0x7fff_e000;

/**
 * The conversion of elements that are copied to shared memory, or null if they keep their bits. Values are rounded to
 * the nearest tf32 number, with ties to even. No type flushes subnormal values (docs/spec-questions.md).
 */
export function conversionOf({ rounds }: TensorElement): ConvertElement | null {
  return rounds ? roundToTf32 : null;
}

/** The number of low significand bits of f32 that tf32 does not have. */
const droppedBits = 13;

function roundToTf32(bits: number): number {
  if ((bits & magnitude) > infinity) return nan;
  const isOdd = (bits >>> droppedBits) & 1;
  const below = 2 ** (droppedBits - 1) - 1;
  return ((bits + below + isOdd) & -(2 ** droppedBits)) >>> 0;
}

/** The sizes of sixteen 6-bit elements in bytes: with one byte for each element, and packed without gaps. */
export const spreadBytes = 16;
export const packedBytes = 12;

/** Packs 6-bit elements, each of which is stored in the low bits of a byte (type b6p2x16). */
export function packSixBits(spread: Uint8Array): Uint8Array {
  const packed = new Uint8Array(packedBytes);
  for (let i = 0; i < spreadBytes; i++) {
    const bit = 6 * i;
    const value = ((spread[i] ?? 0) & 0x3f) << (bit & 7);
    packed[bit >> 3] = (packed[bit >> 3] ?? 0) | value;
    if (value > 0xff) packed[(bit >> 3) + 1] = value >> 8;
  }
  return packed;
}
