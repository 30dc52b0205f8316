import type { FormatName } from './formats.ts';

/**
 * Directions of rounding. The integer modifiers `.rni`, `.rzi`, `.rmi` and `.rpi` are the first four, with `integral`
 * set.
 */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna' | 'rs';

export const roundings: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp', 'rna', 'rs'];

/**
 * The conversion of one value, as data: the whole meaning of `cvt` for one lane. It does not depend on a target or a
 * PTX version; for example, the implied `.ftz` of old targets is already included in `flush`.
 */
export interface Conversion {
  readonly from: FormatName;
  readonly to: FormatName;
  /** Null if the conversion is exact and has no rounding modifier. */
  readonly rounding: Rounding | null;
  /**
   * True if the value is rounded to an integer: in every conversion from float to integer, and in `.rni.f32.f32` and
   * the like.
   */
  readonly integral: boolean;
  /** `.ftz`: subnormal f32 inputs and results become zeros with the same sign. */
  readonly flush: boolean;
  /** `.sat`: integers are clamped to the destination range, floats to [0, 1]; NaN becomes +0. */
  readonly sat: boolean;
  readonly satfinite: boolean;
  readonly relu: boolean;
  /** The number of random bits that `.rs` adds below the last kept bit: 8, 13 or 16; 0 without `.rs`. */
  readonly randomBits: number;
  /**
   * For `.scaled::n2::ue8m0`, and for s2f6 without it (factor one): the lane's ue8m0 scale divides the input before
   * rounding (`divide`), or multiplies the converted value (`multiply`). Null for every other conversion.
   */
  readonly scaled: 'divide' | 'multiply' | null;
}

/** A conversion without any modifier, rounded to nearest if it rounds at all. */
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
    randomBits: 0,
    scaled: null,
  };
}

/** Whether the conversion only decodes and rounds, with or without saturation. */
export function isPlainRounding(c: Conversion): boolean {
  return !c.integral && !c.flush && !c.sat && !c.relu && c.scaled === null;
}
