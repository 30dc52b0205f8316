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
 * Converts a float constant to the width of the type. A double is rounded to f32 with rounding to nearest even; the
 * conversion of a `0f` constant to f64 is exact.
 */
export function floatBits(type: PtxType, { form, bits }: FloatOperand): Bits {
  const wide = form !== '0f';
  if (type.width === 64) return wide ? bits : widenToF64(Number(bits));
  return wide ? narrowToF32(bits) : Number(bits);
}

/**
 * The bits of a float constant in a list. There, ptxas does not convert constants: a `0f` constant has 32 bits, and all
 * others have 64, which are truncated or extended with zeros. Only for `.f32`, a double is rounded.
 */
export function listedFloatBits(type: PtxType, constant: FloatOperand): Bits {
  if (type.name === '.f32') return floatBits(type, constant);
  return chop(constant.bits, type.width);
}

/**
 * Converts the bits of an f32 to those of an f64. A NaN keeps its sign and its payload bits, as it does on hardware;
 * all other values are converted by a DataView.
 */
function widenToF64(bits: number): bigint {
  const exponent = (bits >>> 23) & 0xff;
  if (exponent === 0xff) {
    const sign = BigInt(bits >>> 31) << 63n;
    return sign | (0x7ffn << 52n) | (BigInt(bits & 0x7fffff) << 29n);
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, bits);
  view.setFloat64(0, view.getFloat32(0));
  return view.getBigUint64(0);
}

function narrowToF32(bits: bigint): number {
  const nan = (bits & 0x7ff0000000000000n) === 0x7ff0000000000000n && (bits & 0xfffffffffffffn) !== 0n;
  if (nan) {
    const payload = Number((bits >> 29n) & 0x7fffffn);
    return ((bits >> 63n ? 0x80000000 : 0) | 0x7f800000 | (payload === 0 ? 0x400000 : payload)) >>> 0;
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  view.setFloat32(0, view.getFloat64(0));
  return view.getUint32(0);
}
