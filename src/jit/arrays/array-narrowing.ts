/**
 * Converts sixteen values in f32, f64, f16 or bf16 to a narrower float format. The rounding mode must treat both signs
 * alike. No result may be a NaN or an infinity; nearly all groups of a typical array meet this condition. The code
 * works on magnitudes, and inserts the signs of all elements at the end.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { type FloatFormat, formats } from '../../numerics/formats.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code, Label } from '../../wasm/code.ts';
import { type HalfFormat, isHalf } from './array-halves.ts';
import { type GroupLocals, groupOf, type StoredElements, storeBytes } from './array-storage.ts';
import { hasRangeOfSingle, patternAsSingle, pushRoundedWithin } from '../simd/vector-rounding.ts';
import { conversionTarget, patternsOf, type RoundingTarget } from '../arithmetic/target.ts';
import { single, splat } from '../simd/vector-words.ts';

export interface NarrowingForm {
  /** The source format. Values in f64 have already been converted to f32 by rounding to odd. */
  readonly from: 'f32' | 'f64' | HalfFormat;
  /** A signed float format of at most 16 bits. */
  readonly format: FloatFormat;
  readonly target: RoundingTarget;
  /** The format's largest value, as f32 bits. */
  readonly largest: number;
  /**
   * Whether the conversion turns values that are too large into the largest value of the format. In that case, clamping
   * handles all values except NaNs.
   */
  readonly canClamp: boolean;
}

/** The fast form of a conversion, or null if the conversion does more than round. */
export function narrowingForm(c: Conversion): NarrowingForm | null {
  const format = formats[c.to];
  const from = c.from === 'f32' || c.from === 'f64' || isHalf(c.from) ? c.from : null;
  if (from === null || format.kind !== 'float' || !format.signed || format.width > 16) return null;
  if (!isPlainRounding(c) || c.rounding === 'rm' || c.rounding === 'rp') return null;
  // Stochastic rounding of an f64 may add random bits at positions that an f32 no longer contains.
  if (from === 'f64' && c.rounding === 'rs') return null;
  const largest = patternAsSingle(format, patternsOf(format).limit[0]);
  const canClamp = overflowPolicyOf(c).name === 'max-norm';
  return { from, format, target: conversionTarget(c), largest, canClamp };
}

/**
 * Pushes a mask that is nonzero if any element of a group has a magnitude above `limit`. The limit is given as the bits
 * of an f32. Returns locals that hold the magnitudes of the elements.
 */
export function pushBeyond(code: Code, limit: number, words: GroupLocals): GroupLocals {
  const magnitudes = groupOf(code, (i) => {
    splat(code.get(elementAt(words, i)), single.magnitude).vector('v128.and');
  });
  const [a, b, c, d] = magnitudes;
  code.get(a).get(b).vector('i32x4.max_s').get(c).get(d).vector('i32x4.max_s', 'i32x4.max_s');
  splat(code, limit).vector('i32x4.gt_s', 'i32x4.bitmask');
  return magnitudes;
}

/**
 * Converts a group and stores it; branches to `otherwise` if the group contains a NaN or a value beyond the range of
 * the format. If `clamps` is true, values beyond the range are replaced with the largest value instead.
 */
export function writeNarrowing(
  code: Code,
  form: NarrowingForm,
  clamps: boolean,
  places: { readonly words: GroupLocals; readonly target: StoredElements; readonly otherwise: Label },
  random: (i: number) => number,
): void {
  const { from, format, target, largest } = form;
  const magnitudes = pushBeyond(code, Math.min(largestOf(from), clamps ? single.infinity : largest), places.words);
  code.brIf(places.otherwise);
  const results = groupOf(code, (i) => {
    const magnitude = elementAt(magnitudes, i);
    if (clamps) splat(code.get(magnitude), largest).vector('i32x4.min_s').set(magnitude);
    if (isSummed(form)) pushSummed(code, format, magnitude);
    else pushRoundedWithin(code, target, format, { magnitude, random: random(i) });
  });
  const patterns = isSummed(form) ? summedPatterns(format) : wholePatterns(format);
  if (format.width === 16) storeWords(code, patterns, places.target, places.words, results);
  else storeNarrow(code, patterns, places.target, places.words, results);
}

/**
 * Returns the largest magnitude, as f32 bits, for which a decoded value is correct. The infinities and NaNs of f16 have
 * been decoded as finite f32 values above the largest f16 value; for other formats, only NaNs exceed this magnitude.
 */
function largestOf(from: NarrowingForm['from']): number {
  return from === 'f16' ? patternAsSingle(formats.f16, patternsOf(formats.f16).limit[0]) : single.infinity;
}

/** Where the bit patterns of the results are located in the words that are computed for a group. */
interface Patterns {
  /** Width of a pattern in bits. */
  readonly width: number;
  /** Number of unused bits below the pattern in its word. */
  readonly spare: number;
  /** A constant that has to be subtracted to get the pattern. */
  readonly excess: number;
}

function wholePatterns({ width }: FloatFormat): Patterns {
  return { width, spare: 0, excess: 0 };
}

/** Whether the code rounds each value by adding an f32 number to it. */
function isSummed({ target, format }: NarrowingForm): boolean {
  return target.rounding === 'rn' && !hasRangeOfSingle(format);
}

/**
 * Rounds by an f32 addition, as in vector-rounding.ts. The last bits of the sum are the fraction of the result, and the
 * exponent of the sum exceeds that of the result by a constant. The exponent is in the upper half of the sum and the
 * fraction in the lower half; a single instruction multiplies each half by a power of two and adds the products, which
 * moves the exponent next to the fraction.
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

/**
 * Where the bit patterns of the results are located in the words that `pushSummed` computes. The exponent of the sum
 * starts at bit 7 of the upper half. It exceeds the format's exponent by a constant, the excess, because the biases
 * differ and the addition scales the value.
 */
function summedPatterns({ width, fractionBits, bias }: FloatFormat): Patterns {
  return { width, spare: Math.max(0, 7 - fractionBits), excess: (128 + 23 - fractionBits - bias) << fractionBits };
}

function storeWords(
  code: Code,
  { excess }: Patterns,
  target: StoredElements,
  [a, b, c, d]: GroupLocals,
  rounded: GroupLocals,
): void {
  const pushExact = (local: number): Code => {
    code.get(local);
    return excess === 0 ? code : splat(code, excess).vector('i32x4.sub');
  };
  const pairs = [
    [a, b],
    [c, d],
  ] as const;
  pairs.forEach(([low, high], i) => {
    code.get(target.local);
    pushExact(elementAt(rounded, 2 * i));
    pushExact(elementAt(rounded, 2 * i + 1)).vector('i16x8.narrow_i32x4_u');
    // If a word is narrowed to 16 bits with signed saturation, its sign is preserved.
    code.get(low).get(high).vector('i16x8.narrow_i32x4_s');
    splat(code, 0x80008000).vector('v128.and', 'v128.or');
    code.vectorMemory('v128.store', 16 * i);
  });
}

function storeNarrow(
  code: Code,
  { width, spare, excess }: Patterns,
  target: StoredElements,
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
  if (width < 8) code.i32(8 - width).vector('i16x8.shr_u');
  code.vector('v128.or');
  storeBytes(code, target.storage);
}
