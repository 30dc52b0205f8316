/**
 * Roots and elementary functions: sqrt, rsqrt, sin, cos, lg2, ex2 and tanh (PTX ISA 9.1, sections 9.7.3.15 to 9.7.3.22,
 * 9.7.4.9 and 9.7.4.10).
 */
import type { FloatFunction } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { at, atBefore } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { approximately, grossly } from './division.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, d } from '../first-type-operands.ts';
import {
  approximation,
  direct,
  halfSteps,
  logarithmSteps,
  powerSteps,
  reciprocalRootSteps,
  squareRootSteps,
  upperHalfSteps,
} from './mufu-steps.ts';
import { when } from './rows.ts';
import { floatSteps } from './steps.ts';

const operands = [d, a];
const root = floatSteps('sqrt', ['$a']);
const reciprocalRoot = floatSteps('rsqrt', ['$a']);

/** Before version 1.4, the modifier could be omitted because it was implied. */
const implied = (subject: string): AvailabilityRow =>
  row(`${subject} without .approx or a rounding modifier`, atBefore('1.4'));

const roots: readonly InstructionForm[] = [
  exact({
    id: 'sqrt.f32',
    section: '9.7.3.15',
    syntax: 'sqrt.frnd{.ftz}.f32  d, a',
    summary: 'Square root of an f32 value, correctly rounded.',
    availability: [row('sqrt.f32 with a rounding', at('2.0', 20))],
    operands,
    steps: root,
  }),
  exact({
    id: 'sqrt.approx.f32',
    section: '9.7.3.15',
    syntax: 'sqrt.approx{.ftz}.f32  d, a',
    summary: 'Approximate square root of an f32 value.',
    availability: [row('sqrt.approx', at('1.4'))],
    operands,
    steps: approximation(root, squareRootSteps),
  }),
  exact({
    id: 'sqrt.f64',
    section: '9.7.3.15',
    syntax: 'sqrt.frnd.f64  d, a',
    summary: 'Square root of an f64 value, correctly rounded.',
    availability: [always('sqrt'), ...['.rz', '.rm', '.rp'].map((modifier) => when(modifier, '2.0', 20))],
    operands,
    steps: root,
  }),
  exact({
    id: 'sqrt.f32.unrounded',
    section: '9.7.3.15',
    syntax: 'sqrt.f32  d, a',
    summary: 'Square root of an f32 value, computed like sqrt.approx.',
    availability: [implied('sqrt')],
    operands,
    steps: approximately(root),
  }),
  exact({
    id: 'sqrt.f64.unrounded',
    section: '9.7.3.15',
    syntax: 'sqrt.f64  d, a',
    summary: 'Square root of an f64 value, rounded to nearest.',
    availability: [implied('sqrt')],
    operands,
    steps: root,
  }),
  exact({
    id: 'rsqrt.approx.f32',
    section: '9.7.3.16',
    syntax: 'rsqrt.approx{.ftz}.f32  d, a',
    summary: 'Approximate 1 / sqrt(a), where a is an f32 value.',
    availability: [row('rsqrt.approx', at('1.4'))],
    operands,
    steps: approximation(reciprocalRoot, reciprocalRootSteps),
  }),
  exact({
    id: 'rsqrt.approx.f64',
    section: '9.7.3.16',
    syntax: 'rsqrt.approx.f64  d, a',
    summary: 'Approximate 1 / sqrt(a), where a is an f64 value.',
    availability: [row('rsqrt.approx', at('1.4'))],
    operands,
    steps: reciprocalRoot,
  }),
  exact({
    id: 'rsqrt.approx.ftz.f64',
    section: '9.7.3.17',
    syntax: 'rsqrt.approx.ftz.f64  d, a',
    summary: 'A rough 1 / sqrt(a): uses the upper half of a and sets the lower half of d to zero.',
    availability: [row('rsqrt.approx.ftz.f64', at('4.0', 20))],
    operands,
    steps: approximation(grossly('rsqrt'), upperHalfSteps('rsqrt64h')),
  }),
  exact({
    id: 'rsqrt.unrounded',
    section: '9.7.3.16',
    syntax: 'rsqrt.type  d, a',
    summary: '1 / sqrt(a), computed like rsqrt.approx.',
    sets: { type: ['.f32', '.f64'] },
    availability: [implied('rsqrt')],
    operands,
    steps: approximately(reciprocalRoot),
  }),
];

