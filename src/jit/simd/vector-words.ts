/** Operations on the words of four lanes, for the vector code of conversions. */
import type { Code } from '../../wasm/code.ts';

/** Pushes a vector that has the same word in every lane. */
export function splat(code: Code, word: number): Code {
  return code.words(word, word, word, word);
}

/** Pushes a vector that has 2^exponent as an f32 in every lane. The power must be a normal number. */
export function splatPower(code: Code, exponent: number): Code {
  return splat(code, (exponent + 127) << 23);
}

/** Shifts the words on the stack; writes no code if the amount is 0. */
export function shift(code: Code, op: 'i32x4.shl' | 'i32x4.shr_s' | 'i32x4.shr_u', count: number): Code {
  return count === 0 ? code : code.i32(count).vector(op);
}

/** Bits of f32 values. */
export const single = {
  sign: 0x80000000,
  magnitude: 0x7fffffff,
  infinity: 0x7f800000,
  leastNormal: 0x00800000,
  one: 0x3f800000,
  quiet: 0x00400000,
  /** 2^-127, a subnormal. */
  halfLeastNormal: 0x00400000,
} as const;
