/**
 * The rules for cases in which rounding alone does not determine the result of a conversion, each with a name and its
 * evidence. `convert.ts` applies these rules, and `explain` prints them.
 *
 * Evidence is either a section of PTX ISA 9.1 or `measured`. Measured results come from the host code in the CUDA 13.0
 * headers, from constant folding by ptxas 13.0, or from an H200. The results of the H200 are recorded in
 * test/golden/hardware, and all others in test/golden/numerics.
 */
import type { Conversion } from './conversion.ts';
import { formats, type NumberFormat } from './formats.ts';

export interface Policy<Name extends string> {
  readonly name: Name;
  /** A sentence that describes the result. */
  readonly rule: string;
  readonly evidence: string;
}

interface ConversionPolicy<Name extends string> extends Policy<Name> {
  readonly when: (c: Conversion) => boolean;
}

const cvt = 'PTX ISA 9.1, section 9.7.9.21';
const onH200 = 'measured: recorded on an H200';
const toFloat = (c: Conversion): boolean => formats[c.to].kind === 'float';
const toInteger = (c: Conversion): boolean => formats[c.to].kind === 'integer';
const isSame = (c: Conversion): boolean => c.from === c.to;
const isIeeeWide = (name: string): boolean => name === 'f32' || name === 'f64';
const isHalf = (name: string): boolean => name === 'f16' || name === 'bf16';

/** Whether the format has a NaN pattern. */
export function hasNan(format: NumberFormat): boolean {
  return format.kind === 'float' && format.nan !== 'none';
}

function hasInfinity(format: NumberFormat): boolean {
  return format.kind === 'float' && format.infinity;
}

export type NanPolicy =
  | 'zero'
  | 'max-norm'
  | 'top-bit'
  | 'unchanged'
  | 'truncated'
  | 'upper-ones'
  | 'shifted'
  | 'widened'
  | 'quieted'
  | 'canonical';

/** The rules for the result if the source is a NaN. The first row that applies to the conversion is used. */
export const nanPolicies: readonly ConversionPolicy<NanPolicy>[] = [
  {
    name: 'zero',
    rule: 'a NaN becomes +0 under .sat',
    evidence: `${cvt}, .sat`,
    when: (c) => c.sat && toFloat(c),
  },
  {
    name: 'zero',
    rule: 'a NaN becomes 0 when the source is not f64 and the destination is not 64 bits wide',
    evidence: `${cvt}, integer notes`,
    when: (c) => toInteger(c) && c.from !== 'f64' && formats[c.to].width < 64,
  },
  {
    name: 'top-bit',
    rule: 'a NaN becomes 1 << (width - 1) when the source is f64 or the destination is 64 bits wide',
    evidence: `${cvt}, integer notes`,
    when: toInteger,
  },
  {
    name: 'max-norm',
    rule: 'a NaN becomes +MAX_NORM, because the format has no NaN',
    evidence: `${cvt}, .satfinite`,
    when: (c) => !hasNan(formats[c.to]),
  },
  {
    name: 'truncated',
    rule: 'the low 13 bits of a NaN become 0, and .satfinite subtracts 0x2000, so that the result may be a number',
    evidence: onH200,
    when: (c) => c.gpu === 'sm_90' && c.to === 'tf32' && c.rounding === 'rna',
  },
  {
    name: 'upper-ones',
    rule: 'a NaN becomes 0x7fffe000',
    evidence: onH200,
    when: (c) => c.gpu === 'sm_90' && c.to === 'tf32',
  },
  {
    name: 'canonical',
    rule: 'a NaN becomes the canonical NaN under .relu',
    evidence: `${cvt}, .relu`,
    when: (c) => c.relu,
  },
  {
    name: 'unchanged',
    rule: 'a NaN keeps every bit, because the instruction only moves the value',
    evidence: 'measured: constant folding by ptxas, which lowers these to a move',
    when: (c) => isSame(c) && isIeeeWide(c.from) && !c.integral && !c.flush,
  },
  {
    name: 'canonical',
    rule: 'a NaN becomes the canonical NaN under .ftz',
    evidence: onH200,
    when: (c) => c.gpu === 'sm_90' && c.to === 'f32' && c.from !== 'f64' && c.flush,
  },
  {
    name: 'shifted',
    rule: 'a NaN keeps its sign and its payload, and a signaling NaN stays signaling',
    evidence: onH200,
    when: (c) => c.gpu === 'sm_90' && c.from === 'bf16' && c.to === 'f32',
  },
  {
    name: 'quieted',
    rule: 'a NaN keeps its sign and its leading payload bits and becomes quiet',
    evidence: onH200,
    when: (c) => c.gpu === 'sm_90' && ((isHalf(c.from) && c.to === 'f64') || (c.from === 'f64' && isHalf(c.to))),
  },
  {
    name: 'widened',
    rule: 'a NaN becomes the canonical f32 NaN, converted to f64',
    evidence: 'measured: constant folding by ptxas',
    when: (c) => c.to === 'f64' && (isHalf(c.from) || (c.from === 'f32' && c.flush)),
  },
  {
    name: 'quieted',
    rule: 'a NaN keeps its sign and its leading payload bits and becomes quiet',
    evidence: 'measured: constant folding by ptxas; the bits are not specified',
    when: (c) => isIeeeWide(c.from) && isIeeeWide(c.to) && !(c.integral && c.to === 'f32'),
  },
  {
    name: 'canonical',
    rule: 'a NaN becomes the canonical NaN; its sign and payload are lost',
    evidence: 'measured: header code and constant folding by ptxas, for f16, bf16, f32, e4m3, e5m2 and ue8m0',
    when: () => true,
  },
];