// --- sin, cos, lg2, ex2, tanh ---------------------------------------------------------------------------------------

/** The steps of f32 functions on GPUs whose results have been recorded. */
const recorded = { sin: direct('sin'), cos: direct('cos'), lg2: logarithmSteps, ex2: powerSteps } as const;

function singles(
  opcode: FloatFunction & ('sin' | 'cos' | 'lg2' | 'ex2'),
  section: string,
  what: string,
): readonly InstructionForm[] {
  const steps = floatSteps(opcode, ['$a']);
  return [
    exact({
      id: `${opcode}.approx.f32`,
      section,
      syntax: `${opcode}.approx{.ftz}.f32  d, a`,
      summary: `${what} of an f32 value, approximately.`,
      availability: [row(`${opcode}.approx`, at('1.4'))],
      operands,
      steps: approximation(steps, recorded[opcode]),
    }),
    exact({
      id: `${opcode}.f32.unrounded`,
      section,
      syntax: `${opcode}.f32  d, a`,
      summary: `${what} of an f32 value, computed like ${opcode}.approx.`,
      availability: [implied(opcode)],
      operands,
      steps: approximately(steps),
    }),
  ];
}

const halves: readonly TypeName[] = ['.f16', '.f16x2'];
const brains: readonly TypeName[] = ['.bf16', '.bf16x2'];
const tangent = floatSteps('tanh', ['$a']);
const power = floatSteps('ex2', ['$a']);

const tangents: readonly InstructionForm[] = [
  exact({
    id: 'tanh.approx.f32',
    section: '9.7.3.22',
    syntax: 'tanh.approx.f32  d, a',
    summary: 'Approximate hyperbolic tangent of an f32 value.',
    availability: [row('tanh', at('7.0', 75))],
    operands,
    steps: approximation(tangent, direct('tanh')),
  }),
  exact({
    id: 'tanh.approx.f16',
    section: '9.7.4.9',
    syntax: 'tanh.approx.type  d, a',
    summary: 'Approximate hyperbolic tangent of f16 values.',
    sets: { type: halves },
    availability: [row('tanh', at('7.0', 75))],
    operands,
    steps: approximation(tangent, halfSteps('tanh')),
  }),
  exact({
    id: 'tanh.approx.bf16',
    section: '9.7.4.9',
    syntax: 'tanh.approx.type  d, a',
    summary: 'Approximate hyperbolic tangent of bf16 values.',
    sets: { type: brains },
    availability: [row('tanh with .bf16', at('7.8', 90))],
    operands,
    steps: approximation(tangent, halfSteps('tanh')),
  }),
];

const halfPowers: readonly InstructionForm[] = [
  exact({
    id: 'ex2.approx.f16',
    section: '9.7.4.10',
    syntax: 'ex2.approx.type  d, a',
    summary: 'Approximate powers of 2; the exponents are f16 values.',
    sets: { type: halves },
    availability: [row('ex2 with .f16', at('7.0', 75))],
    operands,
    steps: approximation(power, halfSteps('ex2')),
  }),
  exact({
    id: 'ex2.approx.bf16',
    section: '9.7.4.10',
    syntax: 'ex2.approx.ftz.type  d, a',
    summary: 'Approximate powers of 2; the exponents are bf16 values.',
    sets: { type: brains },
    availability: [row('ex2 with .bf16', at('7.8', 90))],
    operands,
    steps: approximation(power, halfSteps('ex2')),
  }),
];

/** sqrt, rsqrt, sin, cos, lg2, ex2 and tanh. */
export const floatFunctionForms = (): readonly InstructionForm[] => [
  ...roots,
  ...singles('sin', '9.7.3.18', 'Sine'),
  ...singles('cos', '9.7.3.19', 'Cosine'),
  ...singles('lg2', '9.7.3.20', 'Logarithm to base 2'),
  ...singles('ex2', '9.7.3.21', '2 to the power'),
  ...halfPowers,
  ...tangents,
];
