/**
 * Sixteen f32, f64, f16 or bf16 to a narrower float, rounded alike for both signs, where none of them becomes a NaN or an
 * infinity: what nearly all groups of an array are. Signs come last, for all at once.
 */
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { type FloatFormat, formats } from '../../numerics/formats.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type HalfFormat, isHalf } from './array-halves.ts';
import { type GroupLocals, groupOf, type Place, storeBytes } from './array-storage.ts';
import { hasRangeOfSingle, patternAsSingle, pushRoundedWithin } from '../simd/vector-rounding.ts';
import { conversionTarget, patternsOf, type RoundingTarget } from '../arithmetic/target.ts';
import { single, splat } from '../simd/vector-words.ts';

export interface NarrowingForm {
  /** f64 as f32 that is rounded to odd. */
  readonly from: 'f32' | 'f64' | HalfFormat;
  /** A float of 16 bits or less, with a sign. */
  readonly format: FloatFormat;
  readonly target: RoundingTarget;
  /** Bits of f32: the format's largest value. */
  readonly largest: number;
  /** Whether what is beyond becomes the largest value, so that clamping does all but NaNs. */
  readonly canClamp: boolean;
}

/** The form of a conversion; null where it does more than round. */
export function narrowingForm(c: Conversion): NarrowingForm | null {
  const format = formats[c.to];
  const from = c.from === 'f32' || c.from === 'f64' || isHalf(c.from) ? c.from : null;
  if (from === null || format.kind !== 'float' || !format.signed || format.width > 16) return null;
  if (!isPlainRounding(c) || c.rounding === 'rm' || c.rounding === 'rp') return null;
  // Random bits are added to places that f32 need not have.
  if (from === 'f64' && c.rounding === 'rs') return null;
  const largest = patternAsSingle(format, patternsOf(format).limit[0]);
  const canClamp = overflowPolicyOf(c).name === 'max-norm';
  return { from, format, target: conversionTarget(c), largest, canClamp };
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
export function writeNarrowing(
  code: Code,
  form: NarrowingForm,
  clamps: boolean,
  places: { readonly words: GroupLocals; readonly target: Place; readonly otherwise: Label },
  random: (i: number) => number,
): void {
  const { from, format, target, largest } = form;
  const magnitudes = pushBeyond(code, Math.min(largestOf(from), clamps ? single.infinity : largest), places.words);
  code.brIf(places.otherwise);
  const results = groupOf(code, (i) => {
    const magnitude = magnitudes[i] as number;
    if (clamps) splat(code.get(magnitude), largest).vector('i32x4.min_s').set(magnitude);
    if (isSummed(form)) pushSummed(code, format, magnitude);
    else pushRoundedWithin(code, target, format, { magnitude, random: random(i) });
  });
  const patterns = isSummed(form) ? summedPatterns(format) : wholePatterns;
  if (format.width === 16) storeWords(code, patterns, places.target, places.words, results);
  else storeNarrow(code, format, patterns, places.target, places.words, results);
}

/** Bits of f32 that all but NaNs are within; f16's infinities are none by now, and beyond as its NaNs. */
function largestOf(from: NarrowingForm['from']): number {
  return from === 'f16'
    ? patternAsSingle(formats.f16 as FloatFormat, patternsOf(formats.f16).limit[0])
    : single.infinity;
}

/** How results hold the patterns. */
interface Patterns {
  /** Places below the pattern. */
  readonly spare: number;
  /** What the pattern has too much. */
  readonly excess: number;
}

const wholePatterns: Patterns = { spare: 0, excess: 0 };

/** Whether an f32 addition rounds. */
function isSummed({ target, format }: NarrowingForm): boolean {
  return target.rounding === 'rn' && !hasRangeOfSingle(format);
}

/**
 * As in vector-rounding.ts an f32 addition rounds; what it leaves in the sum's last places are the format's places above the
 * power of two, and the sum's exponent says which power that is. A product of halves puts the two together.
 */
function pushSummed(code: Code, format: FloatFormat, magnitude: number): void {
  const cut = 23 - format.fractionBits;
  splat(code.get(magnitude), single.infinity).vector('v128.and');
  splat(code, (128 - format.bias) << 23).vector('i32x4.max_s');
  splat(code, cut << 23).vector('i32x4.add');
  code.get(magnitude).vector('f32x4.add');
  const up = Math.max(0, format.fractionBits - 7);
  splat(code, (1 << (16 + up)) | (1 << summedPatterns(format).spare)).vector('i32x4.dot_i16x8_s');
}

/** The sum's exponent counts from f32's bias and from where it rounds; it begins seven places up in its half. */
function summedPatterns({ fractionBits, bias }: FloatFormat): Patterns {
  return { spare: Math.max(0, 7 - fractionBits), excess: (128 + 23 - fractionBits - bias) << fractionBits };
}

function storeWords(
  code: Code,
  { excess }: Patterns,
  target: Place,
  [a, b, c, d]: GroupLocals,
  rounded: GroupLocals,
): void {
  const pushExact = (local: number): Code => {
    code.get(local);
    return excess === 0 ? code : splat(code, excess).vector('i32x4.sub');
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
  { spare, excess }: Patterns,
  target: Place,
  [a, b, c, d]: GroupLocals,
  [p, q, r, s]: GroupLocals,
): void {
  const half = (low: number, high: number): void => {
    code.get(low).get(high).vector('i16x8.narrow_i32x4_u');
    if (excess > 0) splat(code, (excess << spare) * 0x10001).vector('i16x8.sub');
    if (spare > 0) code.i32(spare).vector('i16x8.shr_u');
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
