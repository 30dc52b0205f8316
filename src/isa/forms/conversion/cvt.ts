/**
 * cvt: PTX ISA 9.1, section 9.7.9.21. Some lines of the ISA's syntax block apply only to certain pairs of types. Here,
 * such a line is split into several forms, so that within each form every modifier can be combined with every type. If
 * the text of the ISA does not agree with ptxas 13.0, this file follows ptxas, and the difference is listed in
 * docs/spec-questions.md.
 */
import type { AvailabilityRow, Constraint, InstructionForm, OperandPattern, ValuePattern } from '../../form.ts';
import { read, write } from '../../form.ts';
import { at, atListed, atSuffixed } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { lanesToPacked, packedToPacked, scalar } from './cvt-steps.ts';

const section = '9.7.9.21';

const integers: readonly TypeName[] = ['.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64'];
const floats: readonly TypeName[] = ['.f16', '.f32', '.f64'];
const f8x2type: readonly TypeName[] = ['.e4m3x2', '.e5m2x2'];
const f4x2type: readonly TypeName[] = ['.e2m1x2'];
const f6x2type: readonly TypeName[] = ['.e2m3x2', '.e3m2x2'];
const f8x4type: readonly TypeName[] = ['.e4m3x4', '.e5m2x4'];
const f4x4type: readonly TypeName[] = ['.e2m1x4'];
const f6x4type: readonly TypeName[] = ['.e2m3x4', '.e3m2x4'];

// --- operands -------------------------------------------------------------------------------------------------------

const d = write('d', 0);
const a = read('a', 1);
const b = read('b', 1);
const rbits = read('rbits', '.b32', { regime: 'strict', registerOnly: true });
const scaleFactor = read('scale-factor', '.b16', { regime: 'strict', registerOnly: true });
const four: OperandPattern = {
  kind: 'vector',
  name: '{a, b, e, f}',
  elements: (['a', 'b', 'e', 'f'] as const).map((name): ValuePattern => read(name, 1)),
};
const integerSource = read('a', 1, { special: true });

// --- rules ----------------------------------------------------------------------------------------------------------

const ftzNeedsF32: Constraint = { kind: 'needs-type', modifier: '.ftz', types: ['.f32'] };
const reluOrSatfinite: Constraint = { kind: 'any-of', modifiers: ['.relu', '.satfinite'] };

// --- availability ---------------------------------------------------------------------------------------------------

const always: AvailabilityRow = { subject: 'cvt', ways: [at('1.0')] };
const ftzSince: AvailabilityRow = { subject: '.ftz', when: { modifiers: ['.ftz'] }, ways: [at('1.4')] };
/** For conversions from or to a 64-bit or 8-bit type, `.ftz` was introduced in version 1.5 rather than 1.4. */
const ftzLate = (slot: number, types: readonly TypeName[]): AvailabilityRow => ({
  subject: '.ftz between .f32 and this type',
  when: { modifiers: ['.ftz'], types, slot },
  ways: [at('1.5')],
});
const sm80: AvailabilityRow = { subject: 'this conversion', ways: [at('7.0', 80)] };
const satfiniteSince: AvailabilityRow = {
  subject: '.satfinite',
  when: { modifiers: ['.satfinite'] },
  ways: [at('8.1', 80)],
};
const bf16Pairs: AvailabilityRow = { subject: 'cvt between .bf16 and this type', ways: [at('7.8', 90)] };
const fp8: AvailabilityRow = {
  subject: 'cvt with .e4m3x2/.e5m2x2',
  ways: [at('7.8', 90), atListed('8.1', 'sm_89')],
};
const narrow: AvailabilityRow = { subject: 'cvt with a narrow format', ways: [atSuffixed('8.6', 100)] };
const narrow91: AvailabilityRow = { subject: 'cvt from this packed type', ways: [atSuffixed('9.1', 100)] };
const stochastic: AvailabilityRow = { subject: '.rs', ways: [atListed('8.7', 'sm_100a', 'sm_103a')] };
const s2f6: AvailabilityRow = {
  subject: 'cvt with .s2f6x2',
  ways: [atListed('9.1', 'sm_100a', 'sm_103a', 'sm_110a', 'sm_120a', 'sm_121a')],
};

