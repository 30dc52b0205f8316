/**
 * Represents values before they are rounded, independently of any format. The significand is a `number` below 2^53. If
 * a value has more bits than that, the remaining bits are represented only by one of four tails (see `Tail`), which is
 * enough information to round in any direction.
 */
import { recordOf } from '../base/records.ts';
import { type Bits, onBigints, onNumbers } from '../base/bits.ts';
import { doubleAt } from '../base/typed-reads.ts';
import { formats, type FixedFormat, type FloatFormat, type FormatName, formatNames } from './formats.ts';

export type Sign = 0 | 1;

/**
 * Classifies the part of a value that is below the last place of its significand: zero, less than half a unit of that
 * place, exactly half, or more than half.
 */
export type Tail = 0 | 1 | 2 | 3;
export const noTail: Tail = 0;
export const belowHalf: Tail = 1;
export const half: Tail = 2;
export const aboveHalf: Tail = 3;

/**
 * The value (-1)^sign * (significand + tail) * 2^exponent, where `significand` is a positive integer below 2^53. If the
 * tail is not zero, the significand has at least as many bits as the significands of the formats to which the value may
 * be rounded.
 */
export interface Finite {
  readonly kind: 'finite';
  readonly sign: Sign;
  readonly significand: number;
  readonly exponent: number;
  readonly tail: Tail;
}

export type Exact =
  | Finite
  | { readonly kind: 'zero'; readonly sign: Sign }
  | { readonly kind: 'infinity'; readonly sign: Sign }
  /** `payload`: the fraction field, aligned at the top of 52 bits; its top bit is the quiet bit. */
  | { readonly kind: 'nan'; readonly sign: Sign; readonly payload: number };

const zeros: readonly [Exact, Exact] = [
  { kind: 'zero', sign: 0 },
  { kind: 'zero', sign: 1 },
];
const infinities: readonly [Exact, Exact] = [
  { kind: 'infinity', sign: 0 },
  { kind: 'infinity', sign: 1 },
];

export function zero(sign: Sign): Exact {
  return zeros[sign];
}

export function infinity(sign: Sign): Exact {
  return infinities[sign];
}

export function finite(sign: Sign, significand: number, exponent: number, tail: Tail): Finite {
  return { kind: 'finite', sign, significand, exponent, tail };
}

/** The NaN that operations produce; it has the sign and payload of the f64 NaN that CUDA produces (policy.ts). */
export const madeNan: Exact = { kind: 'nan', sign: 1, payload: 2 ** 51 };

const lowestPower = -1074;
const powers = new Float64Array(1024 - lowestPower);
powers[0] = Number.MIN_VALUE;
for (let i = 1; i < powers.length; i++) powers[i] = doubleAt(powers, i - 1) * 2;

/** Returns 2^exponent as an exact double: 0 below 2^-1074, and infinity above 2^1023. */
export function power(exponent: number): number {
  if (exponent < lowestPower) return 0;
  return powers[exponent - lowestPower] ?? Number.POSITIVE_INFINITY;
}

/** The value as a JavaScript number, which is exact for all values that a format of at most 64 bits can represent. */
export function numberOfExact(value: Exact): number {
  switch (value.kind) {
    case 'nan':
      return Number.NaN;
    case 'infinity':
      return value.sign === 1 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    case 'zero':
      return value.sign === 1 ? -0 : 0;
    case 'finite': {
      const magnitude = value.significand * power(value.exponent);
      return value.sign === 1 ? -magnitude : magnitude;
    }
  }
}

/** The bit length of a positive integer below 2^53: 1 for 1, 53 for 2^52. */
export function bitLength(significand: number): number {
  if (significand < 0x100000000) return 32 - Math.clz32(significand);
  return 64 - Math.clz32(significand / 0x100000000);
}

/**
 * The tail that describes the fraction `low` / `unit`, where 0 <= low < unit. `below` is the tail that describes the
 * part of the value below the last bit of `low`.
 */
export function classify(low: number, unit: number, below: Tail): Tail {
  const twice = low * 2;
  if (twice > unit) return aboveHalf;
  if (twice === unit) return below === noTail ? half : aboveHalf;
  return low === 0 && below === noTail ? noTail : belowHalf;
}

/**
 * A positive bigint times 2^exponent. `more` is true if the exact value is larger than this product, by less than
 * 2^exponent.
 */
export function fromInteger(sign: Sign, integer: bigint, exponent: number, more = false): Finite {
  if (integer < 0x20000000000000n) {
    if (more) return fromInteger(sign, integer << 60n, exponent - 60, true);
    return finite(sign, Number(integer), exponent, noTail);
  }
  const shift = widthOf(integer) - 53;
  const low = BigInt.asUintN(shift, integer);
  const middle = 1n << BigInt(shift - 1);
  const below = more ? belowHalf : noTail;
  let tail: Tail = low < middle ? belowHalf : aboveHalf;
  if (low === 0n) tail = below;
  else if (low === middle && !more) tail = half;
  return finite(sign, Number(integer >> BigInt(shift)), exponent + shift, tail);
}

