/**
 * Implements the last step of every conversion and every arithmetic instruction: rounds a value to a format and clamps
 * the result.
 */
import type { Bits } from '../base/bits.ts';
import type { Rounding } from './conversion.ts';
import type { Patterns } from './encode.ts';
import { type Exact, type Finite, half, noTail, power, type Sign } from './exact.ts';
import type { Cause, OverflowPolicy } from './policy.ts';
import { type Grid, round, type Rounded } from './round.ts';

/** The format to which a value is rounded, and the rules for doing so. */
export interface Target {
  readonly to: Patterns;
  readonly grid: Grid;
  readonly rounding: Rounding;
  readonly randomBits: number;
  readonly overflow: OverflowPolicy;
  readonly sat: boolean;
  readonly relu: boolean;
  /** `.pzo`: a result of -0 becomes +0. */
  readonly positiveZero: boolean;
  /** `.ftz`: results with a magnitude below `leastNormal` become zero. */
  readonly flush: boolean;
  readonly leastNormal: number;
  /** True if the format has no zero; its smallest value is used instead. */
  readonly zeroless: boolean;
  /** The result for a NaN if its payload is lost. */
  readonly nan: Bits;
  /**
   * Whether a NaN keeps its sign and the leading bits of its payload. With `quieted`, it becomes quiet; with `kept`, a
   * signaling NaN stays signaling.
   */
  readonly payload: 'lost' | 'quieted' | 'kept';
}

/** Collects the rules that affected a result, for callers that request them. */
export type Causes = Cause[] | null;

/** Returns the bits of a value in the target format; `random` contains the random bits for the rounding mode `rs`. */
export function finish(target: Target, value: Exact, random: number, causes: Causes): Bits {
  switch (value.kind) {
    case 'finite':
      return finishFinite(target, value, random, causes);
    case 'zero':
      causes?.push(target.zeroless ? 'least' : 'exact');
      return finishZero(target, value.sign, causes);
    case 'infinity':
      return finishInfinity(target, value.sign, causes);
    case 'nan':
      causes?.push('nan');
      if (target.payload === 'lost') return target.nan;
      return target.to.nanOf?.(value.sign, value.payload, target.payload === 'quieted') ?? target.nan;
  }
}

/** Returns the bits of the result for a zero, or for a value that has become zero. */
export function finishZero(target: Target, sign: Sign, causes: Causes): Bits {
  const { to, positiveZero } = target;
  if (sign === 1 && clampsNegative(target, causes)) return to.zero[0];
  if (sign === 0 || !positiveZero) return to.zero[sign];
  causes?.push('positive-zero');
  return to.zero[0];
}

/** Returns true, and records the rule, if `.sat` or `.relu` turns a negative result into +0. */
function clampsNegative(target: Target, causes: Causes): boolean {
  if (!target.sat && !target.relu) return false;
  causes?.push(target.sat ? 'saturated-low' : 'relu');
  return true;
}

function finishInfinity(target: Target, sign: Sign, causes: Causes): Bits {
  const { overflow, to } = target;
  if (sign === 1 && clampsNegative(target, causes)) return to.zero[0];
  if (target.sat) {
    causes?.push('saturated-high');
    return to.one;
  }
  causes?.push(overflow === 'directed' ? 'infinity' : 'overflow');
  if (overflow === 'directed' && to.infinity !== null) return to.infinity[sign];
  if (overflow === 'nan') return target.nan;
  return to.largest[sign];
}

function finishFinite(target: Target, value: Finite, random: number, causes: Causes): Bits {
  const { to } = target;
  const { sign } = value;
  const rounded = round(value, target.grid, target.rounding, random, target.randomBits);
  const { significand, exponent } = rounded;
  if (causes !== null) noteRounding(target, sign, rounded, causes);
  if (significand === 0) return finishZero(target, sign, causes);
  if (sign === 1 && clampsNegative(target, causes)) return to.zero[0];
  if (target.sat && significand * power(exponent) > 1) {
    causes?.push('saturated-high');
    return to.one;
  }
  if (rounded.overflow) return finishOverflow(target, sign, causes);
  if (target.flush && significand * power(exponent) < target.leastNormal) {
    causes?.push('flushed-result');
    return to.zero[sign];
  }
  return to.encode(sign, significand, exponent);
}

function finishOverflow(target: Target, sign: Sign, causes: Causes): Bits {
  causes?.push('overflow');
  const { to, overflow, rounding } = target;
  const towardZero = rounding === 'rz' || (rounding === 'rm' && sign === 0) || (rounding === 'rp' && sign === 1);
  if (overflow === 'directed' && !towardZero && to.infinity !== null) return to.infinity[sign];
  if (overflow === 'nan' && !towardZero) return target.nan;
  return to.largest[sign];
}

function noteRounding(target: Target, sign: Sign, rounded: Rounded, causes: Cause[]): void {
  if (rounded.overflow) return;
  const atEnd = rounded.significand * power(rounded.exponent) === target.grid.largest[sign];
  // A value above MAX_NORM was clamped. This is reported as the cause even if the value is so close to MAX_NORM that
  // rounding alone would have given the same result.
  const clamped = atEnd && rounded.tail !== noTail && !rounded.up && target.overflow !== 'directed';
  causes.push(clamped ? 'overflow' : causeOf(target.rounding, rounded));
  if (target.zeroless && rounded.significand === 0) causes.push('least');
}

function causeOf(rounding: Rounding, rounded: Rounded): Cause {
  if (rounded.tail === noTail) return 'exact';
  switch (rounding) {
    case 'rn':
      return rounded.tail === half ? 'tie-to-even' : 'nearest';
    case 'rna':
      return rounded.tail === half ? 'tie-away' : 'nearest';
    case 'rz':
      return 'toward-zero';
    case 'rm':
      return 'toward-negative';
    case 'rp':
      return 'toward-positive';
    case 'rs':
      return rounded.up ? 'random-carry' : 'random-stay';
  }
}
