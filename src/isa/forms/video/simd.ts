/**
 * SIMD video instructions, which operate on the two halves or the four bytes of their registers (PTX ISA 9.1, section
 * 9.7.18.2).
 */
import { type IntegerName, resized } from '../../../numerics/formats.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, integerType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { bits, compare, constant, integer, resize, select } from '../integer/steps.ts';
import { laneChoices, laneMasks, selectorOf } from './parts.ts';
import { comparisonOf } from './scalar.ts';

const words: readonly TypeName[] = ['.u32', '.s32'];

interface Shape {
  readonly lanes: 2 | 4;
  readonly width: 8 | 16;
  readonly choices: RegExp;
  readonly masks: RegExp;
  readonly section: string;
  readonly comparisonSection: string;
}

const halves: Shape = {
  lanes: 2,
  width: 16,
  choices: laneChoices.halves,
  masks: laneMasks.halves,
  section: '9.7.18.2.1',
  comparisonSection: '9.7.18.2.2',
};

const bytes: Shape = {
  lanes: 4,
  width: 8,
  choices: laneChoices.bytes,
  masks: laneMasks.bytes,
  section: '9.7.18.2.3',
  comparisonSection: '9.7.18.2.4',
};

/** Returns the steps for lane i, which compute `made.i` from `x.i` and `y.i`. All three values are 32 bits wide. */
type LaneSteps = (variant: Variant, lane: number) => readonly Step[];

// --- lanes ----------------------------------------------------------------------------------------------------------

/** The digits of a selector, starting with the digit for the lowest lane. */
function digits(selector: string, otherwise: readonly number[]): readonly number[] {
  return selector === '' ? otherwise : selector.slice(2).split('').reverse().map(Number);
}

const upFrom = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, i) => first + i);

/**
 * Sets `to` to the source lane with the number `chosen`, extended to 32 bits according to its type. The lanes of
 * operand a have the lowest numbers, and those of operand b have the numbers after them.
 */
function lane({ lanes, width }: Shape, chosen: number, type: IntegerName, to: Ref): readonly Step[] {
  const from = chosen < lanes ? '$a' : '$b';
  const narrow = resized(type, width);
  return [
    { kind: 'extract', to: `${to}.bits`, from, low: (chosen % lanes) * width, width },
    resize(to, 's32', `${to}.bits`, narrow),
  ];
}

/** Computes `made.i` for every lane i in the mask. */
function computed(shape: Shape, types: readonly [number, number], make: LaneSteps, variant: Variant): readonly Step[] {
  const asel = digits(selectorOf(variant, '$a'), upFrom(0, shape.lanes));
  const bsel = digits(selectorOf(variant, '$b'), upFrom(shape.lanes, shape.lanes));
  return masked(shape, variant).flatMap((i) => [
    ...lane(shape, asel[i] ?? 0, integerType(variant, types[0]), `$x.${i}`),
    ...lane(shape, bsel[i] ?? 0, integerType(variant, types[1]), `$y.${i}`),
    ...make(variant, i),
  ]);
}

function masked(shape: Shape, variant: Variant): readonly number[] {
  return digits(selectorOf(variant, '$d'), upFrom(0, shape.lanes));
}

/** Sets d to the sum of c and the results of all lanes in the mask. */
function accumulated(shape: Shape, variant: Variant): readonly Step[] {
  const chosen = masked(shape, variant);
  return chosen.map((i, n) =>
    integer('add', 's32', n === chosen.length - 1 ? '$d' : `$sum.${n}`, n === 0 ? '$c' : `$sum.${n - 1}`, `$made.${i}`),
  );
}

/** Sets d to a copy of c in which the lanes in the mask are replaced with their results. */
function merged({ lanes, width, ...rest }: Shape, variant: Variant): readonly Step[] {
  const chosen = masked({ lanes, width, ...rest }, variant);
  const down = upFrom(0, lanes).toReversed();
  const layout = { lane: width, stride: width };
  return [
    { kind: 'unpack', to: down.map((i): Ref => `$c.${i}`), from: '$c', ...layout },
    { kind: 'pack', to: '$d', from: down.map((i): Ref => (chosen.includes(i) ? `$made.${i}` : `$c.${i}`)), ...layout },
  ];
}

// --- operations -----------------------------------------------------------------------------------------------------

/** Computes lane i of the result. If `.sat` is given, the value is clamped to the range of a lane. */
function limited(shape: Shape, make: (i: number, to: Ref) => readonly Step[]): LaneSteps {
  return (variant, i) => {
    if (!has(variant, '.sat')) return make(i, `$made.${i}`);
    const narrow = resized(integerType(variant, 0), shape.width);
    return [...make(i, `$wide.${i}`), resize(`$made.${i}`, narrow, `$wide.${i}`, 's32', true)];
  };
}