/** The bit length of a positive bigint. */
export function widthOf(integer: bigint): number {
  const digits = integer.toString(16);
  return digits.length * 4 + 28 - Math.clz32(Number.parseInt(digits.charAt(0), 16));
}

/** The quotient numerator / denominator of two positive numbers, as a 53-bit significand and a tail. */
export function fromRatio(sign: Sign, numerator: bigint, denominator: bigint): Finite {
  const shift = Math.max(0, widthOf(denominator) - widthOf(numerator) + 54);
  const scaled = numerator << BigInt(shift);
  const quotient = scaled / denominator;
  return fromInteger(sign, quotient, -shift, quotient * denominator !== scaled);
}

export type Decoder = (bits: Bits) => Exact;

/** The value that the bits represent in a format. Bits above the width of the format are ignored. */
export function decode(format: FormatName, bits: Bits): Exact {
  return decoders[format](bits);
}

/** The value of a pattern as a JavaScript number, which is exact except for 64-bit integers. */
export function numberFrom(format: FormatName, bits: Bits): number {
  const { kind, width, signed } = formats[format];
  if (kind === 'integer') return Number(signed ? BigInt.asIntN(width, BigInt(bits)) : bits);
  return numberOfExact(decode(format, bits));
}

/** Returns a function that decodes bits of the given format. */
export function decoder(format: FormatName): Decoder {
  return decoders[format];
}

function floatDecoder(format: FloatFormat): Decoder {
  const { fractionBits, padding, subnormals } = format;
  const lowest = 1 - format.bias - fractionBits;
  const one = 2 ** fractionBits;
  const top = 2 ** format.exponentBits - 1;
  const fieldPosition = fractionBits + padding;
  const signPosition = format.signed ? format.width - 1 : 31;
  const payloadUnit = 2 ** (52 - fractionBits);
  const ieee = format.nan === 'ieee';
  const allOnes = format.nan === 'all-ones';
  return onNumbers((pattern) => {
    const sign: Sign = pattern >>> signPosition === 1 ? 1 : 0;
    const field = (pattern >>> fieldPosition) & top;
    const fraction = (pattern >>> padding) & (one - 1);
    if (field === top) {
      if (ieee) return fraction === 0 ? infinities[sign] : { kind: 'nan', sign, payload: fraction * payloadUnit };
      if (allOnes && fraction === one - 1) return madeNan;
    }
    if (field !== 0) return finite(sign, fraction + one, field + lowest - 1, noTail);
    if (!subnormals) return finite(sign, 1, lowest - 1, noTail);
    return fraction === 0 ? zeros[sign] : finite(sign, fraction, lowest, noTail);
  });
}

const words = new DataView(new ArrayBuffer(8));

const decodeF64: Decoder = onBigints((bits) => {
  words.setBigUint64(0, bits);
  const high = words.getUint32(0);
  const sign = high >>> 31 === 1 ? 1 : 0;
  const field = (high >>> 20) & 0x7ff;
  const fraction = (high & 0xfffff) * 0x100000000 + words.getUint32(4);
  if (field === 0x7ff) return fraction === 0 ? infinities[sign] : { kind: 'nan', sign, payload: fraction };
  if (field !== 0) return finite(sign, fraction + 0x10000000000000, field - 1075, noTail);
  return fraction === 0 ? zeros[sign] : finite(sign, fraction, -1074, noTail);
});

function fixedDecoder(format: FixedFormat): Decoder {
  const { width, signed, fractionBits } = format;
  const limit = signed ? power(width - 1) : Number.POSITIVE_INFINITY;
  const modulus = power(width);
  return onNumbers((pattern) => {
    if (pattern === 0) return zeros[0];
    if (pattern < limit) return finite(0, pattern, -fractionBits, noTail);
    return finite(1, modulus - pattern, -fractionBits, noTail);
  });
}

function wideDecoder(signed: boolean): Decoder {
  return onBigints((bits) => {
    if (bits === 0n) return zeros[0];
    const integer = signed ? BigInt.asIntN(64, bits) : bits;
    return integer < 0n ? fromInteger(1, -integer, 0) : fromInteger(0, integer, 0);
  });
}

function makeDecoder(name: FormatName): Decoder {
  const format = formats[name];
  if (format.kind === 'float') return name === 'f64' ? decodeF64 : floatDecoder(format);
  return format.width === 64 ? wideDecoder(format.signed) : fixedDecoder(format);
}

const decoders = recordOf(formatNames, makeDecoder);
