/**
 * Sixteen f32, f16 or bf16 to a narrower float, to nearest even, where none of them becomes a NaN or an infinity: what nearly
 * all groups of an array are. Signs come last, for all at once.
 */
import type { Conversion } from '../../numerics/conversion.ts';
import { type FloatFormat, formats } from '../../numerics/formats.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type HalfFormat, isHalf } from './array-halves.ts';
import type { Place } from './array-one-by-one.ts';
import { type GroupLocals, groupOf, storeBytes } from './array-storage.ts';
import { hasRangeOfSingle, patternAsSingle } from '../simd/vector-rounding.ts';
import { patternsOf } from '../arithmetic/target.ts';
import { single, splat } from '../simd/vector-words.ts';

/** A format that has this form: float, 16 bits or less, with a sign. */
export interface NearestForm {
  readonly from: 'f32' | HalfFormat;
  readonly format: FloatFormat;
  /** Bits of f32: the format's largest value. */
  readonly largest: number;
  /** Whether what is beyond becomes the largest value, so that clamping does all but NaNs. */
  readonly canClamp: boolean;
}

/** The form of a conversion; null where it does more than round. */
export function nearestForm(c: Conversion): NearestForm | null {
  const format = formats[c.to];
  if ((c.from !== 'f32' && !isHalf(c.from)) || format.kind !== 'float' || !format.signed || format.width > 16)
    return null;
  if (hasRangeOfSingle(format) || !isPlainNearest(c)) return null;
  const largest = patternAsSingle(format, patternsOf(format).limit[0]);
  return { from: c.from, format, largest, canClamp: overflowPolicyOf(c).name === 'max-norm' };
}

/** Whether all that it does is to round to nearest even. */
export function isPlainNearest(c: Conversion): boolean {
  return (c.rounding ?? 'rn') === 'rn' && !c.integral && !c.flush && !c.sat && !c.relu && c.scaled === null;
}

/** Pushes bits that are zero where all sixteen are within a magnitude, given as bits of f32; gives locals with theirs. */
export function pushBeyond(code: Code, limit: number, words: GroupLocals): GroupLocals {
  const magnitudes = groupOf(code, (i) => {
    splat(code.get(words[i] as number), single.magnitude).vector('v128.and');
  });
  const [a, b, c, d] = magnitudes;
  code.get(a).get(b).vector('i32x4.max_s').get(c).get(d).vector('i32x4.max_s', 'i32x4.max_s');
  splat(code, limit).vector('i32x4.gt_s', 'i32x4.bitmask');
  return magnitudes;
}

/**
 * Converts a group and stores it; goes to `otherwise` where there is a NaN in it, or something beyond the format. With
 * `clamps` what is beyond becomes the largest value.
 */
export function writeNearest(
  code: Code,
  { from, format, largest }: NearestForm,
  clamps: boolean,
  target: Place,
  words: GroupLocals,
  otherwise: Label,
): void {
  const magnitudes = pushBeyond(code, clamps ? largestOf(from) : largest, words);
  code.brIf(otherwise);
  const rounded = groupOf(code, (i) => {
    const magnitude = magnitudes[i] as number;
    if (clamps) splat(code.get(magnitude), largest).vector('i32x4.min_s').set(magnitude);
    pushNearest(code, format, magnitude);
  });
  if (format.width === 16) storeWords(code, format, target, words, rounded);
  else storeNarrow(code, format, target, words, rounded);
}

/** Bits of f32 that all but NaNs are within; f16 has no infinities either by now. */
function largestOf(from: NearestForm['from']): number {
  return from === 'f16'
    ? patternAsSingle(formats.f16 as FloatFormat, patternsOf(formats.f16).limit[0])
    : single.infinity;
}

/**
 * Pushes patterns, above which stands `excess`. As in vector-rounding.ts, an f32 addition rounds; what it leaves in the sum's
 * last places are the format's places above the power of two, and the sum's exponent says which power that is.
 */
function pushNearest(code: Code, format: FloatFormat, magnitude: number): void {
  const cut = 23 - format.fractionBits;
  splat(code.get(magnitude), single.infinity).vector('v128.and');
  splat(code, (128 - format.bias) << 23).vector('i32x4.max_s');
  splat(code, cut << 23).vector('i32x4.add');
  code.get(magnitude).vector('f32x4.add');
  const up = Math.max(0, format.fractionBits - 7);
  splat(code, (1 << (16 + up)) | (1 << spare(format))).vector('i32x4.dot_i16x8_s');
}

/** Places below the pattern that results have. */
function spare(format: FloatFormat): number {
  return Math.max(0, 7 - format.fractionBits);
}

/** What patterns have too much: the sum's exponent counts from f32's bias and from where it rounds. */
function excess(format: FloatFormat): number {
  return (128 + 23 - format.fractionBits - format.bias) << format.fractionBits;
}

function storeWords(
  code: Code,
  format: FloatFormat,
  target: Place,
  [a, b, c, d]: GroupLocals,
  rounded: GroupLocals,
): void {
  const pushExact = (local: number): Code => {
    code.get(local);
    return splat(code, excess(format)).vector('i32x4.sub');
  };
  [
    [a, b],
    [c, d],
  ].forEach(([low, high], i) => {
    code.get(target.local);
    pushExact(rounded[2 * i] as number);
    pushExact(rounded[2 * i + 1] as number).vector('i16x8.narrow_i32x4_u');
    // A word keeps its sign when it is clamped.
    code
      .get(low as number)
      .get(high as number)
      .vector('i16x8.narrow_i32x4_s');
    splat(code, 0x80008000).vector('v128.and', 'v128.or');
    code.vectorMemory('v128.store', 16 * i);
  });
}

function storeNarrow(
  code: Code,
  format: FloatFormat,
  target: Place,
  [a, b, c, d]: GroupLocals,
  [p, q, r, s]: GroupLocals,
): void {
  const half = (low: number, high: number): void => {
    code.get(low).get(high).vector('i16x8.narrow_i32x4_u');
    splat(code, (excess(format) << spare(format)) * 0x10001).vector('i16x8.sub');
    if (spare(format) > 0) code.i32(spare(format)).vector('i16x8.shr_u');
  };
  code.get(target.local);
  half(p, q);
  half(r, s);
  code.vector('i8x16.narrow_i16x8_u');
  code.get(a).get(b).vector('i16x8.narrow_i32x4_s').get(c).get(d).vector('i16x8.narrow_i32x4_s');
  code.vector('i8x16.narrow_i16x8_s');
  splat(code, 0x80808080).vector('v128.and');
  if (format.width < 8) code.i32(8 - format.width).vector('i16x8.shr_u');
  code.vector('v128.or');
  storeBytes(code, target.storage);
}
