/** add, sub, mul, fma and mad of f32, f64 and packed f32: PTX ISA 9.1, section 9.7.3. */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { at, atBefore, atBetween } from '../../targets.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { directed, ftz } from './rows.ts';
import { floatSteps } from './steps.ts';
import { legacyMadSteps } from '../integer/legacy-mad.ts';

const blackwell = (subject: string): AvailabilityRow => row(subject, at('8.6', 100));

// --- add, sub, mul --------------------------------------------------------------------------------------------------

const verbs = { add: 'Sum', sub: 'Difference', mul: 'Product' } as const;

function binary(opcode: 'add' | 'sub' | 'mul', section: string): readonly InstructionForm[] {
  const verb = verbs[opcode];
  const steps = floatSteps(opcode, ['$a', '$b']);
  const operands = [d, a, b];
  const forms: Parameters<typeof exact>[0][] = [
    {
      id: `${opcode}.f32`,
      section,
      syntax: `${opcode}{.frnd}{.ftz}{.sat}.f32  d, a, b`,
      summary: `${verb} of two f32 values.`,
      availability: [always(opcode), ftz, ...directed('2.0', 20)],
      operands,
      steps,
    },
    {
      id: `${opcode}.f64`,
      section,
      syntax: `${opcode}{.frnd}.f64  d, a, b`,
      summary: `${verb} of two f64 values.`,
      availability: [always(opcode), ...directed('1.2', 13)],
      operands,
      steps,
    },
    {
      id: `${opcode}.f32x2`,
      section,
      syntax: `${opcode}{.frnd}{.ftz}.f32x2  d, a, b`,
      summary: `${verb}s of two pairs of f32 values.`,
      availability: [blackwell(`${opcode} with .f32x2`)],
      operands,
      steps,
    },
  ];
  return forms.map(exact);
}

// --- fma, mad -------------------------------------------------------------------------------------------------------

const fused = floatSteps('fma', ['$a', '$b', '$c']);
const operands4 = [d, a, b, c];

const fusedMultiplyAdds: readonly InstructionForm[] = [
  exact({
    id: 'fma.f32',
    section: '9.7.3.6',
    syntax: 'fma.frnd{.ftz}{.sat}.f32  d, a, b, c',
    summary: 'a * b + c, rounded once.',
    availability: [row('fma with .f32', at('2.0', 20))],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'fma.f64',
    section: '9.7.3.6',
    syntax: 'fma.frnd.f64  d, a, b, c',
    summary: 'a * b + c, rounded once.',
    availability: [row('fma with .f64', at('1.4')), ...directed('1.4', 13)],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'fma.f32x2',
    section: '9.7.3.6',
    syntax: 'fma.frnd{.ftz}.f32x2  d, a, b, c',
    summary: 'a * b + c on two packed values, each rounded once.',
    availability: [blackwell('fma with .f32x2')],
    operands: operands4,
    steps: fused,
  }),
];

const legacyMad: InstructionForm['steps'] = (variant, environment) =>
  environment.target.sm < 20 ? legacyMadSteps(variant, environment) : fused(variant, environment);

const multiplyAdds: readonly InstructionForm[] = [
  exact({
    id: 'mad.f32',
    section: '9.7.3.7',
    syntax: 'mad.frnd{.ftz}{.sat}.f32  d, a, b, c',
    summary: 'a * b + c, rounded once; an older name for fma.',
    availability: [row('mad with .f32 and a rounding modifier', at('2.0', 20))],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'mad.f32.unrounded',
    section: '9.7.3.7',
    syntax: 'mad{.ftz}{.sat}.f32  d, a, b, c',
    summary:
      'a * b + c. On sm_1x, it is computed in a way that is specific to that hardware; on later targets, it is the same as mad.rn.',
    availability: [row('mad.f32 without a rounding', atBetween(10, 20), atBetween(20, 32, '3.2')), ftz],
    operands: operands4,
    steps: legacyMad,
  }),
  exact({
    id: 'mad.f64',
    section: '9.7.3.7',
    syntax: 'mad.frnd.f64  d, a, b, c',
    summary: 'a * b + c, rounded once; an older name for fma.',
    availability: [always('mad'), ...directed('1.2', 13)],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'mad.f64.unrounded',
    section: '9.7.3.7',
    syntax: 'mad.f64  d, a, b, c',
    summary: 'a * b + c, rounded once to nearest.',
    availability: [row('mad.f64 without a rounding', atBefore('1.4'))],
    operands: operands4,
    steps: fused,
  }),
];

/** add, sub, mul, fma and mad of f32, f64 and packed f32. */
export const floatForms = (): readonly InstructionForm[] => [
  ...binary('add', '9.7.3.3'),
  ...binary('sub', '9.7.3.4'),
  ...binary('mul', '9.7.3.5'),
  ...fusedMultiplyAdds,
  ...multiplyAdds,
];
