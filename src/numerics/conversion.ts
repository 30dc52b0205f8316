import type { FormatName } from './formats.ts';

/**
 * Rounding modes. The modifiers for rounding to an integer (`.rni`, `.rzi`, `.rmi` and `.rpi`) are represented by one
 * of the first four modes, with `integral` set to true.
 */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna' | 'rs';

export const roundings: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp', 'rna', 'rs'];

/**
 * Describes how one value is converted, which is everything that `cvt` does to one lane. The description does not
 * depend on a target or a PTX version; for example, if the target is so old that `.ftz` is implied, `flush` is set.
 */
export interface Conversion {
  readonly from: FormatName;
  readonly to: FormatName;
  /** Null if the conversion is exact and has no rounding modifier. */
  readonly rounding: Rounding | null;
  /**
   * True if the value is rounded to an integer. This is the case in all conversions from float to integer, and in float
   * conversions with a modifier such as `.rni`.
   */
  readonly integral: boolean;
  /**
   * `.ftz`: subnormal f32 inputs and results become zeros with the same sign. `.scaled::n1::ue8m0` does the same with
   * inputs of any format.
   */
  readonly flush: boolean;
  /**
   * `.sat`: an integer result is clamped to the range of the destination type; a float result is clamped to [0, 1], and
   * NaN becomes +0.
   */
  readonly sat: boolean;
  readonly satfinite: boolean;
  readonly relu: boolean;
  /** `.pzo`: a result of -0 becomes +0. */
  readonly positiveZero: boolean;
  /**
   * The number of random bits that `.rs` adds to the bits that rounding removes: 8, 13 or 16. Without `.rs`, it is 0.
   */
  readonly randomBits: number;
  /**
   * How the ue8m0 scale of the lane is applied: `divide` means that the input is divided by the scale before rounding,
   * and `multiply` means that the converted value is multiplied by the scale. This is used for `.scaled`, and for s2f6
   * without that modifier, where the scale is 1. Null for every other conversion.
   */
  readonly scaled: 'divide' | 'multiply' | null;
  /**
   * The GPU whose recorded results are used where the ISA leaves the result open or the GPU does not follow the ISA.
   */
  readonly gpu: RecordedGpu;
}

/** `any`: the results that test/golden/numerics lists. `sm_90`: the results of an H200 (test/golden/hardware). */
export type RecordedGpu = 'any' | 'sm_90';

/** A conversion without modifiers, which rounds to nearest if the value must be rounded. */
export function plainConversion(from: FormatName, to: FormatName): Conversion {
  return {
    from,
    to,
    rounding: 'rn',
    integral: false,
    flush: false,
    sat: false,
    satfinite: false,
    relu: false,
    positiveZero: false,
    randomBits: 0,
    scaled: null,
    gpu: 'any',
  };
}

/** Whether the conversion does nothing but decode, round and possibly saturate the value. */
export function isPlainRounding(c: Conversion): boolean {
  return !c.integral && !c.flush && !c.sat && !c.relu && !c.positiveZero && c.scaled === null;
}

/**
 * Whether subnormal inputs become zeros. `.ftz` has this effect only on f32, and a scale has it on every format. An
 * H200 rounds subnormal f32 numbers to f16 in spite of `.ftz`; this makes a difference only if they are rounded away
 * from zero.
 */
export function flushesInput(c: Conversion): boolean {
  if (c.gpu === 'sm_90' && c.to === 'f16' && c.scaled === null) return false;
  return c.flush && (c.from === 'f32' || c.scaled === 'divide');
}

/**
 * Determines which results `.ftz` flushes. If true, results are first rounded as if exponents had no lower limit, and
 * those below the smallest normal number are flushed. If false, results are first rounded to the format, and those that
 * are subnormal are flushed. A whole number is never subnormal.
 */
export function flushesUnrounded(c: Conversion): boolean {
  return c.gpu === 'sm_90' && !c.integral;
}