const simple =
  (fn: 'add' | 'sub' | 'min' | 'max') =>
  (i: number, to: Ref): readonly Step[] => [integer(fn, 's32', to, `$x.${i}`, `$y.${i}`)];

const distance = (i: number, to: Ref): readonly Step[] => [
  integer('sub', 's32', `$difference.${i}`, `$x.${i}`, `$y.${i}`),
  integer('abs', 's32', to, `$difference.${i}`),
];

/** Half of the sum of two lanes, rounded to the nearest integer; ties are rounded away from zero. */
const average = (i: number, to: Ref): readonly Step[] => [
  constant('$one', 1),
  constant('$top', 31),
  integer('add', 's32', `$both.${i}`, `$x.${i}`, `$y.${i}`),
  bits('not', 32, `$others.${i}`, `$both.${i}`),
  bits('shr.u', 32, `$up.${i}`, `$others.${i}`, '$top'),
  integer('add', 's32', `$raised.${i}`, `$both.${i}`, `$up.${i}`),
  bits('shr.s', 32, to, `$raised.${i}`, '$one'),
];

const compared: LaneSteps = (variant, i) => [
  constant('$one', 1),
  constant('$zero', 0),
  compare(comparisonOf(variant), 's32', `$holds.${i}`, `$x.${i}`, `$y.${i}`),
  select(`$made.${i}`, `$holds.${i}`, '$one', '$zero'),
];

interface Family {
  readonly opcode: string;
  readonly words: string;
  readonly sat: string;
  readonly summary: string;
  readonly types: readonly [a: number, b: number];
  readonly make: LaneSteps;
}

function forms(shape: Shape, family: Family): readonly InstructionForm[] {
  const opcode = `${family.opcode}${shape.lanes}`;
  const { choices, masks } = shape;
  const unpacked = family.opcode === 'vset';
  const operands = [
    write('d', '.u32', { parts: masks, unpacked }),
    read('a', '.u32', { parts: choices, registerOnly: true }),
    read('b', '.u32', { parts: choices, registerOnly: true }),
    read('c', '.u32', { registerOnly: true, unpacked }),
  ];
  const list = 'd{.mask}, a{.asel}, b{.bsel}, c';
  const shared = {
    section: family.opcode === 'vset' ? shape.comparisonSection : shape.section,
    regime: 'exact',
    sets: { dtype: words, atype: words, btype: words },
    availability: [row(opcode, at('3.0', 30))],
    operands,
  } as const;
  const lanes = (variant: Variant): readonly Step[] => computed(shape, family.types, family.make, variant);
  const parts = shape.lanes === 2 ? 'two halves' : 'four bytes';
  return [
    {
      ...shared,
      id: opcode,
      syntax: `${opcode}${family.words}${family.sat}  ${list}`,
      summary: `${family.summary} of ${parts}; the results replace the corresponding lanes of c.`,
      steps: (variant) => [...lanes(variant), ...merged(shape, variant)],
    },
    {
      ...shared,
      id: `${opcode}.add`,
      syntax: `${opcode}${family.words}.add  ${list}`,
      summary: `${family.summary} of ${parts}, all added to c.`,
      steps: (variant) => [...lanes(variant), ...accumulated(shape, variant)],
    },
  ];
}

function families(shape: Shape): readonly Family[] {
  const arithmetic = (
    [
      ['vadd', 'Sums', simple('add')],
      ['vsub', 'Differences', simple('sub')],
      ['vavrg', 'Averages', average],
      ['vabsdiff', 'Distances', distance],
      ['vmin', 'The smaller', simple('min')],
      ['vmax', 'The larger', simple('max')],
    ] as const
  ).map(
    ([opcode, summary, make]): Family => ({
      opcode,
      words: '.dtype.atype.btype',
      sat: '{.sat}',
      summary,
      types: [1, 2],
      make: limited(shape, make),
    }),
  );
  const comparison: Family = {
    opcode: 'vset',
    words: '.atype.btype.cmp',
    sat: '',
    summary: '1 if a comparison is true, else 0,',
    types: [0, 1],
    make: compared,
  };
  return [...arithmetic, comparison];
}

/** vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2, vset2 and the same operations on four bytes. */
export const simdVideoForms = (): readonly InstructionForm[] =>
  [halves, bytes].flatMap((shape) => families(shape).flatMap((family) => forms(shape, family)));
