/** abs, neg, min and max of f32 and f64: PTX ISA 9.1, sections 9.7.3.9 to 9.7.3.12. */
import { tripleOf } from '../../../base/tuples.ts';
import type { InstructionForm } from '../../form.ts';
import { slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { ftz, when } from './rows.ts';
import { floatSteps, formatOf, modeOf } from './steps.ts';
import { lanewise } from '../comparison/lanewise.ts';

const signChanges: readonly InstructionForm[] = (
  [
    ['abs', '9.7.3.9', 'Absolute value (clears the sign bit).'],
    ['neg', '9.7.3.10', 'Negation (flips the sign bit).'],
  ] as const
).flatMap(([opcode, section, summary]) => [
  exact({
    id: `${opcode}.f32`,
    section,
    syntax: `${opcode}{.ftz}.f32  d, a`,
    summary,
    availability: [always(opcode), ftz],
    operands: [d, a],
    steps: floatSteps(opcode, ['$a']),
  }),
  exact({
    id: `${opcode}.f64`,
    section,
    syntax: `${opcode}.f64  d, a`,
    summary,
    availability: [always(opcode)],
    operands: [d, a],
    steps: floatSteps(opcode, ['$a']),
  }),
]);

/** The minimum or maximum of three values or, with `.abs`, of their magnitudes. */
function ofThree(fn: 'min' | 'max'): InstructionForm['steps'] {
  return (variant, environment) => {
    const format = formatOf(variant);
    const mode = modeOf(variant, environment);
    const abs = variant.modifiers['abs'] !== undefined;
    const operands = ['$a', '$b', '$c'] as const;
    return lanewise(slotType(variant, 0), operands, (of) => {
      const magnitudes = abs ? operands.map((name): Step => magnitude(of(`${name}.abs`), of(name))) : [];
      const [x, y, z] = tripleOf(operands.map((name) => of(abs ? `${name}.abs` : name)));
      return [
        ...magnitudes,
        { kind: 'float', fn, format, mode, to: of('$t'), from: [x, y] },
        { kind: 'float', fn, format, mode, to: of('$d'), from: [of('$t'), z] },
      ];
    });
    function magnitude(to: Ref, from: Ref): Step {
      return { kind: 'float', fn: 'abs', format, mode, to, from: [from] };
    }
  };
}

function extrema(opcode: 'min' | 'max', section: string): readonly InstructionForm[] {
  const word = opcode === 'min' ? 'smaller' : 'larger';
  const superlative = opcode === 'min' ? 'smallest' : 'largest';
  return [
    exact({
      id: `${opcode}.f32`,
      section,
      syntax: `${opcode}{.ftz}{.NaN}{.xorsign}{.abs}.f32  d, a, b`,
      summary: `The ${word} of two f32 values. A NaN operand is ignored unless .NaN is given; .xorsign.abs compares magnitudes.`,
      constraints: [
        { kind: 'needs-modifier', modifier: '.xorsign', oneOf: ['.abs'] },
        { kind: 'needs-modifier', modifier: '.abs', oneOf: ['.xorsign'] },
      ],
      availability: [always(opcode), ftz, when('.NaN', '7.0', 80), when('.xorsign', '7.2', 86)],
      operands: [d, a, b],
      steps: floatSteps(opcode, ['$a', '$b']),
    }),
    exact({
      id: `${opcode}.f32.three`,
      section,
      syntax: `${opcode}{.ftz}{.NaN}{.abs}.f32  d, a, b, c`,
      summary: `The ${superlative} of three f32 values.`,
      availability: [row(`${opcode} of three`, at('8.8', 100))],
      operands: [d, a, b, c],
      steps: ofThree(opcode),
    }),
    exact({
      id: `${opcode}.f64`,
      section,
      syntax: `${opcode}.f64  d, a, b`,
      summary: `The ${word} of two f64 values. A NaN operand is ignored.`,
      availability: [always(opcode)],
      operands: [d, a, b],
      steps: floatSteps(opcode, ['$a', '$b']),
    }),
  ];
}

/** abs, neg, min and max of f32 and f64. */
export const extremaForms = (): readonly InstructionForm[] => [
  ...signChanges,
  ...extrema('min', '9.7.3.11'),
  ...extrema('max', '9.7.3.12'),
];
