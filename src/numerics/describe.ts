/**
 * Formats values as text. A value whose exact decimal is short is shown as this decimal. Any other value is shown with
 * the shortest decimal that identifies the same bits.
 */
import { type Bits, hex } from '../base/bits.ts';
import { decode, type Finite } from './exact.ts';
import { formats, type FormatName } from './formats.ts';
import { gridOf } from './round.ts';

/** An exact decimal with at most this many digits counts as short. */
const shortest = 17;

/**
 * Formats the value of an encoding, for example as `448`, `-0`, `inf`, `NaN (0x7fff)` or `0.015625`. If the exact
 * decimal is long, the result is the shortest decimal that is converted back to the same bits, followed by the exact
 * value in hex, as in `0.1 (0x1.99999ap-4)`. A long ue8m0 value is shown as a power of two: `2^-127`.
 */
export function formatValue(format: FormatName, bits: Bits): string {
  const { width, kind, signed } = formats[format];
  if (kind === 'integer') return signed ? BigInt.asIntN(width, BigInt(bits)).toString() : bits.toString();
  const value = decode(format, bits);
  switch (value.kind) {
    case 'nan':
      return `NaN (0x${hex(bits, width)})`;
    case 'infinity':
      return value.sign === 1 ? '-inf' : 'inf';
    case 'zero':
      return value.sign === 1 ? '-0' : '0';
    case 'finite': {
      const exact = formatExact(value);
      if (exact === null && format === 'ue8m0') return `2^${value.exponent}`;
      return exact ?? `${shortestDecimal(format, value)} (${hexFloat(value)})`;
    }
  }
}

/** The exact decimal for a value; null if it has more than 17 digits. */
function formatExact(value: Finite): string | null {
  const { digits, exponent } = decimalOf(value);
  if (digits.length > shortest || Math.abs(digits.length + exponent) > shortest + 4) return null;
  return sign(value) + place(digits, exponent);
}

/**
 * Returns the decimal digits of a value, without trailing zeros, and an exponent. The value is digits * 10^exponent.
 */
function decimalOf(value: Finite): { readonly digits: string; readonly exponent: number } {
  const { significand, exponent } = value;
  const integer =
    exponent >= 0 ? BigInt(significand) << BigInt(exponent) : BigInt(significand) * 5n ** BigInt(-exponent);
  const all = integer.toString();
  const digits = all.replace(/0+$/, '');
  return { digits, exponent: Math.min(exponent, 0) + all.length - digits.length };
}

function sign(value: Finite): string {
  return value.sign === 1 ? '-' : '';
}

/** Formats digits * 10^exponent in plain notation or, if that would need many zeros, with an exponent. */
function place(digits: string, exponent: number): string {
  const point = digits.length + exponent;
  if (point > 21 || point < -6) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${digits.charAt(0)}${rest}e${point > 0 ? '+' : ''}${point - 1}`;
  }
  if (exponent >= 0) return digits + '0'.repeat(exponent);
  if (point > 0) return `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `0.${'0'.repeat(-point)}${digits}`;
}

/** `0x1.8p+3`: the significand in hex with its leading one, the exponent in decimal. */
export function hexFloat(value: Finite): string {
  const binary = value.significand.toString(2);
  const exponent = value.exponent + binary.length - 1;
  const fraction = binary.slice(1).replace(/0+$/, '');
  const padded = fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0');
  const digits = padded === '' ? '' : `.${BigInt(`0b1${padded}`).toString(16).slice(1)}`;
  return `${sign(value)}0x1${digits}p${exponent < 0 ? '' : '+'}${exponent}`;
}

/** The shortest decimal that is nearer to the value than to any other value of its format. */
function shortestDecimal(format: FormatName, value: Finite): string {
  const { digits, exponent } = decimalOf(value);
  for (let count = 1; count < digits.length; count++) {
    const cut = digits.length - count;
    const rounded = roundDigits(digits, count);
    const point = exponent + cut;
    if (readsBack(format, value, rounded, point)) {
      const plain = rounded.toString().replace(/0+$/, '');
      return sign(value) + place(plain, point + rounded.toString().length - plain.length);
    }
  }
  return sign(value) + place(digits, exponent);
}

function roundDigits(digits: string, count: number): bigint {
  const kept = BigInt(digits.slice(0, count));
  return digits.charCodeAt(count) >= 53 ? kept + 1n : kept;
}

/**
 * Whether the difference between digits * 10^point and the value is less than half the distance to the neighbor;
 * computed with exact integers.
 */
function readsBack(format: FormatName, value: Finite, digits: bigint, point: number): boolean {
  const { significand, exponent } = value;
  const twos = 2n ** BigInt(Math.max(0, -exponent));
  const tens = 10n ** BigInt(Math.max(0, -point));
  const unit = twos * tens * (exponent > 0 ? 1n << BigInt(exponent) : 1n);
  const lastPlace = exponent < 0 ? unit / (1n << BigInt(-exponent)) : unit;
  const exact = BigInt(significand) * lastPlace;
  const candidate = (digits * twos * tens * 10n ** BigInt(Math.max(0, point))) / tens;
  const distance = candidate > exact ? candidate - exact : exact - candidate;
  // The neighbor just below a power of two is only half as far away as the one above it, except if the power of two is
  // a subnormal or the smallest normal value.
  const isNearer = candidate < exact && exponent > gridOf(format).lowest && /^10*$/.test(significand.toString(2));
  return distance * (isNearer ? 4n : 2n) < lastPlace;
}
