/**
 * The ways in which conversions in other software stacks differ from those of PTX, one row per rule. There are no rules
 * for behavior that all stacks share: rounding to nearest even, the sign of zeros, saturation of fp6 and fp4, and
 * overflow to infinity in formats that have infinities.
 *
 * If the evidence for a rule is `measured`, the rule describes results of ml_dtypes 0.6.0 with numpy 2.4.6 and of torch
 * 2.13.0 for CPU (AVX-512), which are recorded in test/golden/semantics. For torch, the bits of NaNs are those that its
 * vector code produces. Other builds of torch may produce NaNs with other bits, and so may the code for the last few
 * elements of a tensor.
 */
import { type FormatName, formatNames } from '../../numerics/formats.ts';
import { spellings } from '../spellings.ts';

export type Semantics = 'ptx' | 'ocp' | 'ml_dtypes' | 'torch';

export const allSemantics: readonly Semantics[] = ['ptx', 'ocp', 'ml_dtypes', 'torch'];

/**
 * The inputs to which a rule applies: NaNs; zeros; negative values other than NaNs; or, for `range`, all values x,
 * including infinities, for which above < |x| < below.
 */
export type RuleInputs =
  | { readonly kind: 'nan' | 'zero' | 'negative' }
  | { readonly kind: 'range'; readonly above: number; readonly below: number };

/**
 * `bits` is the result without a sign. `signed` means that the result has the same sign as the source, and `opposite`
 * means that it has the opposite sign.
 */
export type RuleResult =
  | { readonly kind: 'bits'; readonly bits: bigint; readonly sign: 'dropped' | 'signed' | 'opposite' }
  | { readonly kind: 'payload'; readonly quiet: boolean };

export interface SemanticRule {
  readonly id: string;
  readonly semantics: Semantics;
  /**
   * The source formats. If this is null, the rule applies to every float format that is not listed in an earlier row
   * for the same destination.
   */
  readonly from: readonly FormatName[] | null;
  readonly to: readonly FormatName[];
  readonly inputs: RuleInputs;
  readonly result: RuleResult;
  /**
   * Whether the rule applies only to conversions with saturation (true) or only to those without saturation (false);
   * null if it applies to both.
   */
  readonly saturate: boolean | null;
  readonly rule: string;
  readonly evidence: string;
}

const nan: RuleInputs = { kind: 'nan' };
const measured = 'measured';
const ofp8 = 'OCP 8-bit floating point (OFP8) 1.0, conversions';

function bits(pattern: bigint, sign: 'dropped' | 'signed' | 'opposite' = 'signed'): RuleResult {
  return { kind: 'bits', bits: pattern, sign };
}

const kept: RuleResult = { kind: 'payload', quiet: false };
const quieted: RuleResult = { kind: 'payload', quiet: true };

type NanRow = readonly [to: readonly FormatName[], from: readonly FormatName[] | null, result: RuleResult];

/** For a pair of formats, the first matching row applies. */
const nanRows: Readonly<Record<'ml_dtypes' | 'torch', readonly NanRow[]>> = {
  ml_dtypes: [
    [['e4m3'], null, bits(0x7fn)],
    [['e5m2'], ['e5m2'], kept],
    [['e5m2'], null, bits(0x7en)],
    [['e2m1'], null, bits(0x0n, 'opposite')],
    [['e2m3', 'e3m2'], null, bits(0x0n, 'opposite')],
    [['ue8m0'], null, bits(0xffn, 'dropped')],
    [['bf16'], ['bf16'], kept],
    [['bf16'], null, bits(0x7fc0n)],
    [['f16'], ['f16', 'f32', 'f64'], kept],
    [['f16'], null, bits(0x7e00n)],
    [['f32'], ['f16', 'bf16', 'f32'], kept],
    [['f32'], ['f64'], quieted],
    [['f32'], null, bits(0x7fc00000n)],
    [['f64'], ['f16', 'f64'], kept],
    [['f64'], ['bf16', 'f32'], quieted],
    [['f64'], null, bits(0x7ff8000000000000n)],
  ],
  torch: [
    [['e5m2'], ['e5m2'], kept],
    [['e4m3', 'e5m2'], null, bits(0x7fn)],
    [['ue8m0'], null, bits(0xffn, 'dropped')],
    [['bf16'], ['bf16'], kept],
    [['bf16'], ['f32'], bits(0xffffn, 'dropped')],
    [['bf16'], null, bits(0x7fc0n, 'dropped')],
    [['f16'], ['f16'], kept],
    [['f16'], ['e4m3'], bits(0x7f80n)],
    [['f16'], ['ue8m0'], bits(0x7e00n)],
    [['f16'], null, quieted],
    [['f32'], ['bf16', 'f32'], kept],
    [['f32'], ['e4m3'], bits(0x7ff00000n)],
    [['f32'], ['ue8m0'], bits(0x7f800001n)],
    [['f32'], null, quieted],
    [['f64'], ['f64'], kept],
    [['f64'], ['e4m3'], bits(0x7ffe000000000000n)],
    [['f64'], ['ue8m0'], bits(0x7ff8000020000000n)],
    [['f64'], null, quieted],
  ],
};

