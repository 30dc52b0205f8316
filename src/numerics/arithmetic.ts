/**
 * Computes the results of floating-point instructions from the bits of their operands. Each result is computed exactly
 * and then rounded once (sections 9.7.3 and 9.7.4 of PTX ISA 9.1). A NaN result is the canonical NaN of its format;
 * policy.ts lists the cases that the ISA does not specify.
 */
import { patternsOf } from './encode.ts';
import {
  decoder,
  type Decoder,
  type Exact,
  finite,
  infinity,
  madeNan,
  noTail,
  power,
  type Sign,
  zero,
} from './exact.ts';
import { finish, type Target } from './finish.ts';
import { formats } from './formats.ts';
import { type Kernel, narrow, wide } from './kernels.ts';
import { extremum, signChange } from './minmax.ts';
import type { FloatArithmeticFormat, FloatFunction, FloatMode, Operation } from './operations.ts';
import { gridOf, withoutLowest } from './round.ts';
import { type Transcendental, transcendental } from './transcendental.ts';

/** Returns a floating-point instruction in the given format and mode, as a function of the bits of its operands. */
export function floatOperation(fn: FloatFunction, format: FloatArithmeticFormat, mode: FloatMode): Operation {
  if (fn === 'min' || fn === 'max') return extremum(fn, format, mode);
  if (fn === 'neg' || fn === 'abs') return signChange(fn, format, mode.flush);
  const read = reader(format, mode.flush);
  const target = targetOf(format, mode);
  const kernel = format === 'f64' ? wide : narrow;
  const zeroSign: Sign = mode.rounding === 'rm' ? 1 : 0;
  switch (fn) {
    case 'add':
      return (a, b) => finish(target, add(kernel, zeroSign, read(a), read(b)), 0, null);
    case 'sub':
      return (a, b) => finish(target, add(kernel, zeroSign, read(a), negate(read(b))), 0, null);
    case 'mul':
      return (a, b) => finish(target, multiply(kernel, read(a), read(b)), 0, null);
    case 'fma':
      return (a, b, c) => finish(target, fma(kernel, zeroSign, read(a), read(b), read(c)), 0, null);
    case 'div':
      return mode.approximate && format === 'f32'
        ? divideApproximately(read, target)
        : (a, b) => finish(target, divide(kernel, read(a), read(b)), 0, null);
    case 'div.full':
      return (a, b) => finish(target, divide(kernel, read(a), read(b)), 0, null);
    case 'rcp':
      return (a) => finish(target, divide(kernel, one, read(a)), 0, null);
    case 'sqrt':
      return (a) => finish(target, squareRoot(kernel, read(a)), 0, null);
    case 'rsqrt':
      return (a) => finish(target, reciprocalRoot(kernel, read(a)), 0, null);
    case 'sin': {
      // sin treats subnormals as zeros, with or without .ftz. ptxas 13.0 does this when it computes the sine of a
      // constant.
      const readNormal = reader(format, true);
      return (a) => finish(target, elementary(fn, readNormal(a)), 0, null);
    }
    case 'cos':
    case 'lg2':
    case 'ex2':
    case 'tanh':
      return (a) => finish(target, elementary(fn, read(a)), 0, null);
  }
}

const one: Exact = finite(0, 1, 0, noTail);

/** A decoder that reads subnormals as zeros under `.ftz`. */
function reader(name: FloatArithmeticFormat, flush: boolean): Decoder {
  const decode = decoder(name);
  if (!flush) return decode;
  const leastNormal = 2 ** formats[name].fractionBits;
  return (bits) => {
    const value = decode(bits);
    return value.kind === 'finite' && value.significand < leastNormal ? zero(value.sign) : value;
  };
}

function targetOf(name: FloatArithmeticFormat, mode: FloatMode): Target {
  const to = patternsOf(name);
  const { bias } = formats[name];
  return {
    to,
    grid: mode.flush ? withoutLowest(gridOf(name)) : gridOf(name),
    rounding: mode.rounding,
    randomBits: 0,
    overflow: 'directed',
    sat: mode.sat,
    relu: false,
    positiveZero: false,
    flush: mode.flush,
    leastNormal: power(1 - bias),
    zeroless: false,
    nan: mode.sat ? to.zero[0] : (to.canonicalNan ?? to.zero[0]),
    payload: name === 'f64' && !mode.sat ? 'quieted' : 'lost',
  };
}

function negate(value: Exact): Exact {
  const sign: Sign = value.sign === 0 ? 1 : 0;
  switch (value.kind) {
    case 'finite':
      return finite(sign, value.significand, value.exponent, value.tail);
    case 'zero':
      return zero(sign);
    case 'infinity':
      return infinity(sign);
    case 'nan':
      return value;
  }
}

function signOfProduct(a: Exact, b: Exact): Sign {
  return a.sign === b.sign ? 0 : 1;
}

