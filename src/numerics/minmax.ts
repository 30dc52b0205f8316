/**
 * min, max, neg and abs on floating-point bits, which select or change an operand without rounding (sections 9.7.3 and
 * 9.7.4 of PTX ISA 9.1).
 */
import { type Bits, onBigints, onNumbers } from '../base/bits.ts';
import { patternsOf } from './encode.ts';
import { formats } from './formats.ts';
import type { FloatArithmeticFormat, FloatMode, Operation } from './operations.ts';

/**
 * Splits bits into sign and magnitude, and provides the constants needed to compare and join them, for numbers or for
 * bigints.
 */
interface Layout<T extends Bits> {
  readonly magnitude: (bits: T) => T;
  readonly negative: (bits: T) => boolean;
  readonly withSign: (magnitude: T, negative: boolean) => T;
  readonly zero: T;
  readonly infinity: T;
  readonly leastNormal: T;
  /**
   * Returns the NaN that an instruction produces; `last` is its last operand that is a NaN. neg and abs do not change
   * the sign of a NaN.
   */
  readonly nanFrom: (last: T) => T;
}

const layouts = {
  f16: narrowLayout('f16'),
  bf16: narrowLayout('bf16'),
  f32: narrowLayout('f32'),
};

function narrowLayout(name: 'f16' | 'bf16' | 'f32'): Layout<number> {
  const { width, fractionBits } = formats[name];
  const patterns = patternsOf(name);
  const signBit = 2 ** (width - 1);
  const canonical = Number(patterns.canonicalNan);
  return {
    magnitude: (bits) => bits & (signBit - 1),
    negative: (bits) => bits >= signBit,
    withSign: (magnitude, negative) => (negative ? magnitude + signBit : magnitude),
    zero: 0,
    infinity: Number(patterns.infinity?.[0]),
    leastNormal: 2 ** fractionBits,
    nanFrom: () => canonical,
  };
}

const signBit64 = 1n << 63n;

const layout64: Layout<bigint> = {
  magnitude: (bits) => BigInt.asUintN(63, bits),
  negative: (bits) => bits >= signBit64,
  withSign: (magnitude, negative) => (negative ? magnitude + signBit64 : magnitude),
  zero: 0n,
  infinity: BigInt(patternsOf('f64').infinity?.[0] ?? 0),
  leastNormal: 1n << 52n,
  nanFrom: (last) => last | (1n << 51n),
};

/**
 * min or max. If one operand is a NaN, the result is the other operand or, with `nan`, a NaN; if both operands are
 * NaNs, the result is a NaN. Negative zero is considered less than positive zero. With `xorSign`, the magnitudes are
 * compared, and the sign of the result is the product of the signs of the operands.
 */
export function extremum(fn: 'min' | 'max', format: FloatArithmeticFormat, mode: FloatMode): Operation {
  if (format === 'f64') return onBigints(extremumOf(layout64, fn, mode));
  return onNumbers(extremumOf(layouts[format], fn, mode));
}

function extremumOf<T extends Bits>(layout: Layout<T>, fn: 'min' | 'max', mode: FloatMode): (a: T, b: T) => T {
  const { magnitude, negative, withSign, infinity, nanFrom } = layout;
  const read = mode.flush ? flusher(layout) : (bits: T): T => bits;
  const wantsLess = fn === 'min';
  const choose = (a: T, b: T): T => (isLess(layout, a, b) === wantsLess ? a : b);
  return (first, second) => {
    const a = read(first);
    const b = read(second);
    const nanA = magnitude(a) > infinity;
    const nanB = magnitude(b) > infinity;
    if ((nanA || nanB) && (mode.nan || (nanA && nanB))) return nanFrom(nanB ? b : a);
    const plainA = mode.xorSign ? magnitude(a) : a;
    const plainB = mode.xorSign ? magnitude(b) : b;
    const chosen = nanA ? plainB : nanB ? plainA : choose(plainA, plainB);
    return mode.xorSign ? withSign(chosen, negative(a) !== negative(b)) : chosen;
  };
}

/** Turns subnormals into zeros with the same sign. */
function flusher<T extends Bits>({ magnitude, negative, withSign, leastNormal, zero }: Layout<T>): (bits: T) => T {
  return (bits) => (magnitude(bits) < leastNormal ? withSign(zero, negative(bits)) : bits);
}

/** Whether the value a is less than b; -0 is less than +0. Neither value may be a NaN. */
function isLess<T extends Bits>({ magnitude, negative }: Layout<T>, a: T, b: T): boolean {
  if (negative(a) !== negative(b)) return negative(a);
  return negative(a) ? magnitude(a) > magnitude(b) : magnitude(a) < magnitude(b);
}

/**
 * neg or abs: flips or clears the sign bit, after flushing subnormals if `flush` is set; policy.ts has the rules for
 * NaNs.
 */
export function signChange(fn: 'neg' | 'abs', format: FloatArithmeticFormat, flush: boolean): Operation {
  if (format === 'f64') return onBigints(signChangeOf(layout64, fn, flush));
  return onNumbers(signChangeOf(layouts[format], fn, flush));
}

function signChangeOf<T extends Bits>(layout: Layout<T>, fn: 'neg' | 'abs', flush: boolean): (a: T) => T {
  const { magnitude, negative, withSign, infinity, nanFrom } = layout;
  const read = flush ? flusher(layout) : (bits: T): T => bits;
  const keeps = fn === 'neg';
  return (bits) => {
    if (magnitude(bits) > infinity) return nanFrom(bits);
    return withSign(magnitude(read(bits)), keeps && !negative(bits));
  };
}
