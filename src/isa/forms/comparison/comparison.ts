/** setp and selp (PTX ISA 9.1, sections 9.7.6.2, 9.7.6.3 and, for f16 and bf16, 9.7.7.2). */
import { type IntegerName, integerName, isIntegerName } from '../../../numerics/formats.ts';
import { type FloatArithmeticFormat, isFloatArithmeticFormat, comparisons } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has, slotType, choice } from '../../variant.ts';
import type { Environment } from '../../environment.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { PtxType, TypeName } from '../../types.ts';
import { always, row } from '../availability-rows.ts';
import { a, b, d } from '../first-type-operands.ts';
import { ftz } from '../float/rows.ts';
import { flushesByTarget } from '../float/steps.ts';

const p = write('p', '.pred', { sink: true });
const q = write('q', '.pred', { sink: true });
const pair: OperandPattern = { kind: 'pair', name: 'p|q', first: p, second: q };
const c = read('c', '.pred', { negatable: true });

/** The predicate that a comparison is combined with. For bf16, ptxas does not accept a constant as this operand. */
export const combinedWith = (isBrain: boolean): OperandPattern => ({ ...c, registerOnly: isBrain });

// --- steps ----------------------------------------------------------------------------------------------------------

/**
 * Returns the type that is used for comparing lanes of the given type. Lanes of bit-size types are compared as unsigned
 * integers.
 */
function comparedAs({ name, format, width }: PtxType): IntegerName | FloatArithmeticFormat {
  if (format === null) return integerName(false, width);
  if (isIntegerName(format)) return format;
  if (isFloatArithmeticFormat(format)) return format;
  throw new Error(`${name} cannot be compared`);
}

/** The step that performs the instruction's comparison on a single lane of the given type. */
export function compareLanes(
  variant: Variant,
  environment: Environment,
  of: PtxType,
  to: Ref,
  from: readonly [Ref, Ref],
): Step {
  const type = comparedAs(of);
  const flush = has(variant, '.ftz') || (type === 'f32' && flushesByTarget(type, environment));
  const comparison = choice(variant, 'comparison', comparisons);
  return { kind: 'compare', comparison, type, flush, to, from };
}

function compare(variant: Variant, environment: Environment, to: Ref, from: readonly [Ref, Ref]): Step {
  return compareLanes(variant, environment, slotType(variant, 0), to, from);
}

/**
 * Returns a step that stores the outcome of a comparison in a result. If the variant has a Boolean operator, the step
 * combines the outcome with c first.
 */
export function combine(variant: Variant, to: Ref, truth: Ref): Step {
  if (variant.modifiers['boolOp'] === undefined) return { kind: 'copy', to, from: truth };
  const fn = choice(variant, 'boolOp', ['and', 'or', 'xor']);
  return { kind: 'bits', fn, width: 1, to, from: [truth, '$c'] };
}

/** Stores the result of the comparison in p and its negation in q. */
const setScalar: InstructionForm['steps'] = (variant, environment) => [
  compare(variant, environment, '$holds', ['$a', '$b']),
  { kind: 'bits', fn: 'not', width: 1, to: '$fails', from: ['$holds'] },
  combine(variant, '$p', '$holds'),
  combine(variant, '$q', '$fails'),
];

/** Stores the result for the lower lanes in p and the result for the upper lanes in q. */
const setPacked: InstructionForm['steps'] = (variant, environment) => {
  const { laneStride } = slotType(variant, 0);
  const layout = { lane: laneStride, stride: laneStride };
  return [
    { kind: 'unpack', to: ['$a.1', '$a.0'], from: '$a', ...layout },
    { kind: 'unpack', to: ['$b.1', '$b.0'], from: '$b', ...layout },
    compare(variant, environment, '$lower', ['$a.0', '$b.0']),
    compare(variant, environment, '$upper', ['$a.1', '$b.1']),
    combine(variant, '$p', '$lower'),
    combine(variant, '$q', '$upper'),
  ];
};

// --- setp -----------------------------------------------------------------------------------------------------------

interface Group {
  readonly id: string;
  readonly section: string;
  readonly comparisons: string;
  readonly types: readonly TypeName[];
  readonly ftz: boolean;
  readonly result: OperandPattern;
  readonly steps: InstructionForm['steps'];
  readonly availability: readonly AvailabilityRow[];
  readonly summary: string;
}

