/** set and slct (PTX ISA 9.1, sections 9.7.6.1, 9.7.6.4 and, for f16 and bf16, 9.7.7.1). */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at, atListed } from '../../targets.ts';
import type { PtxType, TypeName } from '../../types.ts';
import { always, row } from '../availability-rows.ts';
import { a, b, d } from '../first-type-operands.ts';
import { ftz } from '../float/rows.ts';
import { combinedWith, combine, compareLanes, selected } from './comparison.ts';
import { flushesByTarget } from '../float/steps.ts';
import { constant, select } from '../integer/steps.ts';
import { lanewise } from './lanewise.ts';

// --- set ------------------------------------------------------------------------------------------------------------

/** The bits of 1.0 in each format that the result of set can have. */
const ones: Readonly<Record<string, number>> = { f16: 0x3c00, bf16: 0x3f80, f32: 0x3f800000 };

/** The value that represents true in the result: 1.0, or all bits set. */
function trueOf(result: PtxType): number {
  return ones[result.format ?? ''] ?? -1;
}

/**
 * If the sources are packed, the result has lanes of the same width. For example, the u32 result for f16x2 operands
 * holds two 16-bit masks.
 */
const steps: InstructionForm['steps'] = (variant, environment) => {
  const result = slotType(variant, 0);
  const source = slotType(variant, 1);
  const width = source.lanes > 1 ? source.laneStride : result.width;
  const values = [constant('$yes', trueOf(result), width), constant('$no', 0, width)];
  const scalar = (of: (name: Ref) => Ref): readonly Step[] => [
    compareLanes(variant, environment, source, of('$holds'), [of('$a'), of('$b')]),
    combine(variant, of('$truth'), of('$holds')),
    select(of('$d'), of('$truth'), '$yes', '$no'),
  ];
  return [...values, ...lanewise(source, ['$a', '$b'], scalar)];
};

/** The result has a mask for each lane of the operands. */
const packedSteps: InstructionForm['steps'] = (variant, environment) => {
  const type = slotType(variant, 0);
  return [
    constant('$yes', -1, type.laneStride),
    constant('$no', 0),
    ...lanewise(type, ['$a', '$b'], (of) => [
      compareLanes(variant, environment, type, of('$holds'), [of('$a'), of('$b')]),
      select(of('$d'), of('$holds'), '$yes', '$no'),
    ]),
  ];
};

/** The forms of PTX ISA 9.4. Their results follow the text of the ISA. */
const packedForms = (
  [
    ['unsigned', 'ucmp', ['.u8x4', '.u16x2']],
    ['signed', 'cmp', ['.s8x4', '.s16x2']],
  ] as const
).map(
  ([id, comparisons, types]): InstructionForm => ({
    id: `set.packed.${id}`,
    section: '9.7.6.1',
    syntax: `set.${comparisons}.type  d, a, b`,
    summary: 'All ones in each lane for which the comparison is true, else 0.',
    sets: { type: types },
    regime: 'exact',
    availability: [row('set of packed integers', atListed('9.4', 'sm_107a', 'sm_107f'))],
    operands: [d, a, b],
    steps: packedSteps,
  }),
);

interface Group {
  readonly id: string;
  readonly section: string;
  readonly results: readonly TypeName[];
  readonly sources: readonly TypeName[];
  readonly comparisons: string;
  readonly ftz: boolean;
  readonly availability: readonly AvailabilityRow[];
}

const half: readonly AvailabilityRow[] = [row('set with .f16', at('4.2', 53))];
const halfMask: readonly AvailabilityRow[] = [row('set of integers from .f16', at('6.5', 53))];
const brain: readonly AvailabilityRow[] = [row('set with .bf16', at('7.8', 90))];

const masks: readonly TypeName[] = ['.u32', '.s32'];
const narrowMasks: readonly TypeName[] = ['.u16', '.s16', ...masks];

const sources: readonly Pick<Group, 'id' | 'sources' | 'comparisons'>[] = [
  { id: 'bits', sources: ['.b16', '.b32', '.b64'], comparisons: 'equality' },
  { id: 'unsigned', sources: ['.u16', '.u32', '.u64'], comparisons: 'ucmp' },
  { id: 'signed', sources: ['.s16', '.s32', '.s64'], comparisons: 'cmp' },
  { id: 'f32', sources: ['.f32'], comparisons: 'fcmp' },
  { id: 'f64', sources: ['.f64'], comparisons: 'fcmp' },
];

const ofHalf = { section: '9.7.7.1', comparisons: 'fcmp' } as const;

