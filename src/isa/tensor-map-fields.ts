/**
 * What the 128 bytes of a tensor map contain. The ISA does not specify it. These are the bits that the driver of an H200
 * writes and that `tensormap.replace` changes there; docs/spec-questions.md says which ones were not measured.
 */
import { elementAt } from '../base/element-at.ts';

/** The number of 64-bit words that instructions read. */
export const tensorMapWords = 8;

/** Some bits of a 32-bit word. */
export interface MapField {
  /** The offset of the word in bytes. */
  readonly at: number;
  readonly low: number;
  readonly width: number;
}

/**
 * Sizes of the box, element strides and sizes of the tensor are stored minus one, so that zeros stand for 1. A map for
 * im2col has `channels`, `pixels` and the corners in place of `box`.
 */
export const tensorMapFields = {
  /** 8 bytes. */
  address: 0,
  /** 1 if the map is one for im2col. */
  isIm2col: { at: 8, low: 0, width: 1 },
  /** The number of dimensions minus one. */
  rank: { at: 8, low: 4, width: 3 },
  /** The number of the type, or that of the type that is rounded. */
  elementType: { at: 8, low: 7, width: 4 },
  /** All values but 0 stand for layouts that ptxlab does not copy. */
  interleave: { at: 8, low: 11, width: 2 },
  /** Together with `farSwizzle` and `atomicity`, the `code` of a row of `swizzles`. */
  swizzle: { at: 8, low: 13, width: 2 },
  /** 1 if elements outside the tensor are NaN, 0 if they are zero. */
  fill: { at: 8, low: 15, width: 1 },
  /** 1 if elements are rounded to tf32. */
  rounds: { at: 8, low: 16, width: 1 },
  atomicity: { at: 8, low: 20, width: 2 },
  /** The third bit of the swizzling mode. */
  farSwizzle: { at: 8, low: 22, width: 1 },
  /** 4 bytes for each dimension but the innermost: the low bits of the distance between neighbors, divided by 16. */
  strides: 12,
  /** The high bits of the strides, 4 for each. */
  highStrides: { at: 28, low: 0, width: 16 },
  /** 4 bytes for each dimension. */
  dimensions: 32,
  /** 3 bits for each dimension, innermost first. */
  elementStrides: { at: 52, low: 0, width: 15 },
  /** One byte for each dimension, innermost first. */
  box: 55,
  /** One byte: the channels per pixel minus one. */
  channels: 55,
  /** 2 bytes each: the corners of the pixels' box, with as many bits for a dimension as `cornerBits` says. */
  lowerCorner: 56,
  upperCorner: 58,
  /** The pixels per column minus one. */
  pixels: { at: 60, low: 0, width: 10 },
  /** 4 bytes: the size of what is copied. `tensormap.replace` does not change it, and no instruction reads it. */
  copied: 64,
  /** 4 bytes: the alignment that shared memory needs for the swizzle. It is not read either. */
  alignment: 72,
} as const;

/** The bits of a word at this offset in which maps differ. All others are 0. */
export const knownBits: Readonly<Record<number, number>> = { 8: 0x71_fff1, 28: 0xffff, 52: 0xff00_7fff };

/** The distance between neighbors is a multiple of this many bytes. */
export const strideUnit = 16;
export const lowStrideBits = 32;
export const highStrideBits = 4;
export const elementStrideBits = 3;

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
  /** Whether elements outside the tensor can be NaN. */
  readonly isFloat: boolean;
  /** Whether elements are rounded to tf32 when they are copied to shared memory. */
  readonly rounds: boolean;
  /** Whether subnormal elements become zero when they are reduced. */
  readonly flushes: boolean;
}

/**
 * The f16 or bf16 NaN of elements outside a tensor, which `fma.oob` recognizes. Wider elements consist of several. The
 * ISA does not specify its bits; an H200 writes these.
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
 * The types of elements, in the order of the numbers by which `tensormap.replace.tile.elemtype` names them (PTX ISA
 * 9.1, section 9.7.9.28). The last one is called b6p2x16 where it is copied to a tensor.
 */
export const tensorElements: readonly TensorElement[] = tensorElementTypes.map((type) => ({ type, ...storage[type] }));

export function tensorElement(type: TensorElementType): TensorElement {
  return elementAt(tensorElements, tensorElementTypes.indexOf(type));
}

/** What the fields `elementType` and `rounds` contain: a type that is rounded to tf32 has the number of another type. */
export function elementCode({ type, rounds }: TensorElement): readonly [elementType: number, rounds: number] {
  const number = tensorElementTypes.indexOf(type);
  return rounds ? [number - roundedDistance, 1] : [number, 0];
}

/** The distance from the number of a type to the number of the same type rounded to tf32. */
export const roundedDistance: number = tensorElementTypes.indexOf('tf32') - tensorElementTypes.indexOf('f32');

/** Whether groups are longer in shared memory than in the tensor. */
export function isPadded({ bytes, sharedBytes }: TensorElement): boolean {
  return bytes !== sharedBytes;
}

/**
 * The number of elements to which the size of a tensor of padded groups, the size of its boxes and their coordinates
 * along the innermost dimension are tied (PTX ISA 9.1, section 9.7.9.25.5.1).
 */
export const paddedBlock = 128;