type Entry = Omit<InstructionForm, 'section' | 'regime'>;

const relaxed = (entry: Entry): InstructionForm => ({ ...entry, section, regime: 'relaxed' });
const strict = (entry: Entry): InstructionForm => ({ ...entry, section, regime: 'strict' });

/** Conversions among the fundamental types. For these, Tables 27 and 28 of the ISA allow wider registers. */
const basic: readonly InstructionForm[] = [
  relaxed({
    id: 'cvt.int.int',
    syntax: 'cvt{.sat}.dtype.atype  d, a',
    summary:
      'Integer to integer: a wider result is extended according to the source type, and a narrower one keeps the low bits.',
    sets: { dtype: integers, atype: integers },
    constraints: [{ kind: 'needs-narrowing-range', modifier: '.sat' }],
    availability: [always],
    operands: [d, integerSource],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.int.float',
    syntax: 'cvt.irnd{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Float to integer, clamped to the destination range.',
    sets: { dtype: integers, atype: floats },
    constraints: [ftzNeedsF32],
    availability: [always, ftzSince, ftzLate(0, ['.u64', '.s64'])],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.float.int',
    syntax: 'cvt.frnd{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Integer to float.',
    sets: { dtype: floats, atype: integers },
    constraints: [ftzNeedsF32],
    availability: [always, ftzSince, ftzLate(1, ['.u8', '.s8'])],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.float.narrow',
    syntax: 'cvt.frnd{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Float to a narrower float.',
    sets: { dtype: floats, atype: floats },
    relation: 'narrower',
    constraints: [ftzNeedsF32],
    availability: [always, ftzSince],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.float.widen',
    syntax: 'cvt{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Float to a wider float, exact.',
    sets: { dtype: floats, atype: floats },
    relation: 'wider',
    constraints: [ftzNeedsF32],
    availability: [always, ftzSince, ftzLate(0, ['.f64'])],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.float.same',
    syntax: 'cvt{.irnd}{.ftz}{.sat}.dtype.atype  d, a',
    summary:
      'Float to the same type: with an integer rounding modifier, the value is rounded to an integer; without one, it is copied.',
    sets: { dtype: floats, atype: floats },
    relation: 'same',
    constraints: [ftzNeedsF32],
    availability: [always, ftzSince],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.f16.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}.f16.f32  d, a',
    summary: 'f32 to f16, clamping negative results to zero or overflowing results to the largest value.',
    constraints: [reluOrSatfinite],
    availability: [
      { subject: '.relu', when: { modifiers: ['.relu'] }, ways: [at('7.0', 80)] },
      { subject: '.satfinite', when: { modifiers: ['.satfinite'] }, ways: [at('8.1', 70)] },
    ],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.f16x2.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}.f16x2.f32  d, a, b',
    summary: 'Two f32 values to packed f16, with a in the upper half.',
    availability: [sm80, satfiniteSince],
    operands: [d, a, b],
    steps: lanesToPacked,
  }),
  relaxed({
    id: 'cvt.rs.f16x2.f32',
    syntax: 'cvt.rs{.relu}{.satfinite}.f16x2.f32  d, a, b, rbits',
    summary: 'Two f32 values to packed f16, rounded stochastically.',
    availability: [stochastic],
    operands: [d, a, b, rbits],
    steps: lanesToPacked,
  }),
];