const groups: readonly Group[] = [
  ...sources.flatMap((source): readonly Group[] => {
    const isF32 = source.id === 'f32';
    return [
      {
        ...source,
        section: '9.7.6.1',
        results: [...masks, '.f32'],
        ftz: isF32,
        availability: [always('set'), ...(isF32 ? [ftz] : [])],
      },
      {
        ...source,
        id: `f16.${source.id}`,
        section: '9.7.7.1',
        results: ['.f16'],
        ftz: isF32,
        availability: half,
      },
      {
        ...source,
        id: `bf16.${source.id}`,
        section: '9.7.7.1',
        results: ['.bf16'],
        ftz: false,
        availability: brain,
      },
    ];
  }),
  { ...ofHalf, id: 'f16', results: ['.f16'], sources: ['.f16'], ftz: true, availability: half },
  { ...ofHalf, id: 'f16.mask', results: narrowMasks, sources: ['.f16'], ftz: true, availability: halfMask },
  { ...ofHalf, id: 'f16x2', results: ['.f16x2'], sources: ['.f16x2'], ftz: true, availability: half },
  { ...ofHalf, id: 'f16x2.mask', results: masks, sources: ['.f16x2'], ftz: true, availability: halfMask },
  { ...ofHalf, id: 'bf16', results: ['.bf16'], sources: ['.f16', '.bf16'], ftz: false, availability: brain },
  { ...ofHalf, id: 'bf16.mask', results: narrowMasks, sources: ['.bf16'], ftz: false, availability: brain },
  { ...ofHalf, id: 'bf16x2', results: ['.bf16x2'], sources: ['.bf16x2'], ftz: false, availability: brain },
  { ...ofHalf, id: 'bf16x2.mask', results: masks, sources: ['.bf16x2'], ftz: false, availability: brain },
];

/**
 * A result for bf16 operands can be written to any 16-bit integer register, and a result for bf16x2 operands to any
 * 32-bit register.
 */
const brainResults: Readonly<Record<string, TypeName>> = { '.bf16': '.u16', '.bf16x2': '.b32' };

function setForms(group: Group): readonly InstructionForm[] {
  const flush = group.ftz ? '{.ftz}' : '';
  const lanes = group.id.includes('x2') ? ', lane by lane' : '';
  const operands = [write('d', brainResults[group.results[0] ?? ''] ?? 0), read('a', 1), read('b', 1)];
  const shared = {
    section: group.section,
    sets: { dtype: group.results, stype: group.sources },
    regime: 'exact',
    availability: group.availability,
    steps,
  } as const;
  return [
    {
      ...shared,
      id: `set.${group.id}`,
      syntax: `set.${group.comparisons}${flush}.dtype.stype  d, a, b`,
      summary: `All ones (1.0 for float results) if the comparison is true, else 0${lanes}.`,
      operands,
    },
    {
      ...shared,
      id: `set.${group.id}.bool`,
      syntax: `set.${group.comparisons}.boolOp${flush}.dtype.stype  d, a, b, c`,
      summary: `All ones (1.0 for float results) if the comparison combined with c is true, else 0${lanes}.`,
      operands: [...operands, combinedWith(group.availability === brain)],
    },
  ];
}

// --- slct -----------------------------------------------------------------------------------------------------------

const choose = (variant: Variant, flush: boolean): readonly Step[] => {
  const type = slotType(variant, 1).name === '.f32' ? 'f32' : 's32';
  return [
    constant('$zero', 0),
    { kind: 'compare', comparison: 'ge', type, flush, to: '$first', from: ['$c', '$zero'] },
    select('$d', '$first', '$a', '$b'),
  ];
};

const slct = { section: '9.7.6.4', regime: 'exact', sets: { dtype: selected } } as const;
const slctOperands = [d, a, b, read('c', 1)];

/** All forms of set and slct. */
export const selectionForms = (): readonly InstructionForm[] => [
  ...groups.flatMap(setForms),
  ...packedForms,
  {
    ...slct,
    id: 'slct.s32',
    syntax: 'slct.dtype.s32  d, a, b, c',
    summary: 'a if c is not negative, else b.',
    availability: [always('slct')],
    operands: slctOperands,
    steps: (variant) => choose(variant, false),
  },
  {
    ...slct,
    id: 'slct.f32',
    syntax: 'slct{.ftz}.dtype.f32  d, a, b, c',
    summary: 'a if c is at least 0, else b; a NaN selects b.',
    availability: [always('slct'), ftz],
    operands: slctOperands,
    steps: (variant, environment) => choose(variant, has(variant, '.ftz') || flushesByTarget('f32', environment)),
  },
];
