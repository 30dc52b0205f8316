import type { FormatName } from './formats.ts';

/** Directions of rounding. The integer modifiers `.rni .rzi .rmi .rpi` are the first four with `integral` set. */
export type Rounding = 'rn' | 'rz' | 'rm' | 'rp' | 'rna' | 'rs';

export const roundings: readonly Rounding[] = ['rn', 'rz', 'rm', 'rp', 'rna', 'rs'];

/**
 * What one conversion of one value does: the whole meaning of `cvt` for a lane, as data. Nothing is implied by a target
 * or a PTX version any more; `.ftz` of old targets has become `flush` by the time a conversion is made.
 */
export interface Conversion {
  readonly from: FormatName;
  readonly to: FormatName;
  /** Null where the conversion is exact and none was written. */
  readonly rounding: Rounding | null;
  /** Round to an integral value; true for every float to integer conversion, and for `.rni.f32.f32` and its like. */
  readonly integral: boolean;
  /** `.ftz`: subnormal f32 inputs and results become zeros of their sign. */
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

/** A conversion without any modifier: rounding to nearest, where it rounds. */
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

/** Whether all that it does is to decode and to round, saturating or not. */
export function isPlainRounding(c: Conversion): boolean {
  return !c.integral && !c.flush && !c.sat && !c.relu && c.scaled === null;
}
