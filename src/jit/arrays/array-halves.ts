/**
 * Converts sixteen f16 or bf16 values to f32, which can represent all of them. The upper and lower 16 bits of the
 * results are computed separately, for eight results at a time, and joined at the end.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import type { Code } from '../../wasm/code.ts';
import { type GroupLocals, groupOf, type GroupAccess, storeGroup } from './array-storage.ts';
import { interleaved } from './interleaving.ts';
import { splat } from '../simd/vector-words.ts';

export type HalfFormat = 'f16' | 'bf16';

export function isHalf(name: string): name is HalfFormat {
  return name === 'f16' || name === 'bf16';
}

/** Whether a conversion only decodes f16 or bf16. */
export function isHalfDecoding(c: Conversion): boolean {
  // With saturation, an infinity becomes a finite value.
  return isHalf(c.from) && c.to === 'f32' && isPlainRounding(c) && !c.satfinite;
}

/**
 * The largest bit pattern that can be decoded directly, not counting the sign bit. The patterns of NaNs are above this
 * limit, and so is the pattern of infinity in f16.
 */
const limits: Readonly<Record<HalfFormat, number>> = { f16: 0x7bff, bf16: 0x7f80 };

/** Converts a group to f32; branches to `otherwise` if an element exceeds its format's limit. */
export function writeHalfDecoding(code: Code, format: HalfFormat, { source, target, otherwise }: GroupAccess): void {
  const halves = loadHalves(code, source.local);
  for (const half of halves) splatHalf(code.get(half), 0x7fff).vector('v128.and');
  splatHalf(code.vector('i16x8.max_s'), limits[format]).vector('i16x8.gt_s', 'i8x16.bitmask').brIf(otherwise);
  storeGroup(code, target.storage, target.local, singlesOf(code, format, halves));
}

/**
 * Returns locals that hold sixteen elements as f32. The infinities and NaNs of f16 become values of 65536 and above.
 */
export function loadHalvesAsSingles(code: Code, format: HalfFormat, address: number): GroupLocals {
  return singlesOf(code, format, loadHalves(code, address));
}

type Halves = readonly [number, number];

function loadHalves(code: Code, address: number): Halves {
  const halves = [code.local('v128'), code.local('v128')] as const;
  halves.forEach((half, i) =>
    code
      .get(address)
      .vectorMemory('v128.load', 16 * i)
      .set(half),
  );
  return halves;
}

function singlesOf(code: Code, format: HalfFormat, halves: Halves): GroupLocals {
  if (format === 'bf16') return groupOf(code, (i) => pushAbove(code, elementAt(halves, i >> 1), i));
  const parts = halves.map((half) => partsOf(code, half));
  return groupOf(code, (i) => {
    const { low, high, excess, sign } = elementAt(parts, i >> 1);
    code
      .get(low)
      .get(high)
      .shuffle(interleaved(8 * (i % 2), 2));
    pushAbove(code, excess, i);
    code.vector('f32x4.sub');
    pushAbove(code, sign, i);
    code.vector('v128.or');
  });
}

/** Pushes four 16-bit lanes of a vector as the upper halves of 32-bit words whose lower halves are zero. */
function pushAbove(code: Code, halves: number, i: number): void {
  splat(code, 0).get(halves);
  code.shuffle(interleaved(8 * (i % 2), 2));
}

/** Locals that hold the low and high halves of eight f32 values. */
interface Parts {
  readonly low: number;
  readonly high: number;
  /**
   * The f32 value to subtract from each element (2^-14 for subnormals and 0 for all others), given as its upper 16
   * bits.
   */
  readonly excess: number;
  readonly sign: number;
}

/**
 * Converts eight f16 values to the two halves of f32 values. For a normal number, all bits are shifted to the right by
 * three places, and the exponent is increased by 112. For a subnormal, the exponent is increased by 113 instead. The
 * result is then too large by 2^-14. This excess is subtracted later; the subtraction is exact.
 */
function partsOf(code: Code, half: number): Parts {
  const locals = {
    low: code.local('v128'),
    high: code.local('v128'),
    excess: code.local('v128'),
    sign: code.local('v128'),
  };
  const [magnitude, subnormal] = [code.local('v128'), code.local('v128')];
  splatHalf(code.get(half), 0x7fff).vector('v128.and').set(magnitude);
  splatHalf(code, 0x0400).get(magnitude).vector('i16x8.gt_s').set(subnormal);
  code.get(magnitude).i32(13).vector('i16x8.shl').set(locals.low);
  splatHalf(code.get(magnitude).i32(3).vector('i16x8.shr_u'), 112 << 7).vector('i16x8.add');
  splatHalf(code.get(subnormal), 1 << 7)
    .vector('v128.and', 'i16x8.add')
    .set(locals.high);
  splatHalf(code.get(subnormal), 113 << 7)
    .vector('v128.and')
    .set(locals.excess);
  splatHalf(code.get(half), 0x8000).vector('v128.and').set(locals.sign);
  return locals;
}

function splatHalf(code: Code, half: number): Code {
  return splat(code, half * 0x10001);
}
