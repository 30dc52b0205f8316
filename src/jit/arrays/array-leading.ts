/**
 * Converts sixteen f32 values to bf16, rounded to nearest even. A bf16 is the upper half of an f32, so the rounding is
 * an integer addition. The addition does not affect the sign bits.
 */
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { overflowPolicyOf } from '../../numerics/policy.ts';
import type { Code } from '../../wasm/code.ts';
import { pushBeyond } from './array-narrowing.ts';
import { type GroupLocals, type GroupAccess, loadGroup } from './array-storage.ts';
import { shift, splat } from '../simd/vector-words.ts';

export interface LeadingForm {
  /**
   * The largest magnitude that this form can convert, as f32 bits; null if there is no limit, because values that are
   * too large become infinities.
   */
  readonly limit: number | null;
}

const largestBf16 = 0x7f7f0000;

/** The fast form of a conversion; null if the conversion cannot be done this way. */
export function leadingForm(c: Conversion): LeadingForm | null {
  if (c.from !== 'f32' || c.to !== 'bf16' || !isPlainRounding(c)) return null;
  if ((c.rounding ?? 'rn') !== 'rn') return null;
  return { limit: overflowPolicyOf(c).name === 'directed' ? null : largestBf16 };
}

/** Converts a group; branches to `otherwise` if it may contain a NaN or a value above the limit. */
export function writeLeading(code: Code, { limit }: LeadingForm, { source, target, otherwise }: GroupAccess): void {
  const words = loadGroup(code, source.storage, source.local);
  if (limit === null) pushPerhapsNan(code, words);
  else pushBeyond(code, limit, words);
  code.brIf(otherwise);
  [words.slice(0, 2), words.slice(2)].forEach((pair, i) => {
    code.get(target.local);
    for (const word of pair) pushRounded(code, word);
    code.vector('i16x8.narrow_i32x4_u').vectorMemory('v128.store', 16 * i);
  });
}

/**
 * Pushes a number that is nonzero if any element is a NaN. For speed, only the sum of the elements is tested, which is
 * a NaN if any element is a NaN. Infinities of opposite signs also make the sum a NaN, so the number may be nonzero
 * even if no element is a NaN.
 */
function pushPerhapsNan(code: Code, [a, b, c, d]: GroupLocals): void {
  const sum = code.local('v128');
  code.get(a).get(b).vector('f32x4.add').get(c).get(d).vector('f32x4.add', 'f32x4.add').set(sum);
  code.get(sum).get(sum).vector('f32x4.ne', 'i32x4.bitmask');
}

function pushRounded(code: Code, word: number): void {
  splat(shift(code.get(word).get(word), 'i32x4.shr_u', 16), 1).vector('v128.and', 'i32x4.add');
  shift(splat(code, 0x7fff).vector('i32x4.add'), 'i32x4.shr_u', 16);
}
