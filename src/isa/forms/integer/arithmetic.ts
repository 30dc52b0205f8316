/** Integer arithmetic (PTX ISA 9.1, section 9.7.1, and the additions of version 9.2). */
import type { IntegerFunction } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, slotType, integerType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import { at, atListed, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { always, row } from '../availability-rows.ts';
import { exact, type Entry } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { integer } from './steps.ts';
import { lanewise } from '../comparison/lanewise.ts';

const integers: readonly TypeName[] = ['.u16', '.u32', '.u64', '.s16', '.s32', '.s64'];
const signed: readonly TypeName[] = ['.s16', '.s32', '.s64'];
const pairs: readonly TypeName[] = ['.u16x2', '.s16x2'];
const bytes: readonly TypeName[] = ['.u8x4', '.s8x4'];

const hopper = (subject: string): AvailabilityRow => row(subject, at('8.0', 90));
const family12x = atListed('9.2', 'sm_120a', 'sm_120f', 'sm_121a', 'sm_121f');
const ofBytes = (opcode: string, ...ways: readonly Availability[]): AvailabilityRow =>
  row(`${opcode} of packed bytes`, ...ways);
const rubin = atListed('9.4', 'sm_107a', 'sm_107f');

/** Applies one integer function to each lane. With `.relu`, negative results are then replaced by 0. */
function compute(fn: IntegerFunction, sources: readonly Ref[]): InstructionForm['steps'] {
  return (variant) => {
    const type = integerType(variant, 0);
    const sat = has(variant, '.sat');
    const relu = has(variant, '.relu');
    return lanewise(slotType(variant, 0), sources, (of) => {
      const from = sources.map(of);
      if (!relu) return [{ kind: 'integer', fn, type, sat, to: of('$d'), from }];
      return [
        { kind: 'integer', fn, type, sat, to: of('$t'), from },
        { kind: 'constant', to: '$zero', value: 0 },
        { kind: 'integer', fn: 'max', type, sat: false, to: of('$d'), from: [of('$t'), '$zero'] },
      ];
    });
  };
}

// --- add, sub -------------------------------------------------------------------------------------------------------

function addition(opcode: 'add' | 'sub', section: string): InstructionForm[] {
  const verb = opcode === 'add' ? 'Sum' : 'Difference';
  const steps = compute(opcode, ['$a', '$b']);
  const operands = [d, a, b];
  const forms: Entry[] = [
    {
      id: `${opcode}.int`,
      section,
      syntax: `${opcode}.type  d, a, b`,
      summary: `${verb} of two integers, truncated to the width of the type.`,
      sets: { type: integers },
      availability: [always(opcode)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.x4`,
      section,
      syntax: `${opcode}{.sat}.type  d, a, b`,
      summary: `${verb}s of packed 8-bit integers.`,
      sets: { type: bytes },
      availability: [ofBytes(opcode, family12x, rubin)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.sat`,
      section,
      syntax: `${opcode}.sat.s32  d, a, b`,
      summary: `${verb} of two s32 values, clamped to the range of s32.`,
      availability: [always(opcode)],
      operands,
      steps,
    },
  ];
  return forms.map(exact);
}

const addPairs = exact({
  id: 'add.int.x2',
  section: '9.7.1.1',
  syntax: 'add.type  d, a, b',
  summary: 'Sums of two pairs of packed 16-bit integers.',
  sets: { type: pairs },
  availability: [hopper('add of packed integers')],
  operands: [d, a, b],
  steps: compute('add', ['$a', '$b']),
});

const addSaturated = exact({
  id: 'add.int.sat.more',
  section: '9.7.1.1',
  syntax: 'add.sat.type  d, a, b',
  summary: 'Sum of two integers, or of two pairs of packed integers, clamped to the range of the type.',
  sets: { type: ['.u32', ...pairs] },
  availability: [row('add.sat of this type', family12x, rubin)],
  operands: [d, a, b],
  steps: compute('add', ['$a', '$b']),
});

// --- mul, mad -------------------------------------------------------------------------------------------------------

const halves = ['lo', 'hi'] as const;
const wideTypes: readonly (readonly [TypeName, TypeName])[] = [
  ['.u16', '.u32'],
  ['.s16', '.s32'],
  ['.u32', '.u64'],
  ['.s32', '.s64'],
];

const halfWords = { lo: 'lower', hi: 'upper' } as const;

const multiplications: readonly InstructionForm[] = halves.map((half) =>
  exact({
    id: `mul.${half}`,
    section: '9.7.1.3',
    syntax: `mul.${half}.type  d, a, b`,
    summary: `The ${halfWords[half]} half of the product of two integers.`,
    sets: { type: integers },
    availability: [always('mul')],
    operands: [d, a, b],
    steps: compute(`mul.${half}`, ['$a', '$b']),
  }),
);

const wideMultiplications: readonly InstructionForm[] = wideTypes.map(([narrow, wide]) =>
  exact({
    id: `mul.wide${narrow}`,
    section: '9.7.1.3',
    syntax: `mul.wide${narrow}  d, a, b`,
    summary: 'The full product of two integers, with twice their width.',
    availability: [always('mul')],
    operands: [write('d', wide), a, b],
    steps: compute('mul.wide', ['$a', '$b']),
  }),
);

const multiplyAdds: readonly InstructionForm[] = halves.map((half) =>
  exact({
    id: `mad.${half}`,
    section: '9.7.1.4',
    syntax: `mad.${half}.type  d, a, b, c`,
    summary: `The ${halfWords[half]} half of the product of two integers, plus c.`,
    sets: { type: integers },
    availability: [always('mad')],
    operands: [d, a, b, c],
    steps: compute(`mad.${half}`, ['$a', '$b', '$c']),
  }),
);

const saturatedMultiplyAdd = exact({
  id: 'mad.hi.sat',
  section: '9.7.1.4',
  syntax: 'mad.hi.sat.s32  d, a, b, c',
  summary: 'The upper half of the product of two s32 values, plus c, clamped to the range of s32.',
  availability: [always('mad')],
  operands: [d, a, b, c],
  steps: compute('mad.hi', ['$a', '$b', '$c']),
});

const wideMultiplyAdds: readonly InstructionForm[] = wideTypes.map(([narrow, wide]) =>
  exact({
    id: `mad.wide${narrow}`,
    section: '9.7.1.4',
    syntax: `mad.wide${narrow}  d, a, b, c`,
    summary: 'The full product of two integers, with twice their width, plus c.',
    availability: [always('mad')],
    operands: [write('d', wide), a, b, read('c', wide)],
    steps: compute('mad.wide', ['$a', '$b', '$c']),
  }),
);

// --- div, abs, neg, min, max ----------------------------------------------------------------------------------------

const division = exact({
  id: 'div.int',
  section: '9.7.1.8',
  syntax: 'div.type  d, a, b',
  summary: 'Quotient of two integers, rounded toward zero; unspecified if the divisor is zero.',
  sets: { type: integers },
  availability: [always('div')],
  operands: [d, a, b],
  steps: compute('div', ['$a', '$b']),
});

const remainder = exact({
  id: 'rem',
  section: '9.7.1.9',
  syntax: 'rem.type  d, a, b',
  summary: 'Remainder of two integers, with the sign of a; unspecified if the divisor is zero.',
  sets: { type: integers },
  availability: [always('rem')],
  operands: [d, a, b],
  steps: compute('rem', ['$a', '$b']),
});

const absoluteDifference = exact({
  id: 'sad',
  section: '9.7.1.7',
  syntax: 'sad.type  d, a, b, c',
  summary: 'c plus the absolute difference of two integers, truncated to the width of the type.',
  sets: { type: integers },
  availability: [always('sad')],
  operands: [d, a, b, c],
  steps: (variant) => {
    const type = integerType(variant, 0);
    return [
      integer('max', type, '$larger', '$a', '$b'),
      integer('min', type, '$smaller', '$a', '$b'),
      integer('sub', type, '$distance', '$larger', '$smaller'),
      integer('add', type, '$d', '$distance', '$c'),
    ];
  },
});

const signChanges: readonly InstructionForm[] = (
  [
    ['abs', '9.7.1.10', 'Absolute value of a signed integer.'],
    [
      'neg',
      '9.7.1.11',
      'Negates a signed integer; the lowest value is returned unchanged, because it has no positive counterpart.',
    ],
  ] as const
).map(([opcode, section, summary]) =>
  exact({
    id: `${opcode}.int`,
    section,
    syntax: `${opcode}.type  d, a`,
    summary,
    sets: { type: signed },
    availability: [always(opcode)],
    operands: [d, a],
    steps: compute(opcode, ['$a']),
  }),
);

const negatedBytes = exact({
  id: 'neg.int.x4',
  section: '9.7.1.11',
  syntax: 'neg.s8x4  d, a',
  summary: 'Negates packed signed bytes; -128 is returned unchanged, because it has no positive counterpart.',
  availability: [ofBytes('neg', family12x, rubin)],
  operands: [d, a],
  steps: compute('neg', ['$a']),
});

function extrema(opcode: 'min' | 'max', section: string): readonly InstructionForm[] {
  const word = opcode === 'min' ? 'smaller' : 'larger';
  const steps = compute(opcode, ['$a', '$b']);
  const operands = [d, a, b];
  const forms: Entry[] = [
    {
      id: `${opcode}.int`,
      section,
      syntax: `${opcode}.type  d, a, b`,
      summary: `The ${word} of two integers.`,
      sets: { type: integers },
      availability: [always(opcode)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.relu`,
      section,
      syntax: `${opcode}.relu.type  d, a, b`,
      summary: `The ${word} of two signed integers, or 0 if it is negative.`,
      sets: { type: ['.s32', '.s16x2'] },
      availability: [hopper(`${opcode} with .relu`)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.x2`,
      section,
      syntax: `${opcode}.type  d, a, b`,
      summary: `The ${word} of each pair of packed 16-bit integers.`,
      sets: { type: pairs },
      availability: [hopper(`${opcode} of packed integers`)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.x4`,
      section,
      syntax: `${opcode}.type  d, a, b`,
      summary: `The ${word} of each pair of packed bytes.`,
      sets: { type: bytes },
      availability: [ofBytes(opcode, family12x, rubin)],
      operands,
      steps,
    },
    {
      id: `${opcode}.int.x4.relu`,
      section,
      syntax: `${opcode}.relu.s8x4  d, a, b`,
      summary: `The ${word} of each pair of packed signed bytes, or 0 if it is negative.`,
      availability: [ofBytes(opcode, family12x, rubin)],
      operands,
      steps,
    },
  ];
  return forms.map(exact);
}

/** add, sub, mul, mad, div, rem, sad, abs, neg, min and max of integers. */
export const integerForms = (): readonly InstructionForm[] => [
  ...addition('add', '9.7.1.1'),
  addPairs,
  addSaturated,
  ...addition('sub', '9.7.1.2'),
  ...multiplications,
  ...wideMultiplications,
  ...multiplyAdds,
  saturatedMultiplyAdd,
  ...wideMultiplyAdds,
  division,
  remainder,
  absoluteDifference,
  ...signChanges,
  negatedBytes,
  ...extrema('min', '9.7.1.12'),
  ...extrema('max', '9.7.1.13'),
];
