/**
 * The GGUF types that store elements in blocks. Each row of the table describes the positions and meanings of codes,
 * scales and offsets in a type's blocks. The layouts are ggml's (`block_q4_0` and so on in its ggml-common.h). Bit 0 is
 * the lowest bit of a block's first byte.
 */
import type { BitField, PackedBlock, Places, Scale, Shared } from '../../numerics/packed-blocks.ts';
import type { BlockLayout } from '../tensor-file.ts';
import { coarseGrid, fineGrid, signGrid } from './grids.ts';

/** A group of bits within a byte. */
function bits(byte: number, shift: number, width: number): BitField {
  return { at: 8 * byte + shift, bits: width };
}

/** Numbers that are `width` bits wide and stored without gaps. */
function dense(byte: number, width: number): Places {
  return (i) => [{ at: 8 * byte + width * i, bits: width }];
}

/**
 * Numbers that are `width` bits wide. The first `stride` numbers are in the lowest bits of `stride` consecutive bytes.
 * The following numbers are in the next higher bits of the same bytes. Once these bytes are full, the numbers continue
 * in the next `stride` bytes.
 */
function planes(byte: number, width: number, stride: number): Places {
  const perByte = 8 / width;
  return (i) => {
    const plane = Math.floor(i / stride);
    return [bits(byte + Math.floor(plane / perByte) * stride + (i % stride), (plane % perByte) * width, width)];
  };
}

/** Numbers that are stored in several parts. The part with the lowest bits comes first. */
function joined(...parts: readonly Places[]): Places {
  return (i) => parts.flatMap((part) => part(i));
}

/** An f16 that applies to all elements of a block. */
function half(byte: number, elements: number): Scale['factor'] {
  return { format: 'f16', share: elements, places: dense(byte, 16) };
}

function plain(factor: Scale['factor']): Scale {
  return { factor, multiplier: null };
}

/**
 * A scale that is the product of two factors: an f16 that applies to the whole block of 256 elements, and the integer
 * `times * n + plus`.
 */
function scaled(byte: number, n: Shared, times = 1, plus = 0, signed = false): Scale {
  return { factor: half(byte, 256), multiplier: { ...n, times, plus, signed } };
}

const e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const signedE2m1 = [...e2m1, ...e2m1.map((value) => -value)];

/** The codes of iq4_nl and iq4_xs, taken from ggml (see NOTICE). */
const unevenCodes = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/** Eight 6-bit scales and eight 6-bit offsets, in the 12 bytes of q4_K and q5_K that start at byte 4. */
const sixBitScales: Places = (i) => (i < 4 ? [bits(4 + i, 0, 6)] : [bits(8 + i, 0, 4), bits(i, 6, 2)]);
const sixBitOffsets: Places = (i) => (i < 4 ? [bits(8 + i, 0, 6)] : [bits(8 + i, 4, 4), bits(4 + i, 6, 2)]);

/** The scales of q4_K and q5_K. */
const withSixBits = {
  scale: scaled(0, { share: 32, places: sixBitScales }),
  offset: scaled(2, { share: 32, places: sixBitOffsets }, -1),
};

/**
 * Describes 32-bit words that start at `byte`. Each word consists of four 7-bit numbers, which select signs, and a
 * 4-bit scale in the highest bits.
 */
function signWords(byte: number, wordBytes: number): { readonly signs: Shared; readonly scale: Places } {
  const wordAt = (i: number): number => 8 * (byte + wordBytes * i);
  return {
    signs: { share: 8, places: (i) => [{ at: wordAt(Math.floor(i / 4)) + 7 * (i % 4), bits: 7 }] },
    scale: (i) => [{ at: wordAt(i) + 28, bits: 4 }],
  };
}

const doubleWords = signWords(6, 8);
const singleWords = signWords(66, 4);

