/**
 * Mixed precision on pairs of f16, bf16 and f32 values (PTX ISA 9.4, section 9.7.5). nvJitLink 13.4 accepts the same
 * syntax lines. The results follow the text of the ISA; docs/spec-questions.md lists the questions that the text leaves
 * open.
 */
import { plainConversion } from '../../../numerics/conversion.ts';
import { type FloatArithmeticFormat, type FloatMode, plainMode } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { floatType, has, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { atListed } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { lanewiseOf } from '../comparison/lanewise.ts';
import { bits, compare, constant, select } from '../integer/steps.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { modeOf } from './steps.ts';

const pairs: readonly TypeName[] = ['.f16x2', '.bf16x2'];

const available = (opcode: string): readonly AvailabilityRow[] => [
  row(`${opcode} with .f16x2, .bf16x2 and .f32x2`, atListed('9.4', 'sm_107a', 'sm_107f')),
];

// --- steps ----------------------------------------------------------------------------------------------------------

type Rounding = FloatMode['rounding'];

function convert(
  [from, to]: readonly [FloatArithmeticFormat, FloatArithmeticFormat],
  target: Ref,
  source: Ref,
  rounding: Rounding | null,
): Step {
  const conversion = { ...plainConversion(from, to), rounding };
  return { kind: 'convert', conversion, to: target, from: source, random: null, scale: null };
}

/** Widens a to f32 and combines it with the other operands, which are f32 values. */
function widened(fn: 'add' | 'sub' | 'fma', others: readonly Ref[]): InstructionForm['steps'] {
  return (variant, environment) => {
    const result = slotType(variant, 0);
    const mode = modeOf(variant, environment);
    const operands = others.map((name) => [name, result] as const);
    return lanewiseOf(result, [['$a', slotType(variant, 1)], ...operands], (of) => [
      convert([floatType(variant, 1), 'f32'], of('$a.f32'), of('$a'), null),
      { kind: 'float', fn, format: 'f32', mode, to: of('$d'), from: [of('$a.f32'), ...others.map(of)] },
    ]);
  };
}

/** The exponent bits and the sign bit of an f16 value. */
const [exponent, sign] = [0x7c00, 0x8000];

/** `.ftz`: subnormal f16 results become zeros with the same sign. */
function flushed(to: Ref, from: Ref, of: (name: Ref) => Ref): readonly Step[] {
  return [
    constant('$exponent', exponent),
    constant('$sign', sign),
    constant('$zero', 0),
    bits('and', 16, of('$power'), from, '$exponent'),
    compare('eq', 'u16', of('$small'), of('$power'), '$zero'),
    bits('and', 16, of('$signed'), from, '$sign'),
    select(to, of('$small'), of('$signed'), from),
  ];
}

/**
 * Combines f32 values. The result is rounded toward zero twice, first to f32, which produces the same bits as rounding
 * once.
 */
function narrowed(fn: 'add' | 'sub' | 'mul'): InstructionForm['steps'] {
  return (variant) => {
    const [result, source] = [slotType(variant, 0), slotType(variant, 1)];
    const format = floatType(variant, 0);
    const flush = has(variant, '.ftz');
    const mode: FloatMode = { ...plainMode, rounding: 'rz', flush };
    const operands = [
      ['$a', source],
      ['$c', source],
    ] as const;
    return lanewiseOf(result, operands, (of) => [
      { kind: 'float', fn, format: 'f32', mode, to: of('$wide'), from: [of('$a'), of('$c')] },
      convert(['f32', format], of(flush ? '$rounded' : '$d'), of('$wide'), 'rz'),
      ...(flush ? flushed(of('$d'), of('$rounded'), of) : []),
    ]);
  };
}

/** Multiplies an f16 and a bf16 value. Their product is exact in f64. */
const crossed: InstructionForm['steps'] = (variant) => {
  const operands = [
    ['$a', slotType(variant, 1)],
    ['$c', slotType(variant, 2)],
  ] as const;
  const wide = (of: (name: Ref) => Ref, name: Ref): Ref => of(`${name}.f64`);
  return lanewiseOf(slotType(variant, 0), operands, (of) => [
    convert([floatType(variant, 1), 'f64'], wide(of, '$a'), of('$a'), null),
    convert([floatType(variant, 2), 'f64'], wide(of, '$c'), of('$c'), null),
    {
      kind: 'float',
      fn: 'mul',
      format: 'f64',
      mode: plainMode,
      to: of('$product'),
      from: [wide(of, '$a'), wide(of, '$c')],
    },
    convert(['f64', floatType(variant, 0)], of('$d'), of('$product'), 'rn'),
  ]);
};

// --- forms ----------------------------------------------------------------------------------------------------------

const [d, a] = [write('d', 0), read('a', 1)];
const b = read('b', 2);
const c = (slot: number) => read('c', slot);

const sums: readonly InstructionForm[] = (
  [
    ['add', '9.7.5.1', 'Sums'],
    ['sub', '9.7.5.2', 'Differences'],
  ] as const
).flatMap(([opcode, section, words]) => [
  exact({
    id: `${opcode}.f32x2.pairs`,
    section,
    syntax: `${opcode}{.frnd}.f32x2.atype.ctype  d, a, c`,
    summary: `${words} of two pairs: f16 or bf16 values, which are widened to f32, and f32 values.`,
    sets: { atype: pairs, ctype: ['.f32x2'] },
    availability: available(opcode),
    operands: [d, a, c(2)],
    steps: widened(opcode, ['$c']),
  }),
  ...narrowing(opcode, section, words),
]);

/** The forms with f32 sources and a narrower result. Only the form for f16 has `.ftz`. */
function narrowing(opcode: 'add' | 'sub' | 'mul', section: string, words: string): readonly InstructionForm[] {
  return (
    [
      ['.f16x2', '.ftz'],
      ['.bf16x2', ''],
    ] as const
  ).map(([type, ftz]) =>
    exact({
      id: `${opcode}${type}.f32x2`,
      section,
      syntax: `${opcode}.rz${ftz}${type}.atype.ctype  d, a, c`,
      summary: `${words} of two pairs of f32 values, rounded toward zero to ${type === '.f16x2' ? 'f16' : 'bf16'}.`,
      sets: { atype: ['.f32x2'], ctype: ['.f32x2'] },
      availability: available(opcode),
      operands: [d, a, c(2)],
      steps: narrowed(opcode),
    }),
  );
}

const products: readonly InstructionForm[] = [
  ...narrowing('mul', '9.7.5.4', 'Products'),
  ...(
    [
      ['.bf16x2', '.f16x2'],
      ['.f16x2', '.bf16x2'],
    ] as const
  ).map(([type, other]) =>
    exact({
      id: `mul${type}${other}`,
      section: '9.7.5.4',
      syntax: `mul.dtype.atype.ctype  d, a, c`,
      summary: `Products of a pair of f16 values and a pair of bf16 values, each rounded once.`,
      sets: { dtype: [type], atype: [type], ctype: [other] },
      availability: available('mul'),
      operands: [d, a, c(2)],
      steps: crossed,
    }),
  ),
];

/** add, sub, mul and fma that combine `.f16x2`, `.bf16x2` and `.f32x2`. */
export const mixedPairForms = (): readonly InstructionForm[] => [
  ...sums,
  exact({
    id: 'fma.f32x2.pairs',
    section: '9.7.5.3',
    syntax: 'fma.frnd.f32x2.atype.btype.ctype  d, a, b, c',
    summary: 'a * b + c on pairs, each rounded once, where a is f16 or bf16, and b and c are f32.',
    sets: { atype: pairs, btype: ['.f32x2'], ctype: ['.f32x2'] },
    availability: available('fma'),
    operands: [d, a, b, c(3)],
    steps: widened('fma', ['$b', '$c']),
  }),
  ...products,
];
