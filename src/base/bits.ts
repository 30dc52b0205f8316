/**
 * A bit pattern rather than a value: an unsigned `number` if it is at most 32 bits wide, else an unsigned `bigint`. The
 * representation depends only on the width, never on the individual value.
 */
export type Bits = number | bigint;

/** Returns `bits` as a `number`; throws if they are more than 32 bits wide. */
export function numberOf(bits: Bits): number {
  return typeof bits === 'number' ? bits : wrongWidth(bits);
}

/** Returns `bits` as a `bigint`; throws if they are at most 32 bits wide. */
export function bigintOf(bits: Bits): bigint {
  return typeof bits === 'bigint' ? bits : wrongWidth(bits);
}

/** Throws an error. This is a separate function so that its callers stay small enough for V8 to inline. */
function wrongWidth(bits: Bits): never {
  throw new Error(`expected bits of a different width, but got the ${typeof bits} ${bits}`);
}

/** The low `width` bits of `bits`, in the representation for that width. */
export function chop(bits: Bits, width: number): Bits {
  if (width > 32) return BigInt.asUintN(width, BigInt(bits));
  const low = typeof bits === 'number' ? bits >>> 0 : Number(BigInt.asUintN(32, bits));
  return width === 32 ? low : low & ((1 << width) - 1);
}

/** The low `from` bits of `bits`, sign-extended to `to` bits. */
export function signExtend(bits: Bits, from: number, to: number): Bits {
  if (from > 32 || to > 32) return BigInt.asUintN(to, BigInt.asIntN(from, BigInt(bits)));
  const shift = 32 - from;
  return chop((Number(bits) << shift) >> shift, to);
}

/** Returns a function that reads a field of at most 53 bits from `word`. */
export function fieldsOf(word: bigint): (low: number, width: number) => number {
  return (low, width) => Number(BigInt.asUintN(width, word >> BigInt(low)));
}

/** `bits` in lower-case hex with no prefix, padded with zeros to `width` bits. */
export function hex(bits: Bits, width: number): string {
  return bits.toString(16).padStart(Math.ceil(width / 4), '0');
}

/** A function of one to four `Bits`; it ignores surplus arguments. */
type OfBits<R> = (a: Bits, b?: Bits, c?: Bits, d?: Bits) => R;

/**
 * Allows a function that takes `number`s (values of at most 32 bits) to be called with `Bits`. Nothing is checked,
 * because the widths are known when an instruction is prepared.
 */
export function onNumbers<R>(of: (a: number, b: number, c: number, d: number) => R): OfBits<R> {
  return of as OfBits<R>;
}

/** Allows a function that takes `bigint`s (64-bit values) to be called with `Bits`. */
export function onBigints<R>(of: (a: bigint, b: bigint, c: bigint) => R): OfBits<R> {
  return of as OfBits<R>;
}

/** Allows a function that shifts 64-bit values to be called with `Bits`. The shift amount is always a `number`. */
export function onShifted<R>(of: (a: bigint, amount: number) => R): OfBits<R> {
  return of as OfBits<R>;
}
