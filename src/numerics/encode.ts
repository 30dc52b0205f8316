/** Encodes values on a format's grid as bits, and lists the special bit patterns of each format. */
import { recordOf } from '../base/records.ts';
import type { Bits } from '../base/bits.ts';
import { bitLength, power, type Sign } from './exact.ts';
import { formats, type FixedFormat, type FloatFormat, type FormatName, formatNames } from './formats.ts';

/**
 * Returns the bits of (-1)^sign * significand * 2^exponent. The format must be able to represent this value exactly;
 * for zero, the significand is 0.
 */
export type Encoder = (sign: Sign, significand: number, exponent: number) => Bits;

export interface Patterns {
  readonly encode: Encoder;
  /**
   * Positive zero and negative zero. An unsigned format has only one zero, so both entries are that zero; ue8m0 has no
   * zero, so both entries are its smallest value.
   */
  readonly zero: readonly [Bits, Bits];
  readonly one: Bits;
  /** Null if the format has no infinities. */
  readonly infinity: readonly [Bits, Bits] | null;
  /** +MAX_NORM and -MAX_NORM; for an integer type, its largest and its lowest value. */
  readonly largest: readonly [Bits, Bits];
  /** Null if the format has no NaN. */
  readonly canonicalNan: Bits | null;
  /**
   * Returns the NaN with the given sign and the leading bits of the payload, made quiet if `quiet` is true; the payload
   * has the same alignment as in exact.ts. Null if the NaNs of the format have no payload.
   */
  readonly nanOf: ((sign: Sign, payload: number, quiet: boolean) => Bits) | null;
}

/** The encoder and the special patterns of a format, created once. */
export function patternsOf(name: FormatName): Patterns {
  return patterns[name];
}

const words = new DataView(new ArrayBuffer(8));

// For any finite f64, the double that JavaScript computes for significand * 2^exponent is exact, so its bits are the
// encoding.
function encodeF64(sign: Sign, significand: number, exponent: number): Bits {
  words.setFloat64(0, significand * power(exponent));
  if (sign === 1) words.setUint8(0, words.getUint8(0) | 0x80);
  return words.getBigUint64(0);
}

function floatEncoder(format: FloatFormat): Encoder {
  const { fractionBits, bias, padding, width, signed, subnormals } = format;
  const lowest = 1 - bias - fractionBits;
  const one = 2 ** fractionBits;
  const unit = 2 ** padding;
  const signBit = signed ? 2 ** (width - 1) : 0;
  const least = subnormals ? 0 : 1;
  return (sign, significand, exponent) => {
    const signBits = sign === 1 ? signBit : 0;
    if (significand === 0) return signBits;
    const last = Math.max(exponent + bitLength(significand) - 1 - fractionBits, lowest - least);
    // The significand of a normal number still contains its leading bit, which increases the exponent field by 1 when
    // the significand is added. The field is therefore first computed as one less than its actual value. For a
    // subnormal, which has no leading bit in this position, the field is 0, and adding the significand does not change
    // it.
    const magnitude = (last - lowest) * one + significand * power(exponent - last);
    return signBits + magnitude * unit;
  };
}

function fixedEncoder(format: FixedFormat): Encoder {
  const { width, fractionBits } = format;
  const modulus = 2 ** width;
  return (sign, significand, exponent) => {
    const magnitude = significand * power(exponent + fractionBits);
    return sign === 1 && magnitude !== 0 ? modulus - magnitude : magnitude;
  };
}

function encodeWide(sign: Sign, significand: number, exponent: number): Bits {
  const magnitude = BigInt(significand * power(exponent));
  return sign === 1 ? BigInt.asUintN(64, -magnitude) : magnitude;
}

function floatPatterns(format: FloatFormat): Patterns {
  const { width, signed, padding, name } = format;
  const asBits = (bits: bigint): Bits => (width > 32 ? bits : Number(bits));
  const signBit = signed ? 1n << BigInt(width - 1) : 0n;
  const allOnes = (1n << BigInt(width - (signed ? 1 : 0) - padding)) - 1n;
  const infinite = allOnes - ((1n << BigInt(format.fractionBits)) - 1n);
  const top = format.infinity ? infinite - 1n : format.nan === 'all-ones' ? allOnes - 1n : allOnes;
  const both = (bits: bigint): readonly [Bits, Bits] => {
    const placed = bits << BigInt(padding);
    return [asBits(placed), asBits(placed | signBit)];
  };
  const encode = name === 'f64' ? encodeF64 : floatEncoder(format);
  return {
    encode,
    zero: both(0n),
    one: encode(0, 1, 0),
    infinity: format.infinity ? both(infinite) : null,
    largest: both(top),
    canonicalNan: format.canonicalNan === null ? null : asBits(format.canonicalNan),
    nanOf: format.nan === 'ieee' ? nanMaker(format, both(infinite)) : null,
  };
}

function nanMaker(format: FloatFormat, infinite: readonly [Bits, Bits]): NonNullable<Patterns['nanOf']> {
  const quietBit = 2 ** 51;
  const unit = 2 ** (52 - format.fractionBits);
  return (sign, payload, quiet) => {
    const all = payload >= quietBit || !quiet ? payload : payload + quietBit;
    const fraction = Math.floor(all / unit) * 2 ** format.padding;
    const base = infinite[sign];
    return typeof base === 'bigint' ? base + BigInt(fraction) : base + fraction;
  };
}

function fixedPatterns(format: FixedFormat): Patterns {
  const { width, signed, kind } = format;
  const encode = width === 64 ? encodeWide : fixedEncoder(format);
  const asBits = (bits: bigint): Bits => (width > 32 ? bits : Number(bits));
  const all = (1n << BigInt(width)) - 1n;
  const top = signed ? all >> 1n : all;
  const lowest = kind === 'fixed' ? top + 2n : signed ? top + 1n : 0n;
  return {
    encode,
    zero: [asBits(0n), asBits(0n)],
    one: encode(0, 1, 0),
    infinity: null,
    largest: [asBits(top), asBits(lowest)],
    canonicalNan: null,
    nanOf: null,
  };
}

function makePatterns(name: FormatName): Patterns {
  const format = formats[name];
  return format.kind === 'float' ? floatPatterns(format) : fixedPatterns(format);
}

const patterns = recordOf(formatNames, makePatterns);