const bf16: readonly InstructionForm[] = [
  strict({
    id: 'cvt.bf16.f32',
    syntax: 'cvt.frnd{.ftz}.bf16.f32  d, a',
    summary: 'f32 to bf16.',
    availability: [sm80],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.f32.clamped',
    syntax: 'cvt.frnd2{.relu}{.satfinite}.bf16.f32  d, a',
    summary: 'f32 to bf16, clamping negative results to zero or overflowing results to the largest value.',
    constraints: [reluOrSatfinite],
    availability: [sm80, satfiniteSince],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16x2.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}.bf16x2.f32  d, a, b',
    summary: 'Two f32 values to packed bf16, with a in the upper half.',
    availability: [sm80, satfiniteSince],
    operands: [d, a, b],
    steps: lanesToPacked,
  }),
  strict({
    id: 'cvt.rs.bf16x2.f32',
    syntax: 'cvt.rs{.relu}{.satfinite}.bf16x2.f32  d, a, b, rbits',
    summary: 'Two f32 values to packed bf16, rounded stochastically.',
    availability: [stochastic],
    operands: [d, a, b, rbits],
    steps: lanesToPacked,
  }),
  strict({
    id: 'cvt.int.bf16',
    syntax: 'cvt.irnd.dtype.bf16  d, a',
    summary: 'bf16 to integer, clamped to the destination range.',
    sets: { dtype: integers },
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.int',
    syntax: 'cvt.frnd.bf16.atype  d, a',
    summary: 'Integer to bf16.',
    sets: { atype: integers },
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.f64',
    syntax: 'cvt.frnd.bf16.f64  d, a',
    summary: 'f64 to bf16.',
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.bf16',
    syntax: 'cvt{.irnd}.bf16.bf16  d, a',
    summary: 'bf16 to bf16: an integer rounding modifier rounds the value to an integer.',
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.f16',
    syntax: 'cvt{.frnd}.bf16.f16  d, a',
    summary: 'f16 to bf16, rounded to nearest even if no rounding is given.',
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.f16.bf16',
    syntax: 'cvt{.frnd}.f16.bf16  d, a',
    summary: 'bf16 to f16, rounded to nearest even if no rounding is given.',
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.f64.bf16',
    syntax: 'cvt{.frnd}.f64.bf16  d, a',
    summary: 'bf16 to f64, exact.',
    availability: [bf16Pairs],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.f32.bf16',
    syntax: 'cvt{.frnd}{.ftz}.f32.bf16  d, a',
    summary: 'bf16 to f32, exact.',
    availability: [
      { subject: 'cvt.f32.bf16', ways: [at('7.1', 80)] },
      { subject: '.ftz on cvt.f32.bf16', when: { modifiers: ['.ftz'] }, ways: [at('7.8', 90)] },
    ],
    operands: [d, a],
    steps: scalar,
  }),
];

const tf32: readonly InstructionForm[] = [
  strict({
    id: 'cvt.rna.tf32.f32',
    syntax: 'cvt.rna{.satfinite}.tf32.f32  d, a',
    summary: 'f32 to tf32, rounded to nearest with ties away from zero.',
    availability: [sm80, satfiniteSince],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.tf32.f32',
    syntax: 'cvt.frnd2{.satfinite}{.relu}.tf32.f32  d, a',
    summary: 'f32 to tf32.',
    availability: [
      { subject: 'cvt.{rn,rz}.tf32.f32', ways: [at('7.8', 90)] },
      { subject: '.satfinite on cvt.{rn,rz}.tf32.f32', when: { modifiers: ['.satfinite'] }, ways: [at('8.6', 100)] },
    ],
    operands: [d, a],
    steps: scalar,
  }),
];

/**
 * The forms for one family of narrow formats: fp8, fp6 or fp4. The families differ in the names of their formats and in
 * their version requirements.
 */
function family(
  name: 'f8' | 'f6' | 'f4',
  x2: readonly TypeName[],
  x4: readonly TypeName[],
  since: AvailabilityRow,
  fromF16: AvailabilityRow,
): readonly InstructionForm[] {
  const pair = `${name}x2type`;
  const quad = `${name}x4type`;
  return [
    strict({
      id: `cvt.${name}x2.f32`,
      syntax: `cvt.rn.satfinite{.relu}.${pair}.f32  d, a, b`,
      summary: 'Two f32 values to a packed pair, with a in the upper lane.',
      sets: { [pair]: x2 },
      availability: [since],
      operands: [d, a, b],
      steps: lanesToPacked,
    }),
    strict({
      id: `cvt.${name}x2.f16x2`,
      syntax: `cvt.rn.satfinite{.relu}.${pair}.f16x2  d, a`,
      summary: 'Packed f16 to a packed pair, lane by lane.',
      sets: { [pair]: x2 },
      availability: [fromF16],
      operands: [d, a],
      steps: packedToPacked,
    }),
    strict({
      id: `cvt.${name}x2.bf16x2`,
      syntax: `cvt.rn.satfinite{.relu}.${pair}.bf16x2  d, a`,
      summary: 'Packed bf16 to a packed pair, lane by lane.',
      sets: { [pair]: x2 },
      availability: [narrow91],
      operands: [d, a],
      steps: packedToPacked,
    }),
    strict({
      id: `cvt.f16x2.${name}x2`,
      syntax: `cvt.rn{.relu}.f16x2.${pair}  d, a`,
      summary: 'A packed pair to packed f16, exact.',
      sets: { [pair]: x2 },
      availability: [since],
      operands: [d, a],
      steps: packedToPacked,
    }),
    strict({
      id: `cvt.rs.${name}x4.f32`,
      syntax: `cvt.rs{.relu}.satfinite.${quad}.f32  d, {a, b, e, f}, rbits`,
      summary: 'Four f32 values to a packed quadruple, rounded stochastically, with a in the topmost lane.',
      sets: { [quad]: x4 },
      availability: [stochastic],
      operands: [d, four, rbits],
      steps: lanesToPacked,
    }),
  ];
}