const anyVersion: AvailabilityRow = always('setp');
const half: AvailabilityRow = row('setp with .f16', at('4.2', 53));
const brain: AvailabilityRow = row('setp with .bf16', at('7.8', 90));

const whole = { section: '9.7.6.2', ftz: false, result: pair, steps: setScalar, availability: [anyVersion] } as const;
const ofHalf = { section: '9.7.7.2', comparisons: 'fcmp', ftz: false } as const;

const groups: readonly Group[] = [
  { ...whole, id: 'bits', comparisons: 'equality', types: ['.b16', '.b32', '.b64'], summary: 'Compares bits' },
  {
    ...whole,
    id: 'unsigned',
    comparisons: 'ucmp',
    types: ['.u16', '.u32', '.u64'],
    summary: 'Compares unsigned integers',
  },
  { ...whole, id: 'signed', comparisons: 'cmp', types: ['.s16', '.s32', '.s64'], summary: 'Compares signed integers' },
  {
    ...whole,
    id: 'f32',
    comparisons: 'fcmp',
    types: ['.f32'],
    ftz: true,
    availability: [anyVersion, ftz],
    summary: 'Compares two f32 values',
  },
  { ...whole, id: 'f64', comparisons: 'fcmp', types: ['.f64'], summary: 'Compares two f64 values' },
  {
    ...ofHalf,
    id: 'f16',
    types: ['.f16'],
    ftz: true,
    result: p,
    steps: setScalar,
    availability: [half],
    summary: 'Compares two f16 values',
  },
  {
    ...ofHalf,
    id: 'f16x2',
    types: ['.f16x2'],
    ftz: true,
    result: pair,
    steps: setPacked,
    availability: [half],
    summary: 'Compares pairs of f16 values, giving p for the lower and q for the upper lanes',
  },
  {
    ...ofHalf,
    id: 'bf16',
    types: ['.bf16'],
    result: p,
    steps: setScalar,
    availability: [brain],
    summary: 'Compares two bf16 values',
  },
  {
    ...ofHalf,
    id: 'bf16x2',
    types: ['.bf16x2'],
    result: pair,
    steps: setPacked,
    availability: [brain],
    summary: 'Compares pairs of bf16 values, giving p for the lower and q for the upper lanes',
  },
];

function setpForms(group: Group): readonly InstructionForm[] {
  const result = group.result.kind === 'pair' ? 'p|q' : 'p';
  const modifiers = group.ftz ? '{.ftz}' : '';
  const shared = {
    section: group.section,
    sets: { type: group.types },
    regime: 'exact',
    availability: group.availability,
    steps: group.steps,
  } as const;
  return [
    {
      ...shared,
      id: `setp.${group.id}`,
      syntax: `setp.${group.comparisons}${modifiers}.type  ${result}, a, b`,
      summary: `${group.summary}.`,
      operands: [group.result, a, b],
    },
    {
      ...shared,
      id: `setp.${group.id}.bool`,
      syntax: `setp.${group.comparisons}.boolOp${modifiers}.type  ${result}, a, b, c`,
      summary: `${group.summary}, and combines each result with c.`,
      operands: [group.result, a, b, combinedWith(group.availability.includes(brain))],
    },
  ];
}

// --- selp -----------------------------------------------------------------------------------------------------------

/** The types of values that selp and slct can select. */
export const selected: readonly TypeName[] = [
  '.b16',
  '.b32',
  '.b64',
  '.u16',
  '.u32',
  '.u64',
  '.s16',
  '.s32',
  '.s64',
  '.f32',
  '.f64',
];

/** All forms of setp and selp. */
export const comparisonForms = (): readonly InstructionForm[] => [
  ...groups.flatMap(setpForms),
  {
    id: 'selp',
    section: '9.7.6.3',
    syntax: 'selp.type  d, a, b, c',
    summary: 'a if the predicate c is true, else b.',
    sets: { type: selected },
    regime: 'exact',
    availability: [always('selp')],
    operands: [d, a, b, c],
    steps: (): readonly Step[] => [{ kind: 'select', to: '$d', condition: '$c', from: ['$a', '$b'] }],
  },
];
