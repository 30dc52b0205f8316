/**
 * The comparisons in set, setp, slct and similar instructions (section 9.7.6 of PTX ISA 9.1), on integers and floats,
 * ordered and unordered.
 */
import { type Bits, onBigints, onNumbers } from '../base/bits.ts';
import { assertNever } from '../base/assert-never.ts';
import { type FloatFormat, formats, type IntegerName } from './formats.ts';
import type { Comparison, FloatArithmeticFormat } from './operations.ts';

export type Comparer = (a: Bits, b: Bits) => boolean;

/**
 * Returns a comparison of values of the given type, as a function of their bits. With `flush`, subnormal operands (f16
 * and f32) are treated as zeros. Negative and positive zero are equal.
 */
export function comparison(name: Comparison, type: IntegerName | FloatArithmeticFormat, flush: boolean): Comparer {
  const key = keyOf(type, flush);
  switch (name) {
    case 'eq':
      return (a, b) => key(a) === key(b);
    case 'ne':
      return (a, b) => key(a) < key(b) || key(a) > key(b);
    case 'lt':
    case 'lo':
      return (a, b) => key(a) < key(b);
    case 'le':
    case 'ls':
      return (a, b) => key(a) <= key(b);
    case 'gt':
    case 'hi':
      return (a, b) => key(a) > key(b);
    case 'ge':
    case 'hs':
      return (a, b) => key(a) >= key(b);
    case 'equ':
      return (a, b) => !(key(a) < key(b) || key(a) > key(b));
    case 'neu':
      return (a, b) => key(a) !== key(b);
    case 'ltu':
      return (a, b) => !(key(a) >= key(b));
    case 'leu':
      return (a, b) => !(key(a) > key(b));
    case 'gtu':
      return (a, b) => !(key(a) <= key(b));
    case 'geu':
      return (a, b) => !(key(a) < key(b));
    case 'num':
      return (a, b) => !isNan(key(a)) && !isNan(key(b));
    case 'nan':
      return (a, b) => isNan(key(a)) || isNan(key(b));
    default:
      return assertNever(name);
  }
}

/**
 * Maps the bits of a value to a number, so that the numbers have the same order as the values. A NaN is mapped to the
 * JavaScript NaN, for which every comparison is false.
 */
type Key = (bits: Bits) => number | bigint;

function isNan(key: number | bigint): boolean {
  return typeof key === 'number' && Number.isNaN(key);
}

function keyOf(type: IntegerName | FloatArithmeticFormat, flush: boolean): Key {
  const format = formats[type];
  if (format.kind !== 'float') return integerKey(format.width, format.signed);
  return type === 'f64' ? keyOfF64 : floatKey(format, flush);
}

function integerKey(width: number, signed: boolean): Key {
  if (!signed) return (bits) => bits;
  if (width > 32) return onBigints((bits) => BigInt.asIntN(width, bits));
  const shift = 32 - width;
  return onNumbers((bits) => (bits << shift) >> shift);
}

const words = new DataView(new ArrayBuffer(8));

const keyOfF64: Key = onBigints((bits) => {
  words.setBigUint64(0, bits);
  return words.getFloat64(0);
});

/** The magnitude as an integer, negated for negative values, so that the integers are ordered like the values. */
function floatKey({ width, fractionBits, exponentBits }: FloatFormat, flush: boolean): Key {
  const signBit = 2 ** (width - 1);
  const one = 2 ** fractionBits;
  const infinity = (2 ** exponentBits - 1) * one;
  const least = flush ? one : 0;
  return onNumbers((pattern) => {
    const magnitude = pattern >= signBit ? pattern - signBit : pattern;
    if (magnitude > infinity) return Number.NaN;
    if (magnitude < least) return 0;
    return pattern >= signBit ? -magnitude : magnitude;
  });
}