function nanText(result: RuleResult): string {
  if (result.kind === 'payload') {
    return `a NaN keeps its sign and the leading bits of its payload${result.quiet ? ' and becomes quiet' : ''}`;
  }
  const pattern = `0x${result.bits.toString(16)}`;
  if (result.sign === 'opposite') return 'a NaN becomes a zero of the opposite sign, because the format has no NaN';
  return result.sign === 'signed'
    ? `a NaN becomes ${pattern} with its sign`
    : `a NaN becomes ${pattern}, and its sign is dropped`;
}

function nanRules(semantics: 'ml_dtypes' | 'torch'): readonly SemanticRule[] {
  return nanRows[semantics].map(([to, from, result]) => ({
    id: `${semantics}-nan-${to.join('-')}${from === null ? '' : `-from-${from.join('-')}`}`,
    semantics,
    from,
    to,
    inputs: nan,
    result,
    saturate: null,
    rule: nanText(result),
    evidence: measured,
  }));
}

/**
 * If e4m3 had a next value after 448, it would be 480. The midpoint between 448 and 480, which is 464, still rounds to
 * 448.
 */
const e4m3Limit = 464;

const above = (limit: number): RuleInputs => ({ kind: 'range', above: limit, below: Number.POSITIVE_INFINITY });

export const semanticRules: readonly SemanticRule[] = [
  {
    id: 'ocp-e4m3-overflow',
    semantics: 'ocp',
    from: null,
    to: ['e4m3'],
    inputs: above(e4m3Limit),
    result: bits(0x7fn),
    saturate: false,
    rule: 'without saturation, infinity and values that round beyond 448 become NaN',
    evidence: ofp8,
  },
  {
    id: 'ml_dtypes-e4m3-overflow',
    semantics: 'ml_dtypes',
    from: null,
    to: ['e4m3'],
    inputs: above(e4m3Limit),
    result: bits(0x7fn),
    saturate: false,
    rule: 'infinity and values that round beyond 448 (all above 464) become NaN with their sign',
    evidence: `${measured}; jax-ml/ml_dtypes#400`,
  },
  {
    id: 'ml_dtypes-ue8m0-zero',
    semantics: 'ml_dtypes',
    from: null,
    to: ['ue8m0'],
    inputs: { kind: 'zero' },
    result: bits(0xffn, 'dropped'),
    saturate: null,
    rule: 'zero becomes NaN, because the format has no zero',
    evidence: measured,
  },
  {
    id: 'ml_dtypes-ue8m0-negative',
    semantics: 'ml_dtypes',
    from: null,
    to: ['ue8m0'],
    inputs: { kind: 'negative' },
    result: bits(0xffn, 'dropped'),
    saturate: null,
    rule: 'a negative value becomes NaN, because the format has no sign',
    evidence: measured,
  },
  ...(['ml_dtypes', 'torch'] as const).map(
    (semantics): SemanticRule => ({
      id: `${semantics}-ue8m0-subnormal`,
      semantics,
      from: null,
      to: ['ue8m0'],
      inputs: { kind: 'range', above: 2 ** -127, below: 2 ** -126 },
      result: bits(0x01n, 'dropped'),
      saturate: null,
      rule: 'values between 2^-127 and 2^-126 always become 2^-126, even if 2^-127 is nearer',
      evidence: measured,
    }),
  ),
  ...nanRules('ml_dtypes'),
  ...nanRules('torch'),
];

/** Formats that a stack cannot convert to or from. */
export const missingFormats: Readonly<Record<Semantics, readonly FormatName[]>> = {
  ptx: [],
  ocp: unspelled('ml_dtypes'),
  ml_dtypes: unspelled('ml_dtypes'),
  // torch can store e2m1, two elements per byte, but cannot convert it.
  torch: [...unspelled('torch'), 'e2m1'],
};

function unspelled(family: 'ml_dtypes' | 'torch'): readonly FormatName[] {
  return formatNames.filter((name) => spellings[name][family] === null);
}

/** Whether the stack converts f64 to this format by way of f32, and thus rounds twice (as measured). */
export function roundsTwice(semantics: Semantics, to: FormatName): boolean {
  if (semantics === 'torch') return to !== 'f64' && to !== 'f32';
  return semantics === 'ml_dtypes' && to !== 'f64' && to !== 'f32' && to !== 'f16';
}
