/**
 * What the 128 bytes of a tensor map contain. The ISA and the driver do not say it, so the layout is ptxlab's own. A
 * program can only change the fields with `tensormap.replace`, or copy all of them.
 */

/** The number of 64-bit words that ptxlab uses. */
export const tensorMapWords = 11;

/**
 * Offsets of the fields in bytes. Sizes of the box, element strides and sizes of the tensor are stored minus one, so
 * that zeros stand for 1.
 */
export const tensorMapFields = {
  /** 8 bytes. */
  address: 0,
  /** One byte, `tensorMapTag`. */
  tag: 8,
  /** One byte, an index into `tensorElements`. */
  elementType: 9,
  /** One byte, the number of dimensions minus one. */
  rank: 10,
  /** One byte: 0 for none, and 1, 2 and 3 for 32, 64 and 128 bytes. */
  swizzle: 11,
  /** One byte: 1 if elements outside the tensor are NaN, 0 if they are zero. */
  fill: 12,
  /** One byte each. All values but 0 stand for layouts that ptxlab does not copy. */
  interleave: 13,
  atomicity: 14,
  /** One byte for each dimension, innermost first. */
  box: 16,
  elementStrides: 24,
  /** 4 bytes for each dimension. */
  dimensions: 32,
  /** 8 bytes for each dimension but the innermost: the distance in bytes between neighbors. */
  strides: 56,
} as const;

/** By this byte, a tensor map is recognized. */
export const tensorMapTag = 0x54;

export type TensorElementType = 'u8' | 'u16' | 'u32' | 's32' | 'u64' | 's64' | 'f16' | 'f32' | 'f64' | 'bf16' | 'tf32';

export interface TensorElement {
  readonly type: TensorElementType;
  /** Binary logarithm of its size in bytes. */
  readonly logBytes: number;
  /** The bits of 8 bytes of NaNs; null for integers. */
  readonly nan: bigint | null;
}

const nan16 = 0x7ff7_7ff7_7ff7_7ff7n;
const nan32 = 0x7fff_ffff_7fff_ffffn;
const nan64 = 0x7fff_ffff_ffff_ffffn;

/**
 * The types of elements, in the order of the numbers by which `tensormap.replace.tile.elemtype` names them (PTX ISA 9.1,
 * section 9.7.9.28); null for types that ptxlab does not copy, which are those that flush subnormal numbers and those
 * of 4 and 6 bits.
 */
export const tensorElements: readonly (TensorElement | null)[] = [
  { type: 'u8', logBytes: 0, nan: null },
  { type: 'u16', logBytes: 1, nan: null },
  { type: 'u32', logBytes: 2, nan: null },
  { type: 's32', logBytes: 2, nan: null },
  { type: 'u64', logBytes: 3, nan: null },
  { type: 's64', logBytes: 3, nan: null },
  { type: 'f16', logBytes: 1, nan: nan16 },
  { type: 'f32', logBytes: 2, nan: nan32 },
  null,
  { type: 'f64', logBytes: 3, nan: nan64 },
  { type: 'bf16', logBytes: 1, nan: nan16 },
  { type: 'tf32', logBytes: 2, nan: nan32 },
  null,
  null,
  null,
  null,
];
