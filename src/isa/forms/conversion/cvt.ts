/**
 * cvt (PTX ISA 9.1, section 9.7.9.21, and the additions of version 9.4). Some lines of the ISA's syntax block apply
 * only to certain pairs of types. Here, such a line is split into several forms, so that within each form every
 * modifier can be combined with every type. If the text of the ISA does not agree with ptxas 13.0, this file follows
 * ptxas, and the difference is listed in docs/spec-questions.md.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { read } from '../../operand-patterns.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { always, needs, needsModifier, row } from '../availability-rows.ts';
import { ftz } from '../float/rows.ts';
import { narrowConversions } from './cvt-narrow.ts';
import { a, b, d, pzo, rbits, relaxed, stochastic, strict } from './cvt-parts.ts';
import { lanesToPacked, scalar } from './cvt-steps.ts';

const integers: readonly TypeName[] = ['.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64'];
const floats: readonly TypeName[] = ['.f16', '.f32', '.f64'];
const integerSource = read('a', 1, { special: true });

// --- rules ----------------------------------------------------------------------------------------------------------

const ftzNeedsF32: Constraint = { kind: 'needs-type', modifier: '.ftz', types: ['.f32'] };
const clamps: Constraint = { kind: 'any-of', modifiers: ['.relu', '.satfinite'] };
const clampsOrClears: Constraint = { kind: 'any-of', modifiers: ['.relu', '.satfinite', '.pzo'] };

// --- availability ---------------------------------------------------------------------------------------------------

const anyVersion: AvailabilityRow = always('cvt');
/** For conversions from or to a 64-bit or 8-bit type, `.ftz` was introduced in version 1.5 rather than 1.4. */
const ftzLate = (slot: number, types: readonly TypeName[]): AvailabilityRow =>
  needs('.ftz between .f32 and this type', { modifiers: ['.ftz'], types, slot }, at('1.5'));
const sm80: AvailabilityRow = row('this conversion', at('7.0', 80));
const satfiniteSince: AvailabilityRow = needsModifier('.satfinite', at('8.1', 80));
const bf16Pairs: AvailabilityRow = row('cvt between .bf16 and this type', at('7.8', 90));

/** Conversions among the fundamental types, for which Tables 27 and 28 of the ISA allow wider registers. */
const basic: readonly InstructionForm[] = [
  relaxed({
    id: 'cvt.int.int',
    syntax: 'cvt{.sat}.dtype.atype  d, a',
    summary:
      'Integer to integer: a wider result is extended according to the source type, and a narrower one keeps the low bits.',
    sets: { dtype: integers, atype: integers },
    constraints: [{ kind: 'needs-narrowing-range', modifier: '.sat' }],
    availability: [anyVersion],
    operands: [d, integerSource],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.int.float',
    syntax: 'cvt.irnd{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Float to integer, clamped to the destination range.',
    sets: { dtype: integers, atype: floats },
    constraints: [ftzNeedsF32],
    availability: [anyVersion, ftz, ftzLate(0, ['.u64', '.s64'])],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.float.int',
    syntax: 'cvt.frnd{.ftz}{.sat}.dtype.atype  d, a',
    summary: 'Integer to float.',
    sets: { dtype: floats, atype: integers },
    constraints: [ftzNeedsF32],
    availability: [anyVersion, ftz, ftzLate(1, ['.u8', '.s8'])],
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
    availability: [anyVersion, ftz],
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
    availability: [anyVersion, ftz, ftzLate(0, ['.f64'])],
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
    availability: [anyVersion, ftz],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.f16.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}{.pzo}.f16.f32  d, a',
    summary:
      'f32 to f16, clamping negative results to zero, overflowing results to the largest value, or turning -0 into +0.',
    constraints: [clampsOrClears],
    availability: [needsModifier('.relu', at('7.0', 80)), needsModifier('.satfinite', at('8.1', 70)), pzo],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.f16.f32.directed',
    syntax: 'cvt.directed.pzo.f16.f32  d, a',
    summary: 'f32 to f16, rounded up or down, turning -0 into +0.',
    sets: { directed: ['.rm', '.rp'] },
    availability: [pzo],
    operands: [d, a],
    steps: scalar,
  }),
  relaxed({
    id: 'cvt.f16x2.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}{.pzo}.f16x2.f32  d, a, b',
    summary: 'Two f32 values to packed f16, with a in the upper half.',
    availability: [sm80, satfiniteSince, pzo],
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
    syntax: 'cvt.frnd{.ftz}{.pzo}.bf16.f32  d, a',
    summary: 'f32 to bf16.',
    availability: [sm80, pzo],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16.f32.clamped',
    syntax: 'cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16.f32  d, a',
    summary: 'f32 to bf16, clamping negative results to zero or overflowing results to the largest value.',
    constraints: [clamps],
    availability: [sm80, satfiniteSince, pzo],
    operands: [d, a],
    steps: scalar,
  }),
  strict({
    id: 'cvt.bf16x2.f32',
    syntax: 'cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16x2.f32  d, a, b',
    summary: 'Two f32 values to packed bf16, with a in the upper half.',
    availability: [sm80, satfiniteSince, pzo],
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
      row('cvt.f32.bf16', at('7.1', 80)),
      needs('.ftz on cvt.f32.bf16', { modifiers: ['.ftz'] }, at('7.8', 90)),
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
    syntax: 'cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32  d, a',
    summary: 'f32 to tf32.',
    availability: [
      row('cvt.{rn,rz}.tf32.f32', at('7.8', 90)),
      needs('.satfinite on cvt.{rn,rz}.tf32.f32', { modifiers: ['.satfinite'] }, at('8.6', 100)),
      pzo,
    ],
    operands: [d, a],
    steps: scalar,
  }),
];

/** Every form of cvt. */
export const cvtForms = (): readonly InstructionForm[] => [...basic, ...bf16, ...tf32, ...narrowConversions()];