export const blockRows: Readonly<Record<BlockLayout, PackedBlock>> = {
  q4_0: {
    elements: 32,
    bytes: 18,
    code: 's4',
    codes: { kind: 'linear', places: planes(2, 4, 16), signed: false, plus: -8 },
    scale: plain(half(0, 32)),
    offset: null,
  },
  q4_1: {
    elements: 32,
    bytes: 20,
    code: 'u4',
    codes: { kind: 'linear', places: planes(4, 4, 16), signed: false, plus: 0 },
    scale: plain(half(0, 32)),
    offset: plain(half(2, 32)),
  },
  q5_0: {
    elements: 32,
    bytes: 22,
    code: 's8',
    codes: { kind: 'linear', places: joined(planes(6, 4, 16), dense(2, 1)), signed: false, plus: -16 },
    scale: plain(half(0, 32)),
    offset: null,
  },
  q5_1: {
    elements: 32,
    bytes: 24,
    code: 'u8',
    codes: { kind: 'linear', places: joined(planes(8, 4, 16), dense(4, 1)), signed: false, plus: 0 },
    scale: plain(half(0, 32)),
    offset: plain(half(2, 32)),
  },
  q8_0: {
    elements: 32,
    bytes: 34,
    code: 's8',
    codes: { kind: 'linear', places: dense(2, 8), signed: true, plus: 0 },
    scale: plain(half(0, 32)),
    offset: null,
  },
  q2_k: {
    elements: 256,
    bytes: 84,
    code: 'u2',
    codes: { kind: 'linear', places: planes(16, 2, 32), signed: false, plus: 0 },
    scale: scaled(80, { share: 16, places: (i) => [bits(i, 0, 4)] }),
    offset: scaled(82, { share: 16, places: (i) => [bits(i, 4, 4)] }, -1),
  },
  q3_k: {
    elements: 256,
    bytes: 110,
    code: 's4',
    codes: { kind: 'linear', places: joined(planes(32, 2, 32), planes(0, 1, 32)), signed: false, plus: -4 },
    scale: scaled(108, { share: 16, places: joined(planes(96, 4, 8), planes(104, 2, 4)) }, 1, -32),
    offset: null,
  },
  q4_k: {
    elements: 256,
    bytes: 144,
    code: 'u4',
    codes: { kind: 'linear', places: planes(16, 4, 32), signed: false, plus: 0 },
    ...withSixBits,
  },
  q5_k: {
    elements: 256,
    bytes: 176,
    code: 'u8',
    codes: { kind: 'linear', places: joined(planes(48, 4, 32), planes(16, 1, 32)), signed: false, plus: 0 },
    ...withSixBits,
  },
  q6_k: {
    elements: 256,
    bytes: 210,
    code: 's8',
    codes: { kind: 'linear', places: joined(planes(0, 4, 64), planes(128, 2, 32)), signed: false, plus: -32 },
    scale: scaled(208, { share: 16, places: dense(192, 8) }, 1, 0, true),
    offset: null,
  },
  iq4_nl: {
    elements: 32,
    bytes: 18,
    code: 's8',
    codes: { kind: 'listed', places: planes(2, 4, 16), values: unevenCodes },
    scale: plain(half(0, 32)),
    offset: null,
  },
  iq4_xs: {
    elements: 256,
    bytes: 136,
    code: 's8',
    codes: { kind: 'listed', places: planes(8, 4, 16), values: unevenCodes },
    scale: scaled(0, { share: 32, places: joined(dense(4, 4), dense(2, 2)) }, 1, -32),
    offset: null,
  },
  tq1_0: {
    elements: 256,
    bytes: 54,
    code: 's2',
    codes: {
      kind: 'digits',
      byteOf: (i) => (i < 160 ? i % 32 : i < 240 ? 32 + (i % 16) : 48 + (i % 4)),
      digitOf: (i) => Math.floor(i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4),
    },
    scale: plain(half(52, 256)),
    offset: null,
  },
  tq2_0: {
    elements: 256,
    bytes: 66,
    code: 's2',
    codes: { kind: 'linear', places: planes(0, 2, 32), signed: false, plus: -1 },
    scale: plain(half(64, 256)),
    offset: null,
  },
  mxfp4: {
    elements: 32,
    bytes: 17,
    code: 'e2m1',
    codes: { kind: 'listed', places: planes(1, 4, 16), values: signedE2m1 },
    scale: plain({ format: 'ue8m0', share: 32, places: dense(0, 8) }),
    offset: null,
  },
  nvfp4: {
    elements: 64,
    bytes: 36,
    code: 'e2m1',
    codes: { kind: 'listed', places: planes(4, 4, 8), values: signedE2m1 },
    scale: plain({ format: 'e4m3', share: 16, places: dense(0, 8) }),
    offset: null,
  },
  iq2_xxs: {
    elements: 256,
    bytes: 66,
    code: 's8',
    codes: {
      kind: 'grid',
      share: 8,
      places: (i) => [bits(2 + 8 * Math.floor(i / 4) + (i % 4), 0, 8)],
      grid: coarseGrid('iq2_xxs'),
      signs: doubleWords.signs,
      shift: null,
    },
    scale: scaled(0, { share: 32, places: doubleWords.scale }, 0.25, 0.125),
    offset: null,
  },
  iq2_xs: {
    elements: 256,
    bytes: 74,
    code: 's8',
    codes: {
      kind: 'grid',
      share: 8,
      places: (i) => [{ at: 8 * 2 + 16 * i, bits: 9 }],
      grid: coarseGrid('iq2_xs'),
      signs: { share: 8, places: (i) => [{ at: 8 * 2 + 16 * i + 9, bits: 7 }] },
      shift: null,
    },
    scale: scaled(0, { share: 16, places: dense(66, 4) }, 0.25, 0.125),
    offset: null,
  },
  iq2_s: {
    elements: 256,
    bytes: 82,
    code: 's8',
    codes: {
      kind: 'grid',
      share: 8,
      places: joined(dense(2, 8), dense(66, 2)),
      grid: coarseGrid('iq2_s'),
      signs: { share: 8, places: dense(34, 8) },
      shift: null,
    },
    scale: scaled(0, { share: 16, places: dense(74, 4) }, 0.25, 0.125),
    offset: null,
  },
  iq3_xxs: {
    elements: 256,
    bytes: 98,
    code: 's8',
    codes: {
      kind: 'grid',
      share: 4,
      places: dense(2, 8),
      grid: fineGrid('iq3_xxs'),
      signs: singleWords.signs,
      shift: null,
    },
    scale: scaled(0, { share: 32, places: singleWords.scale }, 0.5, 0.25),
    offset: null,
  },
  iq3_s: {
    elements: 256,
    bytes: 110,
    code: 's8',
    codes: {
      kind: 'grid',
      share: 4,
      places: joined(dense(2, 8), dense(66, 1)),
      grid: fineGrid('iq3_s'),
      signs: { share: 8, places: dense(74, 8) },
      shift: null,
    },
    scale: scaled(0, { share: 32, places: dense(106, 4) }, 2, 1),
    offset: null,
  },
  iq1_s: {
    elements: 256,
    bytes: 50,
    code: 's2',
    codes: {
      kind: 'grid',
      share: 8,
      places: (i) => [bits(2 + i, 0, 8), { at: 8 * 34 + 16 * Math.floor(i / 4) + 3 * (i % 4), bits: 3 }],
      grid: signGrid,
      signs: null,
      shift: { share: 32, places: (i) => [{ at: 8 * 34 + 16 * i + 15, bits: 1 }] },
    },
    scale: scaled(0, { share: 32, places: (i) => [{ at: 8 * 34 + 16 * i + 12, bits: 3 }] }, 2, 1),
    offset: null,
  },
  iq1_m: {
    elements: 256,
    bytes: 56,
    code: 's2',
    codes: {
      kind: 'grid',
      share: 8,
      places: (i) => [bits(i, 0, 8), { at: 8 * 32 + 4 * i, bits: 3 }],
      grid: signGrid,
      signs: null,
      shift: { share: 8, places: (i) => [{ at: 8 * 32 + 4 * i + 3, bits: 1 }] },
    },
    scale: {
      // The 16 bits of the f16 are divided among the four 16-bit words that contain the small scales. The four highest
      // bits of each word belong to the f16.
      factor: {
        format: 'f16',
        share: 256,
        places: () => [0, 1, 2, 3].map((word) => ({ at: 8 * 48 + 16 * word + 12, bits: 4 })),
      },
      multiplier: {
        share: 16,
        places: (i) => [{ at: 8 * 48 + 16 * Math.floor(i / 4) + 3 * (i % 4), bits: 3 }],
        signed: false,
        times: 2,
        plus: 1,
      },
    },
    offset: null,
  },
};
