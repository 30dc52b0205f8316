/** Arithmetic on f16, bf16 and their packed pairs (PTX ISA 9.1, section 9.7.4). */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { has, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { outsideNan } from '../../tensor-map-fields.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { when } from './rows.ts';
import { clampBelow, floatSteps, formatOf, modeOf, reluSteps } from './steps.ts';
import { bits, compare, constant, select } from '../integer/steps.ts';
import { lanewise } from '../comparison/lanewise.ts';

const halves: readonly TypeName[] = ['.f16', '.f16x2'];
const brains: readonly TypeName[] = ['.bf16', '.bf16x2'];

const half = (subject: string): AvailabilityRow => row(`${subject} with .f16`, at('4.2', 53));
const ampere = (subject: string): AvailabilityRow => row(subject, at('7.0', 80));
const hopper = (subject: string): AvailabilityRow => row(subject, at('7.8', 90));

// --- add, sub, mul --------------------------------------------------------------------------------------------------

const verbs = { add: 'Sum', sub: 'Difference', mul: 'Product' } as const;

function binary(opcode: 'add' | 'sub' | 'mul', section: string): readonly InstructionForm[] {
  const steps = floatSteps(opcode, ['$a', '$b']);
  return [
    exact({
      id: `${opcode}.f16`,
      section,
      syntax: `${opcode}{.rn}{.ftz}{.sat}.type  d, a, b`,
      summary: `${verbs[opcode]} of f16 values or of pairs of f16 values.`,
      sets: { type: halves },
      availability: [half(opcode)],
      operands: [d, a, b],
      steps,
    }),
    exact({
      id: `${opcode}.bf16`,
      section,
      syntax: `${opcode}{.rn}.type  d, a, b`,
      summary: `${verbs[opcode]} of bf16 values or of pairs of bf16 values.`,
      sets: { type: brains },
      availability: [hopper(`${opcode} with .bf16`)],
      operands: [d, a, b],
      steps,
    }),
  ];
}

// --- fma ------------------------------------------------------------------------------------------------------------

const fused = floatSteps('fma', ['$a', '$b', '$c']);
const fusedRelu = reluSteps('fma', ['$a', '$b', '$c']);
const operands4 = [d, a, b, c];

/** `.oob`: the result is +0 if a or b is the NaN, of either sign, that marks an element outside the tensor. */
const guarded: InstructionForm['steps'] = (variant, environment) => {
  const format = formatOf(variant);
  const mode = modeOf(variant, environment);
  const isOutside = (to: Ref, from: Ref): readonly Step[] => [
    bits('and', 16, `${to}.magnitude`, from, '$magnitudes'),
    compare('eq', 'u16', to, `${to}.magnitude`, '$outside'),
  ];
  return lanewise(slotType(variant, 0), ['$a', '$b', '$c'], (of) => [
    { kind: 'float', fn: 'fma', format, mode, to: of('$sum'), from: (['$a', '$b', '$c'] as const).map(of) },
    constant('$zero', 0),
    ...(has(variant, '.relu') ? clampBelow(format, of('$made'), of('$sum')) : []),
    constant('$outside', outsideNan),
    constant('$magnitudes', 0x7fff),
    ...isOutside(of('$first'), of('$a')),
    ...isOutside(of('$second'), of('$b')),
    bits('or', 1, of('$any'), of('$first'), of('$second')),
    select(of('$d'), of('$any'), '$zero', of(has(variant, '.relu') ? '$made' : '$sum')),
  ]);
};

const fusedMultiplyAdds: readonly InstructionForm[] = [
  exact({
    id: 'fma.f16',
    section: '9.7.4.4',
    syntax: 'fma.rn{.ftz}{.sat}.type  d, a, b, c',
    summary: 'a * b + c on f16 values, rounded once.',
    sets: { type: halves },
    availability: [half('fma')],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'fma.f16.relu',
    section: '9.7.4.4',
    syntax: 'fma.rn{.ftz}.relu.type  d, a, b, c',
    summary: 'a * b + c on f16 values, rounded once; negative results become 0.',
    sets: { type: halves },
    availability: [ampere('fma.relu')],
    operands: operands4,
    steps: fusedRelu,
  }),
  exact({
    id: 'fma.bf16',
    section: '9.7.4.4',
    syntax: 'fma.frnd.type  d, a, b, c',
    summary: 'a * b + c on bf16 values, rounded once.',
    sets: { type: brains },
    availability: [ampere('fma with .bf16')],
    operands: operands4,
    steps: fused,
  }),
  exact({
    id: 'fma.bf16.relu',
    section: '9.7.4.4',
    syntax: 'fma.frnd.relu.type  d, a, b, c',
    summary: 'a * b + c on bf16 values, rounded once; negative results become 0.',
    sets: { type: brains },
    availability: [ampere('fma.relu')],
    operands: operands4,
    steps: fusedRelu,
  }),
  exact({
    id: 'fma.f16.oob',
    section: '9.7.4.4',
    syntax: 'fma.rn.oob{.clamped}.type  d, a, b, c',
    summary: 'a * b + c on f16 values; 0 if an operand is an out-of-bounds NaN.',
    sets: { type: halves, clamped: ['.relu', '.sat'] },
    availability: [row('.oob', at('8.1', 90))],
    operands: operands4,
    steps: guarded,
  }),
  exact({
    id: 'fma.bf16.oob',
    section: '9.7.4.4',
    syntax: 'fma.frnd.oob{.relu}.type  d, a, b, c',
    summary: 'a * b + c on bf16 values; 0 if an operand is an out-of-bounds NaN.',
    sets: { type: brains },
    availability: [row('.oob', at('8.1', 90))],
    operands: operands4,
    steps: guarded,
  }),
];

// --- neg, abs, min, max ---------------------------------------------------------------------------------------------

const signChanges: readonly InstructionForm[] = (
  [
    ['neg', '9.7.4.5', '5.1', 'Negation (flips the sign bit)'],
    ['abs', '9.7.4.6', '6.5', 'Absolute value (clears the sign bit)'],
  ] as const
).flatMap(([opcode, section, since, summary]) => [
  exact({
    id: `${opcode}.f16`,
    section,
    syntax: `${opcode}{.ftz}.type  d, a`,
    summary: `${summary} of f16 values or of pairs of f16 values.`,
    sets: { type: halves },
    availability: [row(`${opcode} with .f16`, at(since, 53))],
    operands: [d, a],
    steps: floatSteps(opcode, ['$a']),
  }),
  exact({
    id: `${opcode}.bf16`,
    section,
    syntax: `${opcode}.type  d, a`,
    summary: `${summary} of bf16 values or of pairs of bf16 values.`,
    sets: { type: brains },
    availability: [ampere(`${opcode} with .bf16`)],
    operands: [d, a],
    steps: floatSteps(opcode, ['$a']),
  }),
]);

function extrema(opcode: 'min' | 'max', section: string): readonly InstructionForm[] {
  const word = opcode === 'min' ? 'smaller' : 'larger';
  const shared = {
    section,
    constraints: [
      { kind: 'needs-modifier', modifier: '.xorsign', oneOf: ['.abs'] },
      { kind: 'needs-modifier', modifier: '.abs', oneOf: ['.xorsign'] },
    ],
    operands: [d, a, b],
    steps: floatSteps(opcode, ['$a', '$b']),
  } as const;
  return [
    exact({
      ...shared,
      id: `${opcode}.f16`,
      syntax: `${opcode}{.ftz}{.NaN}{.xorsign}{.abs}.type  d, a, b`,
      summary: `The ${word} of f16 values. A NaN operand is ignored unless .NaN is given; .xorsign.abs compares magnitudes.`,
      sets: { type: halves },
      availability: [ampere(`${opcode} with .f16`), when('.xorsign', '7.2', 86)],
    }),
    exact({
      ...shared,
      id: `${opcode}.bf16`,
      syntax: `${opcode}{.NaN}{.xorsign}{.abs}.type  d, a, b`,
      summary: `The ${word} of bf16 values. A NaN operand is ignored unless .NaN is given; .xorsign.abs compares magnitudes.`,
      sets: { type: brains },
      availability: [ampere(`${opcode} with .bf16`), when('.xorsign', '7.2', 86)],
    }),
  ];
}

/** add, sub, mul, fma, neg, abs, min and max of f16 and bf16. */
export const halfForms = (): readonly InstructionForm[] => [
  ...binary('add', '9.7.4.1'),
  ...binary('sub', '9.7.4.2'),
  ...binary('mul', '9.7.4.3'),
  ...fusedMultiplyAdds,
  ...signChanges,
  ...extrema('min', '9.7.4.7'),
  ...extrema('max', '9.7.4.8'),
];
