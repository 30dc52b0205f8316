/**
 * The layout of the 128 bytes of a tensor map. The ISA does not specify this layout; it was derived from the bits that
 * the driver of an H200 writes and from the bits that `tensormap.replace` changes on this GPU. The bits that were not
 * measured are listed in docs/spec-questions.md.
 */
import { elementAt } from '../base/element-at.ts';

/** The number of 64-bit words of a tensor map that instructions read. */
export const tensorMapWords = 8;

/** A bit field in a 32-bit word of a tensor map. */
export interface MapField {
  /** The offset of the word in bytes. */
  readonly at: number;
  readonly low: number;
  readonly width: number;
}

/**
 * The sizes of the tensor and of the box, and the element strides, are stored minus one, so a stored 0 means 1. A map
 * for im2col mode has `channels`, `pixels` and the two corners instead of `box`.
 */
export const tensorMapFields = {
  /** An 8-byte field: the address of the tensor in global memory. */
  address: 0,
  /** The value is 1 if the map is for im2col mode. */
  isIm2col: { at: 8, low: 0, width: 1 },
  /** The number of dimensions minus one. */
  rank: { at: 8, low: 4, width: 3 },
  /** The number of the element type; for a type that is rounded to tf32, the number of the corresponding f32 type. */
  elementType: { at: 8, low: 7, width: 4 },
  /** Values other than 0 stand for layouts that ptxlab does not support. */
  interleave: { at: 8, low: 11, width: 2 },
  /** Together with `farSwizzle` and `atomicity`, this field contains the `code` of a row of `swizzles`. */
  swizzle: { at: 8, low: 13, width: 2 },
  /** The value is 1 if elements outside the tensor are NaN, and 0 if they are zero. */
  fill: { at: 8, low: 15, width: 1 },
  /** The value is 1 if elements are rounded to tf32. */
  rounds: { at: 8, low: 16, width: 1 },
  atomicity: { at: 8, low: 20, width: 2 },
  /** The highest of the three bits of the swizzling mode. */
  farSwizzle: { at: 8, low: 22, width: 1 },
  /** A 4-byte field for each dimension except the innermost: the low bits of the stride, in units of 16 bytes. */
  strides: 12,
  /** The high bits of the strides, four bits for each stride. */
  highStrides: { at: 28, low: 0, width: 16 },
  /** A 4-byte field for each dimension: the size of the dimension minus one. */
  dimensions: 32,
  /** A 3-bit field for each dimension, innermost first: the element stride minus one. */
  elementStrides: { at: 52, low: 0, width: 15 },
  /** A 1-byte field for each dimension, innermost first: the size of the box minus one. */
  box: 55,
  /** A 1-byte field: the number of channels per pixel minus one. */
  channels: 55,
  /**
   * Two 2-byte fields: the corners of the bounding box of the pixels. `cornerBits` contains the number of bits per
   * dimension.
   */
  lowerCorner: 56,
  upperCorner: 58,
  /** The number of pixels per column minus one. */
  pixels: { at: 60, low: 0, width: 10 },
  /**
   * A 4-byte field: the number of bytes to copy. `tensormap.replace` does not change this field, and no instruction
   * reads it.
   */
  copied: 64,
  /** A 4-byte field: the alignment in shared memory that the swizzle requires. No instruction reads this field. */
  alignment: 72,
} as const;

/**
 * Masks of the bits that can differ between tensor maps, by the byte offset of the word. All other bits of these words
 * are 0.
 */
export const knownBits: Readonly<Record<number, number>> = { 8: 0x71_fff1, 28: 0xffff, 52: 0xff00_7fff };

/** Every stride is a multiple of this number of bytes. */
export const strideUnit = 16;
export const lowStrideBits = 32;
export const highStrideBits = 4;
export const elementStrideBits = 3;

/**
 * The number of bits in a corner coordinate of a map for im2col mode, by the number of dimensions of the tensor (PTX
 * ISA 9.1, section 5.5.4.1). The coordinates are signed, and the tensor has at least three dimensions.
 */
export const cornerBits: readonly number[] = [0, 0, 0, 16, 8, 5];

/** The maximum size of a box along a dimension, which is also the maximum number of channels per pixel. */
export const mostInBox = 256;
export const mostPixels = 1024;

/** How 16-byte chunks are swizzled in shared memory. */
export interface Swizzle {
  /** The swizzling mode and the swizzle atomicity, as `tensormap.replace` numbers them. */
  readonly code: readonly [mode: number, atomicity: number];
  /** The width of the swizzle in bytes, which is also the maximum length of a row of the box. */
  readonly bytes: 0 | 32 | 64 | 96 | 128;
  /** The number of consecutive bytes that are moved as a unit. */
  readonly atom: 16 | 32 | 64;
  /** The number of 128-byte lines after which the pattern repeats. */
  readonly lines: 1 | 2 | 4 | 8;
  /** Whether the halves of each chunk are swapped in every second line. */
  readonly flips: boolean;
}

