/** Mixed precision: f16 or bf16 operands are first widened to f32 (PTX ISA 9.1, section 9.7.5). */
import { plainConversion } from '../../../numerics/conversion.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read } from '../../operand-patterns.ts';
import { floatType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { c, d } from '../first-type-operands.ts';
import { modeOf } from './steps.ts';

const narrow: readonly TypeName[] = ['.f16', '.bf16'];

const a = read('a', 1, { integers: true });
const b = read('b', 1, { integers: true });

function widen(variant: Variant, to: Ref, from: Ref): Step {
  const from16 = floatType(variant, 1);
  const conversion = { ...plainConversion(from16, 'f32'), rounding: null };
  return { kind: 'convert', conversion, to, from, random: null, scale: null };
}

function binary(fn: 'add' | 'sub'): InstructionForm['steps'] {
  return (variant, environment) => [
    widen(variant, '$a.f32', '$a'),
    { kind: 'float', fn, format: 'f32', mode: modeOf(variant, environment), to: '$d', from: ['$a.f32', '$c'] },
  ];
}

const fused: InstructionForm['steps'] = (variant, environment) => [
  widen(variant, '$a.f32', '$a'),
  widen(variant, '$b.f32', '$b'),
  {
    kind: 'float',
    fn: 'fma',
    format: 'f32',
    mode: modeOf(variant, environment),
    to: '$d',
    from: ['$a.f32', '$b.f32', '$c'],
  },
];

/** add, sub and fma with f16 or bf16 sources and an f32 result. */
export const mixedForms = (): readonly InstructionForm[] => [
  exact({
    id: 'add.f32.half',
    section: '9.7.5.1',
    syntax: 'add{.frnd}{.sat}.f32.atype  d, a, c',
    summary: 'Sum of an f32 value and an f16 or bf16 value that is widened to f32 first.',
    sets: { atype: narrow },
    availability: [row('mixed-precision add', at('8.6', 100))],
    operands: [d, a, c],
    steps: binary('add'),
  }),
  exact({
    id: 'sub.f32.half',
    section: '9.7.5.2',
    syntax: 'sub{.frnd}{.sat}.f32.atype  d, a, c',
    summary: 'An f16 or bf16 value, which is widened to f32 first, minus an f32 value.',
    sets: { atype: narrow },
    availability: [row('mixed-precision sub', at('8.6', 100))],
    operands: [d, a, c],
    steps: binary('sub'),
  }),
  exact({
    id: 'fma.f32.half',
    section: '9.7.5.3',
    syntax: 'fma.frnd{.sat}.f32.abtype  d, a, b, c',
    summary:
      'a * b + c, rounded once, where a and b are f16 or bf16 values that are widened to f32, and c is an f32 value.',
    sets: { abtype: narrow },
    availability: [row('mixed-precision fma', at('8.6', 100))],
    operands: [d, a, b, c],
    steps: fused,
  }),
];
