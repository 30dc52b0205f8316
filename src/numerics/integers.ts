/**
 * Integers: `cvt` between integers, the clamping in `cvt.pack`, and the arithmetic, logic and shift instructions on
 * bits (sections 9.7.1 and 9.7.8 of PTX ISA 9.1). As in the rest of ptxlab, values of more than 32 bits are bigints.
 */
import { type Bits, chop, numberOf, onBigints, onNumbers, onShifted } from '../base/bits.ts';
import { formats, type IntegerName } from './formats.ts';
import { bitCounting, lookUp, permutation, reversal, setBitFinder } from './bit-patterns.ts';
import type { BitFunction, IntegerFunction, Operation, PermuteFunction } from './operations.ts';

/** Returns a function that converts the bits of an integer type of at most 32 bits to the value. */
function valueOf(width: number, signed: boolean): (bits: number) => number {
  const shift = 32 - width;
  if (!signed) return (bits) => bits;
  return (bits) => (bits << shift) >> shift;
}

/** Returns the value of an integer from its bits. */
function wideValueOf(width: number, signed: boolean): (bits: Bits) => bigint {
  if (!signed) return BigInt;
  return (bits) => BigInt.asIntN(width, BigInt(bits));
}

/** Returns the low bits of an integral number below 2^53. */
function chopper(width: number): (value: number) => number {
  if (width === 32) return (value) => value >>> 0;
  const mask = 2 ** width - 1;
  return (value) => value & mask;
}

function rangeOf(width: number, signed: boolean): readonly [least: number, most: number] {
  return signed ? [-(2 ** (width - 1)), 2 ** (width - 1) - 1] : [0, 2 ** width - 1];
}

function wideRangeOf(width: number, signed: boolean): readonly [least: bigint, most: bigint] {
  const all = 1n << BigInt(width);
  return signed ? [-(all >> 1n), (all >> 1n) - 1n] : [0n, all - 1n];
}

function clamp<T extends number | bigint>(value: T, [least, most]: readonly [T, T]): T {
  if (value < least) return least;
  return value > most ? most : value;
}

/**
 * Returns a function that converts bits of type `from` to bits of type `to`. With `sat`, it clamps the value to the
 * range of `to`. Without `sat`, it keeps the low bits if `to` is narrower than `from`; if `to` is wider, it extends the
 * value with its sign if `from` is signed, and with zeros otherwise.
 */
export function integerConversion(from: IntegerName, to: IntegerName, sat: boolean): (source: Bits) => Bits {
  const source = formats[from];
  const { width, signed } = formats[to];
  if (source.width > 32 || width > 32) {
    const read = wideValueOf(source.width, source.signed);
    const range = wideRangeOf(width, signed);
    return (bits) => chop(sat ? clamp(read(bits), range) : read(bits), width);
  }
  const read = valueOf(source.width, source.signed);
  const write = chopper(width);
  const range = rangeOf(width, signed);
  return onNumbers((bits) => write(sat ? clamp(read(bits), range) : read(bits)));
}

/**
 * Returns the function that cvt.pack applies to each of its s32 values (section 9.7.9.22 of PTX ISA 9.1): it clamps the
 * value to the range of `to`, and returns the result as bits of `to`.
 */
export function packClamp(to: IntegerName): (source: Bits) => Bits {
  return integerConversion('s32', to, true);
}

/**
 * Returns an integer instruction for the given type, as a function of the bits of its operands. The results of
 * `mul.wide` and `mad.wide` have twice the width of the type, and so does the third operand of `mad.wide`. With `sat`,
 * the result is clamped to the range of the type. The result of a division by zero has all bits set (open-choices.ts).
 */
export function integerOperation(fn: IntegerFunction, type: IntegerName, sat: boolean): Operation {
  const { width, signed } = formats[type];
  const modular = sat ? null : modularOperation(fn, width);
  if (modular !== null) return modular;
  if (width > 32) return wideOperation(fn, width, signed, sat);
  if (fn === 'mul.wide' || fn === 'mad.wide') return wideningOperation(fn, width, signed);
  const read = valueOf(width, signed);
  const write = chopper(width);
  const compute = narrowFunction(fn, width, signed);
  if (sat) {
    const range = rangeOf(width, signed);
    return onNumbers((a, b, c) => write(clamp(compute(read(a), read(b), read(c)), range)));
  }
  return onNumbers((a, b, c) => write(compute(read(a), read(b), read(c))));
}