/**
 * If the operands cancel, the result is a zero with the sign `zeroSign`, which is negative only in the rounding mode rm
 * (IEEE 754 section 6.3).
 */
function add(kernel: Kernel, zeroSign: Sign, a: Exact, b: Exact): Exact {
  if (a.kind === 'finite' && b.kind === 'finite') return kernel.add(a, b) ?? zero(zeroSign);
  return addSpecial(zeroSign, a, b);
}

/** The sum of two values, at least one of which is zero, infinite or a NaN. */
function addSpecial(zeroSign: Sign, a: Exact, b: Exact): Exact {
  if (b.kind === 'nan') return b;
  if (a.kind === 'nan') return a;
  if (a.kind === 'infinity') return b.kind === 'infinity' && b.sign !== a.sign ? madeNan : a;
  if (b.kind === 'infinity') return b;
  if (a.kind !== 'zero') return a;
  if (b.kind !== 'zero') return b;
  return a.sign === b.sign ? a : zero(zeroSign);
}

function multiply(kernel: Kernel, a: Exact, b: Exact): Exact {
  if (a.kind === 'finite' && b.kind === 'finite') return kernel.multiply(a, b);
  return multiplySpecial(a, b);
}

/** The product of two values, at least one of which is zero, infinite or a NaN. */
function multiplySpecial(a: Exact, b: Exact): Exact {
  if (b.kind === 'nan') return b;
  if (a.kind === 'nan') return a;
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    return a.kind === 'zero' || b.kind === 'zero' ? madeNan : infinity(signOfProduct(a, b));
  }
  return zero(signOfProduct(a, b));
}

function fma(kernel: Kernel, zeroSign: Sign, a: Exact, b: Exact, c: Exact): Exact {
  if (b.kind === 'nan') return b;
  if (c.kind === 'nan') return c;
  if (a.kind !== 'finite' || b.kind !== 'finite') return addSpecial(zeroSign, multiplySpecial(a, b), c);
  if (c.kind === 'finite') return kernel.fma(a, b, c) ?? zero(zeroSign);
  return addSpecial(zeroSign, kernel.multiply(a, b), c);
}

function divide(kernel: Kernel, a: Exact, b: Exact): Exact {
  if (a.kind === 'finite' && b.kind === 'finite') return kernel.divide(a, b);
  if (a.kind === 'nan') return a;
  if (b.kind === 'nan') return b;
  if (a.kind === b.kind) return madeNan;
  return a.kind === 'infinity' || b.kind === 'zero' ? infinity(signOfProduct(a, b)) : zero(signOfProduct(a, b));
}

/**
 * The special case of div.approx.f32 for 2^126 < |b| < 2^128: the result is NaN if a is infinite, and otherwise 0
 * (section 9.7.3.8 of PTX ISA 9.1).
 */
function divideApproximately(read: Decoder, target: Target): Operation {
  const limit = power(126);
  return (a, b) => {
    const dividend = read(a);
    const divisor = read(b);
    const huge = divisor.kind === 'finite' && divisor.significand * power(divisor.exponent) > limit;
    if (!huge || dividend.kind === 'nan') return finish(target, divide(narrow, dividend, divisor), 0, null);
    const result = dividend.kind === 'infinity' ? madeNan : zero(signOfProduct(dividend, divisor));
    return finish(target, result, 0, null);
  };
}

function squareRoot(kernel: Kernel, a: Exact): Exact {
  if (a.kind === 'zero' || a.kind === 'nan') return a;
  if (a.sign === 1) return madeNan;
  return a.kind === 'finite' ? kernel.squareRoot(a) : a;
}

function reciprocalRoot(kernel: Kernel, a: Exact): Exact {
  if (a.kind === 'zero') return infinity(a.sign);
  if (a.kind === 'nan') return a;
  if (a.sign === 1) return madeNan;
  return a.kind === 'finite' ? kernel.reciprocalRoot(a) : zero(0);
}

/**
 * Handles the special cases listed in sections 9.7.3.18 to 9.7.3.22 of PTX ISA 9.1; everything else is computed exactly
 * and rounded once.
 */
function elementary(fn: Transcendental, a: Exact): Exact {
  if (a.kind === 'nan') return a;
  if (fn === 'lg2' && a.kind !== 'zero' && a.sign === 1) return madeNan;
  if (a.kind === 'finite') return transcendental(fn, a);
  const isZero = a.kind === 'zero';
  switch (fn) {
    case 'sin':
      return isZero ? a : madeNan;
    case 'cos':
      return isZero ? one : madeNan;
    case 'lg2':
      return isZero ? infinity(1) : a;
    case 'ex2':
      if (isZero) return one;
      return a.sign === 1 ? zero(0) : a;
    case 'tanh':
      return isZero ? a : finite(a.sign, 1, 0, noTail);
  }
}
