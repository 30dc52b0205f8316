/** The bits of constants in instructions. */
import { type Bits, chop } from '../../base/bits.ts';
import type { PtxType } from '../../isa/types.ts';
import type { FloatOperand } from '../../syntax/tree.ts';

/**
 * If the type is a predicate, the constant is true unless it is zero. For all other types, the constant is truncated to
 * the width of the type.
 */
export function constantBits(type: PtxType, value: bigint): Bits {
  if (type.class === 'predicate') return value === 0n ? 0 : 1;
  return chop(BigInt.asUintN(64, value), type.width);
}

/**
 * The bits of a float constant in an operand or initial value of the given type. As measured with ptxas 13.0, only
 * `.f32` converts a constant: a double is rounded to nearest even. Elsewhere the bits of the constant (32 for `0f`, 64
 * for all others) are truncated or extended with zeros, so `0f3F800000` as an `.f64` is not 1.
 */
export function floatBits(type: PtxType, { form, bits }: Pick<FloatOperand, 'form' | 'bits'>): Bits {
  return type.name === '.f32' && form !== '0f' ? nearestF32(bits) : chop(bits, type.width);
}

/** The f32 nearest to an f64. A NaN becomes quiet, and keeps its sign and the upper bits of its payload. */
function nearestF32(bits: bigint): number {
  const isNan = BigInt.asUintN(63, bits) > 0x7ff0000000000000n;
  if (isNan) return Number(((bits >> 63n) << 31n) | 0x7fc00000n | ((bits >> 29n) & 0x7fffffn));
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  view.setFloat32(0, view.getFloat64(0));
  return view.getUint32(0);
}
