/** Formats doubles exactly as C prints them: every digit is taken from the exact value, and ties round to even. */

/** The magnitude of a finite value as a fraction: `numerator / denominator`. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const exponentBias = 1075;

/** Splits a double into its fields. */
function split(bits: bigint): { readonly exponent: number; readonly fraction: bigint } {
  return { exponent: Number((bits >> 52n) & 0x7ffn), fraction: bits & 0xf_ffff_ffff_ffffn };
}

/** True for infinities and NaN. */
export function isSpecial(bits: bigint): boolean {
  return split(bits).exponent === 0x7ff;
}

export function isNan(bits: bigint): boolean {
  return isSpecial(bits) && split(bits).fraction !== 0n;
}

function magnitude(bits: bigint): Fraction {
  const { exponent, fraction } = split(bits);
  const significand = exponent === 0 ? fraction : fraction | (1n << 52n);
  const shift = Math.max(exponent, 1) - exponentBias;
  return shift >= 0
    ? { numerator: significand << BigInt(shift), denominator: 1n }
    : { numerator: significand, denominator: 1n << BigInt(-shift) };
}

/** Multiplies a fraction by a power of ten, and returns the integer that is nearest to the product. */
function scaled({ numerator, denominator }: Fraction, power: number): bigint {
  const ten = 10n ** BigInt(Math.abs(power));
  return power >= 0 ? nearestQuotient(numerator * ten, denominator) : nearestQuotient(numerator, denominator * ten);
}

function nearestQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  const up = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return up ? quotient + 1n : quotient;
}

/**
 * Formats a number with `%f`, which writes `precision` digits after the decimal point. If `point` is set, the decimal
 * point is written even if no digits follow it.
 */
export function fixed(bits: bigint, precision: number, point: boolean): string {
  const digits = scaled(magnitude(bits), precision)
    .toString()
    .padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  return precision > 0 ? `${whole}.${digits.slice(-precision)}` : whole + (point ? '.' : '');
}

interface Scientific {
  /** `precision + 1` digits. */
  readonly digits: string;
  readonly exponent: number;
}

function scientificParts(bits: bigint, precision: number): Scientific {
  const value = magnitude(bits);
  if (value.numerator === 0n) return { digits: '0'.repeat(precision + 1), exponent: 0 };
  let exponent = value.numerator.toString().length - value.denominator.toString().length;
  if (!reaches(value, exponent)) exponent--;
  const digits = scaled(value, precision - exponent).toString();
  // If the value is rounded up to the next power of ten, there is one digit too many.
  return digits.length > precision + 1
    ? { digits: digits.slice(0, precision + 1), exponent: exponent + 1 }
    : { digits, exponent };
}

/** True if the value is at least 10^`power`. */
function reaches({ numerator, denominator }: Fraction, power: number): boolean {
  const ten = 10n ** BigInt(Math.abs(power));
  return power >= 0 ? numerator >= denominator * ten : numerator * ten >= denominator;
}

/** `%e`. */
export function scientific(bits: bigint, precision: number, point: boolean): string {
  return scientificText(scientificParts(bits, precision), point);
}

function scientificText({ digits, exponent }: Scientific, point: boolean): string {
  const rest = digits.slice(1);
  const mantissa = rest === '' ? `${digits}${point ? '.' : ''}` : `${digits.slice(0, 1)}.${rest}`;
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent).toString().padStart(2, '0')}`;
}

/**
 * Formats a number with `%g`, which writes `precision` significant digits in the notation of `%e` or `%f`; the rules of
 * C determine which one. Trailing zeros are dropped unless `keep` is set.
 */
export function general(bits: bigint, precision: number, keep: boolean): string {
  const significant = Math.max(1, precision);
  const { exponent } = scientificParts(bits, significant - 1);
  const text =
    exponent < -4 || exponent >= significant
      ? scientific(bits, significant - 1, keep)
      : fixed(bits, significant - 1 - exponent, keep);
  return keep ? text : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
}

/**
 * Formats a number with `%a` as glibc does: the digit before the point is 0 for zero and subnormal numbers, and 1 for
 * normal numbers. If no precision is given, all significant digits are written.
 */
export function hexadecimal(bits: bigint, precision: number | null, point: boolean): string {
  const { exponent, fraction } = split(bits);
  const power = exponent === 0 ? (fraction === 0n ? 0 : -1022) : exponent - 1023;
  let whole = exponent === 0 ? fraction : fraction | (1n << 52n);
  let digits = 13;
  if (precision !== null && precision < 13) {
    whole = nearestQuotient(whole, 1n << BigInt(4 * (13 - precision)));
    digits = precision;
  }
  const text = whole.toString(16).padStart(digits + 1, '0');
  const head = text.slice(0, text.length - digits);
  const tail = digits === 0 ? '' : text.slice(-digits);
  const shown = precision === null ? tail.replace(/0+$/, '') : tail.padEnd(precision, '0');
  const behind = shown === '' ? (point ? '.' : '') : `.${shown}`;
  return `0x${head}${behind}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
