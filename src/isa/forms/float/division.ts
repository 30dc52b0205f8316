/** div and rcp of f32 and f64 (sections 9.7.3.8, 9.7.3.13 and 9.7.3.14 of PTX ISA 9.1). */
import type { InstructionForm } from '../../form.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atBefore } from '../../targets.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, d } from '../first-type-operands.ts';
import { approximation, divisionSteps, fullDivisionSteps, reciprocalSteps, upperHalfSteps } from './mufu-steps.ts';
import { when } from './rows.ts';
import { floatSteps, modeOf } from './steps.ts';

const quotient = floatSteps('div', ['$a', '$b']);
/**
 * Returns the steps that the form has with `.approx`, even if the instruction does not contain this modifier. These
 * steps are used for PTX versions in which `.approx` was implied and could be omitted.
 */
export const approximately: (steps: InstructionForm['steps']) => InstructionForm['steps'] =
  (steps) => (variant, environment) =>
    steps({ ...variant, modifiers: { ...variant.modifiers, precision: '.approx' } }, environment);

const divisions: readonly InstructionForm[] = [
  exact({
    id: 'div.f32',
    section: '9.7.3.8',
    syntax: 'div.frnd{.ftz}.f32  d, a, b',
    summary: 'Quotient of two f32 values, correctly rounded.',
    availability: [row('div.f32 with a rounding', at('2.0', 20))],
    operands: [d, a, b],
    steps: quotient,
  }),
  exact({
    id: 'div.approx.f32',
    section: '9.7.3.8',
    syntax: 'div.approx{.ftz}.f32  d, a, b',
    summary: 'Quotient of two f32 values, computed as a * (1 / b), to within 2 ulp for |b| in [2^-126, 2^126].',
    availability: [row('div.approx', at('1.4'))],
    operands: [d, a, b],
    steps: approximation(quotient, divisionSteps),
  }),
  exact({
    id: 'div.full.f32',
    section: '9.7.3.8',
    syntax: 'div.full{.ftz}.f32  d, a, b',
    summary: 'Quotient of two f32 values over the full range, to within 2 ulp.',
    availability: [row('div.full', at('1.4'))],
    operands: [d, a, b],
    steps: approximation(floatSteps('div.full', ['$a', '$b']), fullDivisionSteps),
  }),
  exact({
    id: 'div.f64',
    section: '9.7.3.8',
    syntax: 'div.frnd.f64  d, a, b',
    summary: 'Quotient of two f64 values, correctly rounded.',
    availability: [always('div'), ...['.rz', '.rm', '.rp'].map((modifier) => when(modifier, '2.0', 20))],
    operands: [d, a, b],
    steps: quotient,
  }),
  exact({
    id: 'div.f32.unrounded',
    section: '9.7.3.8',
    syntax: 'div.f32  d, a, b',
    summary: 'Quotient of two f32 values, computed like div.approx.',
    availability: [row('div.f32 without .approx, .full or a rounding modifier', atBefore('1.4'))],
    operands: [d, a, b],
    steps: approximately(quotient),
  }),
  exact({
    id: 'div.f64.unrounded',
    section: '9.7.3.8',
    syntax: 'div.f64  d, a, b',
    summary: 'Quotient of two f64 values, rounded to nearest.',
    availability: [row('div.f64 without a rounding', atBefore('1.4'))],
    operands: [d, a, b],
    steps: quotient,
  }),
];

const reciprocal = floatSteps('rcp', ['$a']);

/** In f64, .ftz has no effect. */
const unflushedReciprocal: InstructionForm['steps'] = (variant, environment): readonly Step[] => {
  const mode = { ...modeOf(variant, environment), flush: false };
  return [{ kind: 'float', fn: 'rcp', format: 'f64', mode, to: '$d', from: ['$a'] }];
};

/**
 * rcp and rsqrt with `.approx.ftz.f64`: they use only the upper 32 bits of a, and set the lower 32 bits of d to zero.
 */
export const grossly: (fn: 'rcp' | 'rsqrt') => InstructionForm['steps'] = (fn) => (variant, environment) => {
  const halves = { lane: 32, stride: 32 };
  const keepUpper = (to: Ref, from: Ref): readonly Step[] => [
    { kind: 'extract', to: `${from}.upper`, from, low: 32, width: 32 },
    { kind: 'constant', to: '$zero', value: 0 },
    { kind: 'pack', to, from: [`${from}.upper`, '$zero'], ...halves },
  ];
  const mode = modeOf(variant, environment);
  return [
    ...keepUpper('$coarse', '$a'),
    { kind: 'float', fn, format: 'f64', mode, to: '$whole', from: ['$coarse'] },
    ...keepUpper('$d', '$whole'),
  ];
};

const reciprocals: readonly InstructionForm[] = [
  exact({
    id: 'rcp.f32',
    section: '9.7.3.13',
    syntax: 'rcp.frnd{.ftz}.f32  d, a',
    summary: '1/a, correctly rounded.',
    availability: [row('rcp.f32 with a rounding', at('2.0', 20))],
    operands: [d, a],
    steps: reciprocal,
  }),
  exact({
    id: 'rcp.approx.f32',
    section: '9.7.3.13',
    syntax: 'rcp.approx{.ftz}.f32  d, a',
    summary: '1/a to within 1 ulp.',
    availability: [row('rcp.approx', at('1.4'))],
    operands: [d, a],
    steps: approximation(reciprocal, reciprocalSteps),
  }),
  exact({
    id: 'rcp.f64',
    section: '9.7.3.13',
    syntax: 'rcp.frnd{.ftz}.f64  d, a',
    summary: '1/a, correctly rounded.',
    availability: [row('rcp.f64', at('1.4')), ...['.rz', '.rm', '.rp'].map((modifier) => when(modifier, '2.0', 20))],
    operands: [d, a],
    steps: unflushedReciprocal,
  }),
  exact({
    id: 'rcp.approx.ftz.f64',
    section: '9.7.3.14',
    syntax: 'rcp.approx.ftz.f64  d, a',
    summary: 'A rough 1/a: uses 20 fraction bits of a and sets the lower half of d to zero.',
    availability: [row('rcp.approx.ftz.f64', at('2.1', 20))],
    operands: [d, a],
    steps: approximation(grossly('rcp'), upperHalfSteps('rcp64h')),
  }),
  exact({
    id: 'rcp.f32.unrounded',
    section: '9.7.3.13',
    syntax: 'rcp.f32  d, a',
    summary: '1/a, as rcp.approx computes it.',
    availability: [row('rcp.f32 without .approx or a rounding modifier', atBefore('1.4'))],
    operands: [d, a],
    steps: approximately(reciprocal),
  }),
];

/** div and rcp of f32 and f64. */
export const divisionForms = (): readonly InstructionForm[] => [...divisions, ...reciprocals];
