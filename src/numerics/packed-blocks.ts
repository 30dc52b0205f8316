/**
 * Types that describe how numbers are packed into blocks of bytes together with their scales. Element i of a block has
 * the value
 *
 * code(i) * scale(i) + offset(i)
 *
 * In all of these blocks, f32 can represent the product exactly, so only the addition is rounded. Decoders follow these
 * descriptions: src/arrays/quantized/plain-packed-decoder.ts and src/jit/arrays/packed-block-kernel.ts.
 */
import type { FormatName } from './formats.ts';

/** A group of bits in a block. Bit 8 b + k is bit k of byte b. */
export interface BitField {
  readonly at: number;
  readonly bits: number;
}

/**
 * Returns the position of a small number in a block as a list of the bit fields that contain it. The field with the
 * lowest bits of the number comes first.
 */
export type Places = (index: number) => readonly BitField[];

/** Small numbers that are stored in a block. Each number applies to `share` consecutive elements. */
export interface Shared {
  readonly share: number;
  readonly places: Places;
}

/**
 * The scale of an element. If there is no multiplier, the scale is the factor. If there is a multiplier, it is a small
 * integer n, and the scale is `factor * (times * n + plus)`.
 */
export interface Scale {
  /** The factor, which is stored as an f16, ue8m0 or e4m3 number; the sign of an e4m3 number is ignored. */
  readonly factor: Shared & { readonly format: 'f16' | 'ue8m0' | 'e4m3' };
  readonly multiplier: (Shared & { readonly signed: boolean; readonly times: number; readonly plus: number }) | null;
}

/** Codes that are integers of up to 8 bits, in two's complement if `signed`. The value of the code n is `n + plus`. */
export interface LinearCodes {
  readonly kind: 'linear';
  readonly places: Places;
  readonly signed: boolean;
  readonly plus: number;
}

/** Integers of up to 4 bits that select a value from a list. Every value in the list can be represented in bf16. */
export interface ListedCodes {
  readonly kind: 'listed';
  readonly places: Places;
  readonly values: readonly number[];
}

/**
 * Codes that are base-3 digits, five in each byte. The first digit of a byte b is the integer part of 3 * b / 256. The
 * digits 0, 1 and 2 mean -1, 0 and 1.
 */
export interface DigitCodes {
  readonly kind: 'digits';
  readonly byteOf: (index: number) => number;
  readonly digitOf: (index: number) => number;
}

/**
 * Integers, each of which selects a point in a grid. The coordinates of the selected point are the codes of `share`
 * neighboring elements.
 */
export interface GridCodes extends Shared {
  readonly kind: 'grid';
  /** The coordinates of all points, one point after another. */
  readonly grid: () => Int8Array;
  /**
   * Sign bits, one for each coordinate of a point; the coordinate is negated if its bit is 1. If only 7 of 8 sign bits
   * are stored, the eighth is the parity bit that makes the number of ones even.
   */
  readonly signs: Shared | null;
  /** A bit that shifts the coordinates: if it is 0, 1/8 is added to them; if it is 1, 1/8 is subtracted. */
  readonly shift: Shared | null;
}

export interface PackedBlock {
  readonly elements: number;
  readonly bytes: number;
  /** The narrowest format that can hold the codes. */
  readonly code: FormatName;
  readonly codes: LinearCodes | ListedCodes | DigitCodes | GridCodes;
  readonly scale: Scale;
  readonly offset: Scale | null;
}

/**
 * How the codes and the scale of a block with linear codes are computed from the values in the block, in f32
 * arithmetic.
 */
export interface BlockEncoding {
  /**
   * The number from which the scale is computed. `largest`: the value with the largest magnitude (the first one if
   * there are several). `magnitude`: the magnitude of this value. `range`: the largest value minus the smallest; in
   * this case, the block also has an offset, which is the smallest value.
   */
  readonly from: 'largest' | 'magnitude' | 'range';
  /** The number selected by `from` is divided by this divisor to get the scale. */
  readonly divisor: number;
  /** The code that is stored for the value 0 if the block has no offset. */
  readonly zero: number;
  /** The limits of stored codes. */
  readonly least: number;
  readonly most: number;
  /** How codes halfway between two integers are rounded: up, or away from zero. */
  readonly ties: 'up' | 'away';
}

/**
 * One part of a small number. The part is contained in a single byte, and contributes `((byte >> down) & mask) << up`
 * to the number.
 */
export interface Segment {
  readonly byte: number;
  readonly down: number;
  readonly mask: number;
  readonly up: number;
}

/** Splits bit fields at byte boundaries, so that each segment lies within a single byte. */
export function segmentsOf(fields: readonly BitField[]): readonly Segment[] {
  const segments: Segment[] = [];
  let up = 0;
  for (const { at, bits } of fields) {
    for (let bit = at; bit < at + bits; ) {
      const down = bit % 8;
      const width = Math.min(8 - down, at + bits - bit);
      segments.push({ byte: (bit - down) / 8, down, mask: 2 ** width - 1, up });
      up += width;
      bit += width;
    }
  }
  return segments;
}

/** Width of a small number in bits. */
export function widthOf(fields: readonly BitField[]): number {
  return fields.reduce((sum, { bits }) => sum + bits, 0);
}