/** The 32- and 64-bit operations whose result does not depend on the type's signedness; null for all others. */
function modularOperation(fn: IntegerFunction, width: number): Operation | null {
  if (width !== 32 && width !== 64) return null;
  const isWide = width === 64;
  switch (fn) {
    case 'add':
      return isWide ? onBigints((a, b) => BigInt.asUintN(64, a + b)) : onNumbers((a, b) => (a + b) >>> 0);
    case 'sub':
      return isWide ? onBigints((a, b) => BigInt.asUintN(64, a - b)) : onNumbers((a, b) => (a - b) >>> 0);
    case 'mul.lo':
      return isWide ? onBigints((a, b) => BigInt.asUintN(64, a * b)) : onNumbers((a, b) => Math.imul(a, b) >>> 0);
    case 'mad.lo':
      return isWide
        ? onBigints((a, b, c) => BigInt.asUintN(64, a * b + c))
        : onNumbers((a, b, c) => (Math.imul(a, b) + c) >>> 0);
    default:
      return null;
  }
}

/**
 * Returns a function that operates on values of at most 32 bits. Its result is exact, except that for `mul.lo` and
 * `mad.lo` only the low 32 bits of the result are correct.
 */
function narrowFunction(
  fn: Exclude<IntegerFunction, 'mul.wide' | 'mad.wide'>,
  width: number,
  signed: boolean,
): (a: number, b: number, c: number) => number {
  switch (fn) {
    case 'add':
      return (a, b) => a + b;
    case 'sub':
      return (a, b) => a - b;
    case 'mul.lo':
      return (a, b) => Math.imul(a, b);
    case 'mul.hi':
      return highProduct(width, signed);
    case 'mad.lo':
      return (a, b, c) => Math.imul(a, b) + c;
    case 'mad.hi': {
      const high = highProduct(width, signed);
      return (a, b, c) => high(a, b) + c;
    }
    case 'div':
      return (a, b) => (b === 0 ? -1 : Math.trunc(a / b));
    case 'rem':
      return (a, b) => (b === 0 ? -1 : a % b);
    case 'min':
      return (a, b) => (a < b ? a : b);
    case 'max':
      return (a, b) => (a > b ? a : b);
    case 'neg':
      return (a) => -a;
    case 'abs':
      return (a) => Math.abs(a);
  }
}

/** The upper half of the product, as a value of the type. */
function highProduct(width: number, signed: boolean): (a: number, b: number) => number {
  if (width < 32) return (a, b) => Math.floor((a * b) / 2 ** width);
  if (signed) return (a, b) => (unsignedHigh(a >>> 0, b >>> 0) - (a < 0 ? b >>> 0 : 0) - (b < 0 ? a >>> 0 : 0)) | 0;
  return unsignedHigh;
}

function unsignedHigh(a: number, b: number): number {
  const low = a & 0xffff;
  const high = a >>> 16;
  const middle = high * b + Math.floor((low * b) / 0x10000);
  return Math.floor(middle / 0x10000);
}

function wideningOperation(fn: 'mul.wide' | 'mad.wide', width: number, signed: boolean): Operation {
  const adds = fn === 'mad.wide';
  const read = valueOf(width, signed);
  if (width < 32) {
    const write = chopper(width * 2);
    return onNumbers((a, b, c) => write(read(a) * read(b) + (adds ? c : 0)));
  }
  const product = (a: number, b: number): bigint => {
    const value = read(a) * read(b);
    return Number.isSafeInteger(value) ? BigInt(value) : BigInt(read(a)) * BigInt(read(b));
  };
  if (!adds) return onNumbers((a, b) => BigInt.asUintN(64, product(a, b)));
  return (a, b, c) => BigInt.asUintN(64, product(numberOf(a), numberOf(b)) + BigInt(c));
}

