/**
 * Computes the scales of four blocks at once, as specified by src/arrays/quantized/scale-rules.ts. Takes the largest
 * magnitude of each block, and computes the scale code and the factor by which the elements of the block are
 * multiplied.
 */
import { plainConversion } from '../../numerics/conversion.ts';
import type { Code } from '../../wasm/code.ts';
import { vectorConversion } from '../simd/vector-convert.ts';
import { quantizeMemory } from './quantize-memory.ts';
import { shift, single, splat } from '../simd/vector-words.ts';

/**
 * How scales are computed. `largest` is the largest value of the element format, as f32 bits. For NVFP4, the scales
 * that apply to the whole tensor are read from memory.
 */
export type BlockScaling =
  | { readonly kind: 'ue8m0'; readonly rule: 'floor' | 'up'; readonly largest: number }
  | { readonly kind: 'nvfp4' };

/** Pointers to the next scales (one byte each) and the next factors (four bytes each). */
export interface ScaleLocals {
  readonly scales: number;
  readonly factors: number;
}

/** Stores the codes and the factors of four blocks. */
export function storeScales(code: Code, scaling: BlockScaling, maxima: number, to: ScaleLocals): void {
  const scales = code.local('v128');
  if (scaling.kind === 'ue8m0') pushPowers(code, scaling, maxima);
  else pushNarrowScales(code, maxima);
  code.set(scales);
  code.get(to.scales);
  code.get(scales).get(scales).vector('i16x8.narrow_i32x4_u').get(scales).vector('i8x16.narrow_i16x8_u');
  code.laneMemory('v128.store32_lane', quantizeMemory.scales);
  code.get(to.factors);
  if (scaling.kind === 'ue8m0') pushPowerFactors(code, scales);
  else pushNarrowFactors(code, scales);
  code.vectorMemory('v128.store', quantizeMemory.factors);
}

function pushPowers(code: Code, { rule, largest }: BlockScaling & { kind: 'ue8m0' }, maxima: number): void {
  splat(code, 254);
  shift(code.get(maxima), 'i32x4.shr_u', 23);
  splat(code, (largest >>> 23) - 127).vector('i32x4.sub');
  if (rule === 'up') {
    splat(code.get(maxima), 0x7fffff).vector('v128.and');
    // Adds 1 to the scale in lanes where the fraction of the maximum is larger than that of `largest`: in these lanes,
    // the result of the comparison is -1, which is then subtracted.
    splat(code, largest & 0x7fffff).vector('i32x4.gt_s', 'i32x4.sub');
  }
  splat(code, 0).vector('i32x4.max_s');
  splat(code.get(maxima), single.infinity).vector('i32x4.eq', 'v128.bitselect');
}

/**
 * Pushes 2^(127 - scale) as f32. This only requires setting the exponent field, except for 2^-127, which is a subnormal
 * number.
 */
function pushPowerFactors(code: Code, scales: number): void {
  splat(code, 254).get(scales).vector('i32x4.sub');
  splat(shift(code, 'i32x4.shl', 23), single.halfLeastNormal).vector('i32x4.max_u');
}

const toScale = vectorConversion({ ...plainConversion('f32', 'e4m3'), satfinite: true });
const fromScale = vectorConversion(plainConversion('e4m3', 'f32'));

function pushNarrowScales(code: Code, maxima: number): void {
  const product = code.local('v128');
  code.get(maxima).i32(quantizeMemory.encode).vectorMemory('v128.load', 0).vector('f32x4.mul').set(product);
  toScale?.(code, { source: product, random: product, scale: product });
}

/**
 * Pushes 1 / (scale * tensor scale), clamped to the largest f32. For a scale of 0, the result is therefore the largest
 * f32.
 */
function pushNarrowFactors(code: Code, scales: number): void {
  splat(code, single.one);
  fromScale?.(code, { source: scales, random: scales, scale: scales });
  code.i32(quantizeMemory.decode).vectorMemory('v128.load', 0).vector('f32x4.mul', 'f32x4.div');
  splat(code, single.infinity - 1).vector('f32x4.pmin');
}
