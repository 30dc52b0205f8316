/**
 * What the 128 bytes of a tensor map contain. The ISA and the driver do not specify it, so ptxlab has a layout of its own.
 * Programs can change the fields only with `tensormap.replace`, and can copy the map as a whole.
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

/** The byte by which a tensor map is recognized. */
export const tensorMapTag = 0x54;

export type TensorElementType = 'u8' | 'u16' | 'u32' | 's32' | 'u64' | 's64' | 'f16' | 'f32' | 'f64' | 'bf16' | 'tf32';

export interface TensorElement {
  readonly type: TensorElementType;
  /** Its size. */
  readonly bytes: 1 | 2 | 4 | 8;
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
  { type: 'u8', bytes: 1, nan: null },
  { type: 'u16', bytes: 2, nan: null },
  { type: 'u32', bytes: 4, nan: null },
  { type: 's32', bytes: 4, nan: null },
  { type: 'u64', bytes: 8, nan: null },
  { type: 's64', bytes: 8, nan: null },
  { type: 'f16', bytes: 2, nan: nan16 },
  { type: 'f32', bytes: 4, nan: nan32 },
  null,
  { type: 'f64', bytes: 8, nan: nan64 },
  { type: 'bf16', bytes: 2, nan: nan16 },
  { type: 'tf32', bytes: 4, nan: nan32 },
  null,
  null,
  null,
  null,
];

export function tensorElement(type: TensorElementType): TensorElement {
  const found = tensorElements.find((element) => element?.type === type);
  if (found == null) throw new Error(`no tensor has elements of type ${type}`);
  return found;
}
