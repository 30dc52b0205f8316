/**
 * Describes, as data, how numbers are packed into blocks of bytes together with their scales. Element i of a block has
 * the value
 *
 *     code(i) * scale(i) + offset(i)
 *
 * The product is exact in f32 in every such block, so only the addition rounds. Decoders follow these descriptions:
 * src/arrays/quantized/plain-packed-decoder.ts and src/jit/arrays/packed-block-kernel.ts.
 */
import type { FormatName } from './formats.ts';

/** A group of bits in a block. Bit 8 b + k is bit k of byte b. */
export interface BitField {
  readonly at: number;
  readonly bits: number;
}

/** The position of the i-th small number in a block, as its bit fields, lowest bits first. */
export type Places = (index: number) => readonly BitField[];

/** Small numbers, each shared by `share` neighboring elements. */
export interface Shared {
  readonly share: number;
  readonly places: Places;
}

/** A factor, or a factor times a small integer n: `factor * (times * n + plus)`. */
export interface Scale {
  /** The factor, in f16, ue8m0, or e4m3 without its sign. */
  readonly factor: Shared & { readonly format: 'f16' | 'ue8m0' | 'e4m3' };
  readonly multiplier: (Shared & { readonly signed: boolean; readonly times: number; readonly plus: number }) | null;
}

/** Integers of up to 8 bits, each meaning `n + plus`, where n is in two's complement if `signed`. */
export interface LinearCodes {
  readonly kind: 'linear';
  readonly places: Places;
  readonly signed: boolean;
  readonly plus: number;
}

/** Integers of up to 4 bits that select a value from a list; bf16 can represent every value. */
export interface ListedCodes {
  readonly kind: 'listed';
  readonly places: Places;
  readonly values: readonly number[];
}

/**
 * Bytes that hold five base-3 digits each; the first digit of byte b is the integer part of 3 b / 256. Digits 0, 1 and
 * 2 mean -1, 0 and 1.
 */
export interface DigitCodes {
  readonly kind: 'digits';
  readonly byteOf: (index: number) => number;
  readonly digitOf: (index: number) => number;
}

/** Integers that select a point of a grid; its coordinates are the codes of `share` neighboring elements. */
export interface GridCodes extends Shared {
  readonly kind: 'grid';
  /** The coordinates of all points, one point after another. */
  readonly grid: () => Int8Array;
  /**
   * One bit per coordinate of a point: 1 negates it. If only 7 of 8 sign bits are stored, the eighth one makes the
   * number of ones even.
   */
  readonly signs: Shared | null;
  /** One bit: 0 adds 1/8 to the coordinates, 1 subtracts it. */
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

/** How values become the codes and the scale of a block with linear codes, in f32 arithmetic. */
export interface BlockEncoding {
  /**
   * The number that the scale is computed from: the value of largest magnitude (the first one, if there are several),
   * its magnitude, or the largest value minus the smallest. The offset, which exists only with `range`, is the smallest
   * value.
   */
  readonly from: 'largest' | 'magnitude' | 'range';
  /** The scale is that number divided by this divisor. */
  readonly divisor: number;
  /** The stored code of 0, without an offset. */
  readonly zero: number;
  /** The limits of stored codes. */
  readonly least: number;
  readonly most: number;
  /** How codes halfway between two integers are rounded: up, or away from zero. */
  readonly ties: 'up' | 'away';
}

/** The part of a small number that lies within one byte: `((byte >> down) & mask) << up`. */
export interface Segment {
  readonly byte: number;
  readonly down: number;
  readonly mask: number;
  readonly up: number;
}

/** Splits fields at byte boundaries. */
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
