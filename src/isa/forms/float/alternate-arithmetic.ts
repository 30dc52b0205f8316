/**
 * Arithmetic on four packed 8-bit, 6-bit or 4-bit values, with 8-bit results (PTX ISA 9.4, section 9.7.6). The exact
 * result is rounded once. nvJitLink 13.4 accepts the same syntax lines. The results follow the text of the ISA.
 */
import { plainConversion } from '../../../numerics/conversion.ts';
import { plainMode } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { atListed } from '../../targets.ts';
import type { PtxType, TypeName } from '../../types.ts';
import { lanewiseOf, type TypedSource } from '../comparison/lanewise.ts';
import { bits, constant } from '../integer/steps.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { sumToOdd } from './round-to-odd.ts';

const results: readonly TypeName[] = ['.e5m2x4', '.e4m3x4'];
const sources: readonly TypeName[] = [...results, '.e3m2x4', '.e2m3x4', '.e2m1x4', '.e2m1p4x4', '.ue8m0x4'];

const available = (opcode: string): readonly AvailabilityRow[] => [
  row(`${opcode} with packed 8-bit, 6-bit or 4-bit values`, atListed('9.4', 'sm_100a', 'sm_103a')),
];

// --- steps ----------------------------------------------------------------------------------------------------------

function widen({ format, name }: PtxType, to: Ref, from: Ref): Step {
  if (format === null) throw new Error(`${name} has no number format`);
  const conversion = { ...plainConversion(format, 'f32'), rounding: null };
  return { kind: 'convert', conversion, to, from, random: null, scale: null };
}

/** Rounds an f32 value to the result's format. */
function narrow(variant: Variant, to: Ref, from: Ref): Step {
  const { format } = slotType(variant, 0);
  if (format === null) throw new Error(`${variant.mnemonic} has no result with a number format`);
  const conversion = { ...plainConversion('f32', format), satfinite: has(variant, '.satfinite') };
  return { kind: 'convert', conversion, to, from, random: null, scale: null };
}

/**
 * The product of two values is exact in f32, or so small or large that its exact value makes no difference. The product
 * is rounded toward zero, because a large product must not become an infinity: c might cancel it.
 */
const product = (to: Ref, a: Ref, b: Ref): Step => ({
  kind: 'float',
  fn: 'mul',
  format: 'f32',
  mode: { ...plainMode, rounding: 'rz' },
  to,
  from: [a, b],
});

/** Applies `compute` to the f32 values of each lane and rounds the result. */
function lanes(
  variant: Variant,
  operands: readonly TypedSource[],
  compute: (to: Ref, values: readonly Ref[], of: (name: Ref) => Ref) => readonly Step[],
): readonly Step[] {
  return lanewiseOf(slotType(variant, 0), operands, (of) => {
    const wide = (name: Ref): Ref => of(`${name}.wide`);
    return [
      ...operands.map(([name, type]) => widen(type, wide(name), of(name))),
      ...compute(
        of('$exact'),
        operands.map(([name]) => wide(name)),
        of,
      ),
      narrow(variant, of('$d'), of('$exact')),
    ];
  });
}

/** The sign bit of an f32 value, which a subtraction flips. */
const signBit = 0x8000_0000;

function addSteps(subtracts: boolean): InstructionForm['steps'] {
  return (variant) =>
    lanes(
      variant,
      [
        ['$a', slotType(variant, 1)],
        ['$c', slotType(variant, 0)],
      ],
      (to, [a = '$a', c = '$c'], of) =>
        subtracts
          ? [
              constant('$sign', signBit),
              bits('xor', 32, of('$negated'), c, '$sign'),
              ...sumToOdd(to, a, of('$negated'), of),
            ]
          : sumToOdd(to, a, c, of),
    );
}

const mulSteps: InstructionForm['steps'] = (variant) =>
  lanes(
    variant,
    [
      ['$a', slotType(variant, 1)],
      ['$c', slotType(variant, 2)],
    ],
    (to, [a = '$a', c = '$c']) => [product(to, a, c)],
  );

const fmaSteps: InstructionForm['steps'] = (variant) =>
  lanes(
    variant,
    [
      ['$a', slotType(variant, 1)],
      ['$b', slotType(variant, 2)],
      ['$c', slotType(variant, 0)],
    ],
    (to, [a = '$a', b = '$b', c = '$c'], of) => [product(of('$product'), a, b), ...sumToOdd(to, of('$product'), c, of)],
  );

// --- forms ----------------------------------------------------------------------------------------------------------

const [d, a, c] = [write('d', 0), read('a', 1), read('c', 0)];

/** add, sub, mul and fma of four packed 8-bit, 6-bit or 4-bit values. */
export const alternateForms = (): readonly InstructionForm[] => [
  exact({
    id: 'add.x4',
    section: '9.7.6.1',
    syntax: 'add{.rn}{.satfinite}.cdtype.atype  d, a, c',
    summary: 'Sums of four packed 8-bit, 6-bit or 4-bit values, each rounded once to an 8-bit value.',
    sets: { cdtype: results, atype: sources },
    availability: available('add'),
    operands: [d, a, c],
    steps: addSteps(false),
  }),
  exact({
    id: 'sub.x4',
    section: '9.7.6.2',
    syntax: 'sub{.rn}{.satfinite}.cdtype.atype  d, a, c',
    summary: 'Differences of four packed 8-bit, 6-bit or 4-bit values, each rounded once to an 8-bit value.',
    sets: { cdtype: results, atype: sources },
    availability: available('sub'),
    operands: [d, a, c],
    steps: addSteps(true),
  }),
  exact({
    id: 'mul.x4',
    section: '9.7.6.3',
    syntax: 'mul{.rn}{.satfinite}.dtype.atype.ctype  d, a, c',
    summary: 'Products of four packed 8-bit, 6-bit or 4-bit values, each rounded once to an 8-bit value.',
    sets: { dtype: results, atype: sources, ctype: sources },
    availability: available('mul'),
    operands: [d, a, read('c', 2)],
    steps: mulSteps,
  }),
  exact({
    id: 'fma.x4',
    section: '9.7.6.4',
    syntax: 'fma{.rn}{.satfinite}.cdtype.atype.btype  d, a, b, c',
    summary: 'a * b + c on four packed 8-bit, 6-bit or 4-bit values, each rounded once to an 8-bit value.',
    sets: { cdtype: results, atype: sources, btype: sources },
    availability: available('fma'),
    operands: [d, a, read('b', 2), c],
    steps: fmaSteps,
  }),
];
