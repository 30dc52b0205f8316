/**
 * A bit pattern, not a value: an unsigned `number` if the width is at most 32, an unsigned `bigint` if it is wider. The
 * width alone decides the representation, not each value.
 */
export type Bits = number | bigint;

/** The bits of a value known to have at most 32. */
export function numberOf(bits: Bits): number {
  if (typeof bits !== 'number') throw new Error(`${bits}n stands where at most 32 bits were expected`);
  return bits;
}

/** The bits of a value known to have more than 32. */
export function bigintOf(bits: Bits): bigint {
  if (typeof bits !== 'bigint') throw new Error(`${bits} stands where more than 32 bits were expected`);
  return bits;
}

/** The low `width` bits of `bits`, in the representation that `width` asks for. */
export function chop(bits: Bits, width: number): Bits {
  if (width > 32) return BigInt.asUintN(width, BigInt(bits));
  const low = typeof bits === 'number' ? bits >>> 0 : Number(BigInt.asUintN(32, bits));
  return width === 32 ? low : low & ((1 << width) - 1);
}

/** The low `from` bits of `bits` with their top bit repeated up to `to` bits. */
export function signExtend(bits: Bits, from: number, to: number): Bits {
  if (from > 32 || to > 32) return BigInt.asUintN(to, BigInt.asIntN(from, BigInt(bits)));
  const shift = 32 - from;
  return chop((Number(bits) << shift) >> shift, to);
}

/** `bits` as lower-case hex without prefix, padded to `width` bits. */
export function hex(bits: Bits, width: number): string {
  return bits.toString(16).padStart(Math.ceil(width / 4), '0');
}

/** A function of bits; surplus arguments are ignored. */
type OfBits<R> = (a: Bits, b?: Bits, c?: Bits, d?: Bits) => R;

/**
 * A function of bits of values up to 32 bits wide, which are numbers. The code that prepares an instruction knows its
 * widths.
 */
export function onNumbers<R>(of: (a: number, b: number, c: number, d: number) => R): OfBits<R> {
  return of as OfBits<R>;
}

/** A function of bits of 64-bit values, which are bigints. */
export function onBigints<R>(of: (a: bigint, b: bigint, c: bigint) => R): OfBits<R> {
  return of as OfBits<R>;
}

/** A shift of a 64-bit value: the amount is a number at every width. */
export function onShifted<R>(of: (a: bigint, amount: number) => R): OfBits<R> {
  return of as OfBits<R>;
}
