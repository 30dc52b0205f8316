/** The codes of matrix elements in each element type, for values that all types represent exactly. */
import { e2m1, e2m3, e4m3, encode, f16, type SmallFormat } from '../kernels/reference.ts';

/** How elements of a type are stored in registers: the width of an element in bits, and the code of each value. */
export interface ElementType {
  readonly bits: number;
  readonly code: (value: number) => bigint;
}

const small = (format: SmallFormat, bits: number, low = 0): ElementType => ({
  bits,
  code: (value) => BigInt(encode(format, value) << low),
});

const f32Bits = (value: number): bigint => BigInt(new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0);

const integer = (bits: number): ElementType => ({ bits, code: (value) => BigInt.asUintN(bits, BigInt(value)) });

/**
 * Element codes, by the name of the type in a mnemonic. There are two entries for fp4: `e2m1` for 4-bit elements, and
 * `e2m1 in bytes` for elements that are stored in one byte each.
 */
export const elementTypes = {
  f16: small(f16, 16),
  bf16: { bits: 16, code: (value) => f32Bits(value) >> 16n },
  tf32: { bits: 32, code: f32Bits },
  f32: { bits: 32, code: f32Bits },
  f64: { bits: 64, code: (value) => new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n },
  e4m3: small(e4m3, 8),
  // An e5m2 number is the upper half of an f16 number.
  e5m2: { bits: 8, code: (value) => BigInt(encode(f16, value) >> 8) },
  e2m3: small(e2m3, 8),
  // e5m2 has five exponent bits with bias 15; e3m2 has three with bias 3.
  e3m2: {
    bits: 8,
    code: (value) => {
      const [magnitude, sign] = [encode(f16, Math.abs(value)) >> 8, value < 0 ? 0x20 : 0];
      return BigInt(magnitude === 0 ? sign : sign | (magnitude - (12 << 2)));
    },
  },
  e2m1: small(e2m1, 4),
  'e2m1 in bytes': small(e2m1, 8, 2),
  s8: integer(8),
  u8: integer(8),
  s4: integer(4),
  u4: integer(4),
  b1: integer(1),
  s32: integer(32),
} as const satisfies Readonly<Record<string, ElementType>>;

export type ElementName = keyof typeof elementTypes;
