/**
 * Computes the scale of a block, and the factor by which its elements are multiplied, from the largest magnitude in the
 * block. Every f32 operation is written with Math.fround, which rounds to nearest even; `jit/arrays/scale-lowering.ts`
 * does the same on vectors.
 */
import { singleAt, wordAt } from '../../base/typed-reads.ts';
import { power } from '../../numerics/exact.ts';
import type { FormatName } from '../../numerics/formats.ts';
import { largestOf } from './block-formats.ts';
import { codeTable, codeOf, valuesOf } from '../elements/element-codes.ts';

/**
 * How a ue8m0 scale is computed from amax. `floor` is the rule of OCP MX 1.0: the scale is 2^(floor(log2 amax) - the
 * largest exponent of the element format), so the largest elements of a block can be clipped. `up` is NVIDIA's rule:
 * the scale is the smallest power of two that is at least amax / the largest value of the element format
 * (cvt.rp.ue8m0), so nothing is clipped. With both rules, the scale is never less than 2^-127, which is also the scale
 * if amax is zero. If amax is infinite, the scale is 2^127.
 */
export type MxRule = 'floor' | 'up';

export const mxRules: readonly MxRule[] = ['floor', 'up'];

export const mostSingle = 3.4028234663852886e38;
const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** The ue8m0 scale of a block; `amax` is an f32, neither negative nor a NaN. */
export function mxScale(rule: MxRule, element: FormatName, amax: number): number {
  if (amax === Number.POSITIVE_INFINITY) return 254;
  single[0] = largestOf(element);
  const largest = wordAt(word, 0);
  single[0] = amax;
  const bits = wordAt(word, 0);
  const exponent = (bits >>> 23) - ((largest >>> 23) - 127);
  const raised = rule === 'up' && (bits & 0x7fffff) > (largest & 0x7fffff) ? 1 : 0;
  return Math.max(exponent + raised, 0);
}

/** The reciprocal of the scale, which is always exact. It is subnormal if the scale is 2^127. */
export function mxFactor(scale: number): number {
  return power(127 - scale);
}

/** Values that all blocks of an NVFP4 tensor share. */
export interface TensorScale {
  /** The factor by which the amax of each block is multiplied. It is the global encode scale divided by 6. */
  readonly encode: number;
  /** The scale of the tensor, by which the scale of each block is multiplied. */
  readonly decode: number;
}

/**
 * NVFP4 as in NVIDIA's TransformerEngine (common/cast/nvfp4/core_nvfp4.cuh and its Python reference,
 * quantization_ref_nvfp4.py), all in f32. S is min(2688 / amax, the largest f32), or 1 if amax is 0 or infinite. The
 * scale of a block is blockAmax * (S * (1/6)), converted to e4m3 with rounding to nearest and saturation. The scale of
 * the tensor is 1 / S.
 */
export function tensorScale(amax: number): TensorScale {
  const quotient = Math.min(Math.fround(2688 / amax), mostSingle);
  const encode = amax === 0 || quotient === 0 ? 1 : quotient;
  return { encode: Math.fround(encode * Math.fround(1 / 6)), decode: Math.fround(1 / encode) };
}

const e4m3 = { codes: () => codeTable('e4m3'), values: () => valuesOf('e4m3') };

/** The e4m3 scale of an NVFP4 block. */
export function nvfp4Scale(tensor: TensorScale, amax: number): number {
  single[0] = amax * tensor.encode;
  return codeOf(e4m3.codes(), wordAt(word, 0));
}

/**
 * The factor by which the elements of an NVFP4 block are multiplied: 1 / (scale * tensor scale), but at most the
 * largest f32.
 */
export function nvfp4Factor(tensor: TensorScale, scale: number): number {
  const value = Math.fround(singleAt(e4m3.values(), scale) * tensor.decode);
  return Math.min(Math.fround(1 / value), mostSingle);
}

/**
 * The factor by which elements with an f32 scale are multiplied. It is computed as for "current scaling" in
 * TransformerEngine (compute_scale_from_amax): the largest value of the element format divided by amax, but at most the
 * largest f32. If amax is 0 or infinite, the factor is 1. The scale is 1 / factor.
 */
export function plainFactor(element: FormatName, amax: number): number {
  if (amax === 0 || amax === Number.POSITIVE_INFINITY) return 1;
  return Math.min(Math.fround(largestOf(element) / amax), mostSingle);
}