/**
 * Returns the first row that applies to a conversion. There is always such a row, because the last row of each table
 * applies to all conversions.
 */
function firstThatApplies<T extends string>(policies: readonly ConversionPolicy<T>[], c: Conversion): Policy<T> {
  const found = policies.find((policy) => policy.when(c));
  if (found === undefined) throw new Error(`no policy for the conversion from ${c.from} to ${c.to}`);
  return found;
}

/** The result of the policy `truncated` for the bits of a NaN. */
export function truncatedNan(bits: number, { satfinite }: Conversion): number {
  return ((bits & -0x2000) >>> 0) - (satfinite ? 0x2000 : 0);
}

/** The row of `nanPolicies` that applies to a conversion. */
export function nanPolicyOf(c: Conversion): Policy<NanPolicy> {
  return firstThatApplies(nanPolicies, c);
}

export type OverflowPolicy = 'max-norm' | 'integer-range' | 'nan' | 'directed';

/**
 * The rules for the result if the rounded magnitude exceeds the range of the format. The first row that applies to the
 * conversion is used.
 */
export const overflowPolicies: readonly ConversionPolicy<OverflowPolicy>[] = [
  {
    name: 'integer-range',
    rule: 'a value outside the range becomes the nearest end of the range',
    evidence: `${cvt}, integer notes`,
    when: toInteger,
  },
  {
    name: 'max-norm',
    rule: 'a value beyond MAX_NORM, including infinity, becomes MAX_NORM with the same sign',
    evidence: `${cvt}, .satfinite; measured for fp8, fp6 and fp4`,
    when: (c) => c.satfinite || !toFloat(c),
  },
  {
    name: 'nan',
    rule: 'infinity and values beyond the range become NaN, because the format has no infinity; under .rz, finite values become the largest value',
    evidence: 'measured: header code for ue8m0; PTX ISA 9.4, section 9.7.6, for e4m3',
    when: (c) => toFloat(c) && hasNan(formats[c.to]) && !hasInfinity(formats[c.to]),
  },
  {
    name: 'directed',
    rule: 'a value beyond the range becomes infinity, or the largest value if rounding goes toward zero',
    evidence: 'IEEE 754 section 7.4; measured: header code',
    when: () => true,
  },
];

/** The row of `overflowPolicies` that applies to a conversion. */
export function overflowPolicyOf(c: Conversion): Policy<OverflowPolicy> {
  return firstThatApplies(overflowPolicies, c);
}