const ue8m0: readonly InstructionForm[] = [
  strict({
    id: 'cvt.ue8m0x2.f32',
    syntax: 'cvt.frnd3{.satfinite}.ue8m0x2.f32  d, a, b',
    summary: 'Two f32 values to a pair of powers of two, with a in the upper lane; signs are ignored.',
    availability: [narrow],
    operands: [d, a, b],
    steps: lanesToPacked,
  }),
  strict({
    id: 'cvt.ue8m0x2.bf16x2',
    syntax: 'cvt.frnd3{.satfinite}.ue8m0x2.bf16x2  d, a',
    summary: 'Packed bf16 to a pair of powers of two; signs are ignored.',
    availability: [narrow],
    operands: [d, read('a', 1, { negatedPredicate: true })],
    steps: packedToPacked,
  }),
  strict({
    id: 'cvt.bf16x2.ue8m0x2',
    syntax: 'cvt.rn.bf16x2.ue8m0x2  d, a',
    summary: 'A pair of powers of two to packed bf16, exact.',
    availability: [narrow],
    operands: [d, a],
    steps: packedToPacked,
  }),
];

/**
 * s2f6 conversions exist both with and without a scale factor. Those with a scale factor have an additional qualifier,
 * and an operand for the scale factor.
 */
const fixedPoint: readonly InstructionForm[] = [false, true].flatMap((scaled) => {
  const suffix = scaled ? '.scaled' : '';
  const qualifier = scaled ? '.scaled::n2::ue8m0' : '';
  const tail = scaled ? ', scale-factor' : '';
  const operands = scaled ? [scaleFactor] : [];
  return [
    strict({
      id: `cvt.s2f6x2.f32${suffix}`,
      syntax: `cvt.rn.satfinite{.relu}${qualifier}.s2f6x2.f32  d, a, b${tail}`,
      summary: 'Two f32 values, each divided by its scale factor, to a fixed-point pair.',
      availability: [s2f6],
      operands: [d, a, b, ...operands],
      steps: lanesToPacked,
    }),
    strict({
      id: `cvt.s2f6x2.bf16x2${suffix}`,
      syntax: `cvt.rn.satfinite{.relu}${qualifier}.s2f6x2.bf16x2  d, a${tail}`,
      summary: 'Packed bf16 values, each divided by its scale factor, to a fixed-point pair.',
      availability: [s2f6],
      operands: [d, a, ...operands],
      steps: packedToPacked,
    }),
    strict({
      id: `cvt.bf16x2.s2f6x2${suffix}`,
      syntax: `cvt.rn{.satfinite}{.relu}${qualifier}.bf16x2.s2f6x2  d, a${tail}`,
      summary: 'A pair of fixed-point values, each multiplied by its scale factor, to packed bf16.',
      availability: [s2f6],
      operands: [d, a, ...operands],
      steps: packedToPacked,
    }),
  ];
});

/** Every form of cvt. */
export const cvtForms = (): readonly InstructionForm[] => [
  ...basic,
  ...bf16,
  ...tf32,
  ...family('f8', f8x2type, f8x4type, fp8, fp8),
  ...family('f6', f6x2type, f6x4type, narrow, narrow91),
  ...family('f4', f4x2type, f4x4type, narrow, narrow),
  ...ue8m0,
  ...fixedPoint,
];
