import type { FormatName } from './formats.ts';

/** Directions of rounding. The integer modifiers `.rni .rzi .rmi .rpi` are the first four with `integral` set. */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna' | 'rs';

export const roundings: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp', 'rna', 'rs'];

/**
 * The conversion of one value, as data: the whole meaning of `cvt` for a lane. It no longer depends on a target or a
 * PTX version; for example, implied `.ftz` of old targets is already `flush`.
 */
export interface Conversion {
  readonly from: FormatName;
  readonly to: FormatName;
  /** Null if the conversion is exact and no rounding was written. */
  readonly rounding: Rounding | null;
  /** Round to an integer; true for every conversion from float to integer, and for `.rni.f32.f32` and similar. */
  readonly integral: boolean;
  /** `.ftz`: subnormal f32 inputs and results become zeros with their sign. */
  readonly flush: boolean;
  /** `.sat`: integers clamp to the destination's range, floats to [0, 1] with NaN as +0. */
  readonly sat: boolean;
  readonly satfinite: boolean;
  readonly relu: boolean;
  /** Random bits that `.rs` adds under the last kept bit: 8, 13 or 16; 0 without `.rs`. */
  readonly randomBits: number;
  /**
   * `.scaled::n2::ue8m0`, and s2f6 without it (factor one): the lane's ue8m0 scale divides the input (`divide`) before
   * rounding, or multiplies the converted value (`multiply`). Null for every other conversion.
   */
  readonly scaled: 'divide' | 'multiply' | null;
}

/** A conversion without any modifier: to nearest, if it rounds. */
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

/** Whether it only decodes and rounds, with or without saturation. */
export function isPlainRounding(c: Conversion): boolean {
  return !c.integral && !c.flush && !c.sat && !c.relu && c.scaled === null;
}