function wideOperation(fn: IntegerFunction, width: number, signed: boolean, sat: boolean): Operation {
  const read = wideValueOf(width, signed);
  const compute = wideFunction(fn, BigInt(width));
  const range = wideRangeOf(width, signed);
  return (a, b, c) => {
    const exact = compute(read(a), read(b), read(c));
    return BigInt.asUintN(width, sat ? clamp(exact, range) : exact);
  };
}

function wideFunction(fn: IntegerFunction, width: bigint): (a: bigint, b: bigint, c: bigint) => bigint {
  switch (fn) {
    case 'add':
      return (a, b) => a + b;
    case 'sub':
      return (a, b) => a - b;
    case 'mul.lo':
    case 'mul.wide':
      return (a, b) => a * b;
    case 'mul.hi':
      return (a, b) => (a * b) >> width;
    case 'mad.lo':
    case 'mad.wide':
      return (a, b, c) => a * b + c;
    case 'mad.hi':
      return (a, b, c) => ((a * b) >> width) + c;
    case 'div':
      return (a, b) => (b === 0n ? -1n : a / b);
    case 'rem':
      return (a, b) => (b === 0n ? -1n : a % b);
    case 'min':
      return (a, b) => (a < b ? a : b);
    case 'max':
      return (a, b) => (a > b ? a : b);
    case 'neg':
      return (a) => -a;
    case 'abs':
      return (a) => (a < 0n ? -a : a);
  }
}

/**
 * Returns a logic or shift instruction for operands of `width` bits; a width of 1 means predicates. A shift amount is
 * an unsigned 32-bit number. If the amount is at least `width`, all bits are shifted out: the result is zero or, for
 * `shr.s`, consists of copies of the sign bit (section 9.7.8 of PTX ISA 9.1).
 */
export function bitOperation(fn: BitFunction, width: number): Operation {
  switch (fn) {
    case 'popc':
    case 'clz':
      return bitCounting(fn, width);
    case 'brev':
      return reversal(width);
    case 'fns':
      return onNumbers(setBitFinder);
    case 'lop3':
      return onNumbers(lookUp);
    case 'prmt':
    case 'prmt.f4e':
    case 'prmt.b4e':
    case 'prmt.rc8':
    case 'prmt.ecl':
    case 'prmt.ecr':
    case 'prmt.rc16':
      return permutation(fn);
    default:
      return width > 32 ? wideBitOperation(fn, width) : narrowBitOperation(fn, width);
  }
}

type LogicFunction = Exclude<BitFunction, 'popc' | 'clz' | 'brev' | 'fns' | 'lop3' | PermuteFunction>;

function narrowBitOperation(fn: LogicFunction, width: number): Operation {
  const write = chopper(width);
  const read = valueOf(width, true);
  switch (fn) {
    case 'and':
      return onNumbers((a, b) => (a & b) >>> 0);
    case 'or':
      return onNumbers((a, b) => (a | b) >>> 0);
    case 'xor':
      return onNumbers((a, b) => (a ^ b) >>> 0);
    case 'not':
      return onNumbers((a) => write(~a));
    case 'cnot':
      return onNumbers((a) => (a === 0 ? 1 : 0));
    case 'shl':
      return onNumbers((a, b) => (b >= width ? 0 : write(a << b)));
    case 'shr.u':
      return onNumbers((a, b) => (b >= width ? 0 : a >>> b));
    case 'shr.s':
      return onNumbers((a, b) => write(read(a) >> Math.min(b, 31)));
  }
}

function wideBitOperation(fn: LogicFunction, width: number): Operation {
  const most = BigInt(width);
  const amount = (b: number): bigint => (b >= width ? most : BigInt(b));
  switch (fn) {
    case 'and':
      return onBigints((a, b) => a & b);
    case 'or':
      return onBigints((a, b) => a | b);
    case 'xor':
      return onBigints((a, b) => a ^ b);
    case 'not':
      return onBigints((a) => BigInt.asUintN(width, ~a));
    case 'cnot':
      return onBigints((a) => (a === 0n ? 1n : 0n));
    case 'shl':
      return onShifted((a, b) => BigInt.asUintN(width, a << amount(b)));
    case 'shr.u':
      return onShifted((a, b) => a >> amount(b));
    case 'shr.s':
      return onShifted((a, b) => BigInt.asUintN(width, BigInt.asIntN(width, a) >> amount(b)));
  }
}
