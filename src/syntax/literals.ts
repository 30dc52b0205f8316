/**
 * Reads PTX literals and returns their values. The notation is defined in sections 4.5.1 and 4.5.2 of the PTX ISA; the
 * treatment of literals with more than 64 bits was measured with ptxas 13.0.
 */

const bits64 = 64;
const signBit: bigint = 1n << 63n;

/** The most frequent integers as bigints. They are created only once, because most constants in real PTX are small. */
const smallIntegers: readonly bigint[] = Array.from({ length: 1024 }, (_, i) => BigInt(i));

/**
 * The value of an integer literal. The type of the literal is `.u64` if it has the suffix `U` or is too large for
 * `.s64`, otherwise `.s64`.
 */
export interface IntegerLiteral {
  readonly value: bigint;
  readonly unsigned: boolean;
  /**
   * Whether the value fits in 64 bits. If it does not, ptxas either keeps only the low 64 bits (`wraps`) or rejects the
   * literal (`overflow`).
   */
  readonly fit: 'fits' | 'wraps' | 'overflow';
}

/** Converts a non-negative safe integer to a bigint. */
export function toBigInt(n: number): bigint {
  return smallIntegers[n] ?? BigInt(n);
}

/**
 * Returns the value of a well-formed integer token, which can be decimal, hexadecimal (`0x`), binary (`0b`) or octal
 * (with a leading zero), and may end with a `U`.
 */
export function readInteger(text: string): IntegerLiteral {
  const suffixed = text.endsWith('U');
  const end = suffixed ? text.length - 1 : text.length;
  const radix = radixOf(text, end);
  const digits = text.slice(radix === 16 || radix === 2 ? 2 : 0, end);
  const small = digits.length <= 10 ? Number.parseInt(digits, radix) : -1;
  if (small >= 0) return { value: toBigInt(small), unsigned: suffixed, fit: 'fits' };
  return readLong(digits, radix, suffixed);
}

/**
 * ptxas accumulates the digits of a number in 64 bits. It rejects the number only if bit 63 is set and another digit
 * follows, so 2^64 is read as 0, but 10^20 is rejected. Nearly all very long literals are rejected after a few digits.
 * Reading them therefore takes little time, even if they have a million digits.
 */
function readLong(digits: string, radix: number, suffixed: boolean): IntegerLiteral {
  const base = BigInt(radix);
  let value = 0n;
  let wrapped = false;
  for (const digit of digits) {
    if (value >= signBit) return { value: 0n, unsigned: true, fit: 'overflow' };
    const next = value * base + BigInt(Number.parseInt(digit, radix));
    value = BigInt.asUintN(bits64, next);
    if (value !== next) wrapped = true;
  }
  return { value, unsigned: suffixed || value >= signBit, fit: wrapped ? 'wraps' : 'fits' };
}

function radixOf(text: string, end: number): 2 | 8 | 10 | 16 {
  if (end < 2 || text.charCodeAt(0) !== 0x30) return 10;
  const second = text.charCodeAt(1) | 0x20;
  if (second === 0x78) return 16;
  return second === 0x62 ? 2 : 8;
}

const scratch: DataView = new DataView(new ArrayBuffer(8));

/**
 * Returns the bits of an f64. Every NaN becomes the NaN that x86 processors produce, because ptxas folds constants on
 * x86.
 */
export function doubleBits(value: number): bigint {
  if (Number.isNaN(value)) return 0xfff8000000000000n;
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}

/** Returns the f64 that has the given bits. */
export function bitsToDouble(bits: bigint): number {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

/**
 * The bits of a decimal float token; null if it is outside the normal range of f64 (ptxas reports an overflow even if
 * the value is too small).
 */
export function readDecimal(text: string): bigint | null {
  const value = Number(text);
  const tiny = value < 2.2250738585072014e-308 && (value !== 0 || /^[\d.]*[1-9]/.test(text));
  return tiny || !Number.isFinite(value) ? null : doubleBits(value);
}

/** The bits of a `0f…` or `0d…` token. */
export function readHexFloat(text: string): bigint {
  return BigInt(`0x${text.slice(2)}`);
}
