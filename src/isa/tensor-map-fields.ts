/**
 * What the 128 bytes of a tensor map contain. The ISA and the driver do not specify it, so ptxlab has a layout of its
 * own. Programs can change the fields only with `tensormap.replace`, and can copy the map as a whole.
 */
import { elementAt } from '../base/element-at.ts';

/** The number of 64-bit words that ptxlab uses. */
export const tensorMapWords = 11;

/**
 * Offsets of the fields in bytes. Sizes of the box, element strides and sizes of the tensor are stored minus one, so
 * that zeros stand for 1. A map for im2col has `channels`, `pixels` and the corners in place of `box`.
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
  /** One byte each; together, they are the `code` of a row of `swizzles`. */
  swizzle: 11,
  atomicity: 14,
  /** One byte: 1 if elements outside the tensor are NaN, 0 if they are zero. */
  fill: 12,
  /** One byte. All values but 0 stand for layouts that ptxlab does not copy. */
  interleave: 13,
  /** One byte: 1 if the map is one for im2col. */
  isIm2col: 15,
  /** One byte for each dimension, innermost first. */
  box: 16,
  /** One byte: the channels per pixel minus one. */
  channels: 16,
  /** 2 bytes: the pixels per column minus one. */
  pixels: 18,
  /** One byte for each dimension, innermost first. */
  elementStrides: 24,
  /** 4 bytes for each dimension. */
  dimensions: 32,
  /** 2 bytes each: the corners of the pixels' box, with as many bits for a dimension as `cornerBits` says. */
  lowerCorner: 52,
  upperCorner: 54,
  /** 8 bytes for each dimension but the innermost: the distance in bytes between neighbors. */
  strides: 56,
} as const;

/** The byte by which a tensor map is recognized. */
export const tensorMapTag = 0x54;

/**
 * The bits of a coordinate of a corner in a map for im2col, which is signed, by the number of the tensor's dimensions
 * (PTX ISA 9.1, section 5.5.4.1). It has at least three.
 */
export const cornerBits: readonly number[] = [0, 0, 0, 16, 8, 5];

/** The greatest size of a box along a dimension, and the greatest number of channels per pixel. */
export const mostInBox = 256;
export const mostPixels = 1024;

/** How the chunks of 16 bytes are swizzled in shared memory. */
export interface Swizzle {
  /** The swizzling mode and the swizzle atomicity, as `tensormap.replace` numbers them. */
  readonly code: readonly [mode: number, atomicity: number];
  /** The number of bytes within which chunks are swizzled: the longest row of a box. */
  readonly bytes: 0 | 32 | 64 | 96 | 128;
  /** The number of bytes that stay together. */
  readonly atom: 16 | 32 | 64;
  /** The number of lines of 128 bytes after which the pattern repeats. */
  readonly lines: 1 | 2 | 4 | 8;
  /** Whether the halves of each chunk are exchanged in every second line. */
  readonly flips: boolean;
}

/** Section 5.5.7 of PTX ISA 9.1. */
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

/** How elements are stored. Elements of less than a byte are copied in groups; all others are groups of one. */
export interface TensorElement {
  readonly type: TensorElementType;
  /** The number of elements in a group. */
  readonly group: 1 | 2 | 16;
  /** The size of a group in the tensor, in bytes. */
  readonly bytes: 1 | 2 | 4 | 8 | 12;
  /** The size of a group in shared memory. The bytes after the elements are not written. */
  readonly sharedBytes: 1 | 2 | 4 | 8 | 16;
  /** The bits of 8 bytes of NaNs; null for types that cannot be filled with NaN. */
  readonly nan: bigint | null;
  /** Whether elements are rounded to tf32 when they are copied to shared memory. */
  readonly rounds: boolean;
  /** Whether subnormal elements become zero when they are copied to shared memory or reduced. */
  readonly flushes: boolean;
}

/**
 * The f16 or bf16 NaN of elements outside a tensor, which `fma.oob` recognizes. The ISA does not specify its bits;
 * tensor copies are reported to write these.
 */
export const outsideNan = 0x7ff7;

const nan16 = 0x0001_0001_0001_0001n * BigInt(outsideNan);
const nan32 = 0x7fff_ffff_7fff_ffffn;
const nan64 = 0x7fff_ffff_ffff_ffffn;

function single(bytes: 1 | 2 | 4 | 8, nan: bigint | null = null): Omit<TensorElement, 'type'> {
  return { group: 1, bytes, sharedBytes: bytes, nan, rounds: false, flushes: false };
}

const packed = { nan: null, rounds: false, flushes: false } as const;

const storage: Readonly<Record<TensorElementType, Omit<TensorElement, 'type'>>> = {
  u8: single(1),
  u16: single(2),
  u32: single(4),
  s32: single(4),
  u64: single(8),
  s64: single(8),
  f16: single(2, nan16),
  f32: single(4, nan32),
  'f32.ftz': { ...single(4, nan32), flushes: true },
  f64: single(8, nan64),
  bf16: single(2, nan16),
  tf32: { ...single(4, nan32), rounds: true },
  'tf32.ftz': { ...single(4, nan32), rounds: true, flushes: true },
  b4x16: { group: 2, bytes: 1, sharedBytes: 1, ...packed },
  b4x16_p64: { group: 16, bytes: 8, sharedBytes: 16, ...packed },
  b6x16_p32: { group: 16, bytes: 12, sharedBytes: 16, ...packed },
};

/**
 * The types of elements, in the order of the numbers by which `tensormap.replace.tile.elemtype` names them (PTX ISA
 * 9.1, section 9.7.9.28). The last one is called b6p2x16 where it is copied to a tensor.
 */
export const tensorElements: readonly TensorElement[] = tensorElementTypes.map((type) => ({ type, ...storage[type] }));

export function tensorElement(type: TensorElementType): TensorElement {
  return elementAt(tensorElements, tensorElementTypes.indexOf(type));
}

/** Whether groups are longer in shared memory than in the tensor. */
export function isPadded({ bytes, sharedBytes }: TensorElement): boolean {
  return bytes !== sharedBytes;
}

/**
 * The number of elements to which the size of a tensor of padded groups, the size of its boxes and their coordinates
 * along the innermost dimension are tied (PTX ISA 9.1, section 9.7.9.25.5.1).
 */
export const paddedBlock = 128;
