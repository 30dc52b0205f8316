/** Exact numbers. They are needed because doubles cannot distinguish 2^64 from the largest value of u64. */
import { type Bits, type FormatName, formats, numberValue } from 'ptxlab/numbers';

/** The number `significand` · 2^`exponent`. */
export interface Exact {
  readonly significand: bigint;
  readonly exponent: number;
}

/** The value of an encoding; null for infinities and NaNs. */
export function exactValue(format: FormatName, bits: Bits): Exact | null {
  const { kind, width, signed } = formats[format];
  if (kind !== 'integer' || width !== 64) return exactOf(numberValue(format, bits));
  return { significand: signed ? BigInt.asIntN(64, BigInt(bits)) : BigInt(bits), exponent: 0 };
}

function exactOf(value: number): Exact | null {
  if (!Number.isFinite(value)) return null;
  let [whole, exponent] = [value, 0];
  while (!Number.isInteger(whole)) {
    whole *= 2;
    exponent--;
  }
  return { significand: BigInt(whole), exponent };
}

export function plus(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  return { significand: at(a, exponent) + at(b, exponent), exponent };
}

export function minus(a: Exact, b: Exact): Exact {
  return plus(a, { ...b, significand: -b.significand });
}

export function isSame(a: Exact, b: Exact): boolean {
  return minus(a, b).significand === 0n;
}

/** The number of binary places to which a quotient is computed. */
const places = 60;

export function quotient(a: Exact, b: Exact): number {
  const exponent = Math.min(a.exponent, b.exponent);
  return Number((at(a, exponent) << BigInt(places)) / at(b, exponent)) / 2 ** places;
}

/** The digits of the number if it is an integer, and otherwise the nearest double. */
export function textOf(value: Exact): string {
  return String(wholeOf(value) ?? numberOf(value));
}

/**
 * The number as an integer; null if it is not an integer, or if it does not fit into 66 bits. Larger floats are written
 * with an exponent instead.
 */
export function wholeOf(value: Exact): bigint | null {
  if (value.exponent < 0 && value.significand % (1n << BigInt(-value.exponent)) !== 0n) return null;
  const whole = value.exponent < 0 ? value.significand >> BigInt(-value.exponent) : at(value, 0);
  return BigInt.asIntN(66, whole) === whole ? whole : null;
}

/** The nearest double. */
export function numberOf({ significand, exponent }: Exact): number {
  return Number(significand) * 2 ** exponent;
}

function at({ significand, exponent }: Exact, wanted: number): bigint {
  return significand << BigInt(exponent - wanted);
}