export type Cause =
  | 'exact'
  | 'nearest'
  | 'tie-to-even'
  | 'tie-away'
  | 'toward-zero'
  | 'toward-negative'
  | 'toward-positive'
  | 'random-carry'
  | 'random-stay'
  | 'nan'
  | 'scale-nan'
  | 'infinity'
  | 'overflow'
  | 'least'
  | 'sign-ignored'
  | 'flushed-input'
  | 'positive-zero'
  | 'flushed-result'
  | 'saturated-low'
  | 'saturated-high'
  | 'relu'
  | 'scaled'
  | 'chopped'
  | 'clamped';

/**
 * Explains in words every reason that can affect a result. `nan` and `overflow` are not included, because the policies
 * of the conversion explain them.
 */
export const causes: Readonly<Record<Exclude<Cause, 'nan' | 'overflow'>, Policy<Cause>>> = {
  exact: cause('exact', 'the destination can represent the value exactly', 'definition'),
  nearest: cause('nearest', 'the nearer of the two neighbors', `${cvt}, rounding modifiers`),
  'tie-to-even': cause(
    'tie-to-even',
    'the value is halfway between its neighbors, so the even one is chosen',
    `${cvt}, .rn`,
  ),
  'tie-away': cause(
    'tie-away',
    'the value is halfway between its neighbors, so the one farther from zero is chosen',
    `${cvt}, .rna`,
  ),
  'toward-zero': cause('toward-zero', 'the neighbor closer to zero', `${cvt}, .rz`),
  'toward-negative': cause('toward-negative', 'the lower neighbor', `${cvt}, .rm`),
  'toward-positive': cause('toward-positive', 'the upper neighbor', `${cvt}, .rp`),
  'random-carry': cause(
    'random-carry',
    'the random bits plus the discarded bits carry, so the result is rounded away from zero',
    `${cvt}, .rs`,
  ),
  'random-stay': cause(
    'random-stay',
    'the random bits plus the discarded bits do not carry, so the result is rounded toward zero',
    `${cvt}, .rs`,
  ),
  'scale-nan': cause('scale-nan', 'the scale 0xff is a NaN, so the result is a NaN, too', 'ue8m0: 0xff is NaN'),
  infinity: cause('infinity', 'an infinity stays an infinity', 'definition'),
  least: cause(
    'least',
    'a value below the range of ue8m0 becomes 2^-127, because the format has no zero',
    'measured: header code',
  ),
  'sign-ignored': cause(
    'sign-ignored',
    'the format has no sign, so the magnitude is converted',
    'measured: header code for ue8m0',
  ),
  'flushed-input': cause(
    'flushed-input',
    '.ftz and .scaled::n1::ue8m0: a subnormal input counts as a zero with the same sign',
    `${cvt}, .ftz`,
  ),
  'flushed-result': cause(
    'flushed-result',
    '.ftz: a subnormal result becomes a zero with the same sign',
    `${cvt}, .ftz`,
  ),
  'saturated-low': cause(
    'saturated-low',
    '.sat: a negative result, including -0, becomes +0',
    `${cvt}, .sat; measured`,
  ),
  'saturated-high': cause('saturated-high', '.sat: a result above 1 becomes 1', `${cvt}, .sat`),
  'positive-zero': cause('positive-zero', '.pzo: a result of -0 becomes +0', 'PTX ISA 9.4, section 9.7.10.24, .pzo'),
  relu: cause('relu', '.relu: a negative result, including -0, becomes +0', `${cvt}, .relu`),
  scaled: cause('scaled', 'the scale factor was applied before rounding', `${cvt}, scale-factor`),
  chopped: cause('chopped', 'only the low bits of the integer are kept', 'PTX ISA 6.5, chop'),
  clamped: cause('clamped', '.sat: a value outside the range becomes the nearest end of the range', `${cvt}, .sat`),
};

function cause(name: Cause, rule: string, evidence: string): Policy<Cause> {
  return { name, rule, evidence };
}