/** All kinds of swizzles (PTX ISA 9.1, section 5.5.7). */
export const swizzles: readonly Swizzle[] = [
  { code: [0, 0], bytes: 0, atom: 16, lines: 1, flips: false },
  { code: [1, 0], bytes: 32, atom: 16, lines: 2, flips: false },
  { code: [2, 0], bytes: 64, atom: 16, lines: 4, flips: false },
  { code: [3, 0], bytes: 128, atom: 16, lines: 8, flips: false },
  { code: [3, 1], bytes: 128, atom: 32, lines: 4, flips: false },
  { code: [3, 2], bytes: 128, atom: 32, lines: 4, flips: true },
  { code: [3, 3], bytes: 128, atom: 64, lines: 2, flips: false },
  { code: [4, 0], bytes: 96, atom: 16, lines: 2, flips: false },
];

export const tensorElementTypes = [
  'u8',
  'u16',
  'u32',
  's32',
  'u64',
  's64',
  'f16',
  'f32',
  'f32.ftz',
  'f64',
  'bf16',
  'tf32',
  'tf32.ftz',
  'b4x16',
  'b4x16_p64',
  'b6x16_p32',
] as const;

export type TensorElementType = (typeof tensorElementTypes)[number];

/**
 * How elements are stored. Elements narrower than a byte are copied in groups; every wider element forms a group by
 * itself.
 */
export interface TensorElement {
  readonly type: TensorElementType;
  /** The number of elements in a group. */
  readonly group: 1 | 2 | 16;
  /** The size of a group in the tensor, in bytes. */
  readonly bytes: 1 | 2 | 4 | 8 | 12;
  /** The size of a group in shared memory, in bytes. Bytes after the elements are padding, which is not written. */
  readonly sharedBytes: 1 | 2 | 4 | 8 | 16;
  /** Whether elements outside the tensor can be filled with NaNs. */
  readonly isFloat: boolean;
  /** Whether elements are rounded to tf32 when they are copied to shared memory. */
  readonly rounds: boolean;
  /** Whether reductions flush subnormal elements to zero. */
  readonly flushes: boolean;
}

/**
 * The NaN with which f16 and bf16 elements outside a tensor are filled, and which `fma.oob` recognizes. Wider elements
 * are filled with several copies of this NaN. The ISA does not specify its bits; these are the bits that an H200
 * writes.
 */
export const outsideNan = 0x7ff7;

const integer = { isFloat: false, rounds: false, flushes: false } as const;

function single(bytes: 1 | 2 | 4 | 8): Omit<TensorElement, 'type'> {
  return { group: 1, bytes, sharedBytes: bytes, ...integer };
}

function float(bytes: 2 | 4 | 8): Omit<TensorElement, 'type'> {
  return { ...single(bytes), isFloat: true };
}

const storage: Readonly<Record<TensorElementType, Omit<TensorElement, 'type'>>> = {
  u8: single(1),
  u16: single(2),
  u32: single(4),
  s32: single(4),
  u64: single(8),
  s64: single(8),
  f16: float(2),
  f32: float(4),
  'f32.ftz': { ...float(4), flushes: true },
  f64: float(8),
  bf16: float(2),
  tf32: { ...float(4), rounds: true },
  'tf32.ftz': { ...float(4), rounds: true, flushes: true },
  b4x16: { group: 2, bytes: 1, sharedBytes: 1, ...integer },
  b4x16_p64: { group: 16, bytes: 8, sharedBytes: 16, ...integer },
  b6x16_p32: { group: 16, bytes: 12, sharedBytes: 16, ...integer },
};

/**
 * The element types, in the order of their numbers in `tensormap.replace.tile.elemtype` (PTX ISA 9.1, section
 * 9.7.9.28). The last type is called b6p2x16 in copies to a tensor.
 */
export const tensorElements: readonly TensorElement[] = tensorElementTypes.map((type) => ({ type, ...storage[type] }));

export function tensorElement(type: TensorElementType): TensorElement {
  return elementAt(tensorElements, tensorElementTypes.indexOf(type));
}

/**
 * Returns the contents of the fields `elementType` and `rounds`. A type that is rounded to tf32 has the number of the
 * corresponding f32 type.
 */
export function elementCode({ type, rounds }: TensorElement): readonly [elementType: number, rounds: number] {
  const number = tensorElementTypes.indexOf(type);
  return rounds ? [number - roundedDistance, 1] : [number, 0];
}

/** The difference between the number of a type that is rounded to tf32 and the number of the corresponding f32 type. */
export const roundedDistance: number = tensorElementTypes.indexOf('tf32') - tensorElementTypes.indexOf('f32');

/** Whether groups are larger in shared memory than in the tensor. */
export function isPadded({ bytes, sharedBytes }: TensorElement): boolean {
  return bytes !== sharedBytes;
}

/**
 * If groups are padded, the number of elements that each row of a box must have. The innermost size of the tensor and
 * the innermost coordinate of a box must be multiples of this number (PTX ISA 9.1, section 9.7.9.25.5.1).
 */
export const paddedBlock = 128;
