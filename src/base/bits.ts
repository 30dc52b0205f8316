/**
 * A bit pattern, not a value: an unsigned `number` if the width is at most 32, an unsigned `bigint` if it is wider. The
 * width alone decides the representation, not each value.
 */
export type Bits = number | bigint;

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
