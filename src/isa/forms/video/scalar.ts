/**
 * Scalar video instructions except vmad: PTX ISA 9.1, section 9.7.18.1. In ptxlab, intermediate values are 64 bits
 * wide; the ISA uses 33 or 34 bits. Shifts are the only operations whose results might not fit into 64 bits.
 */
import { type IntegerName, resized } from '../../../numerics/formats.ts';
import { type Comparison, comparisons } from '../../../numerics/operations.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, integerType, choice } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { bits, compare, constant, integer, resize, select } from '../integer/steps.ts';
import { extended, bitFieldOf, scalarParts, selectorOf } from './parts.ts';

const words: readonly TypeName[] = ['.u32', '.s32'];
const parts = { parts: scalarParts } as const;

/** Returns the steps that compute the value `made` from the values `x` and `y`. All three values are 64 bits wide. */
type Primary = (variant: Variant) => readonly Step[];

interface Family {
  readonly opcode: string;
  readonly section: string;
  /** The types and modifiers after the opcode. */
  readonly words: string;
  readonly summary: string;
  readonly primary: Primary;
  readonly atype: 0 | 1;
  readonly btype: 'slot' | 'u32';
  /**
   * Whether the instruction specifies a type for its result, before the types of the sources. A comparison specifies no
   * type for its result, which is always unsigned.
   */
  readonly typed: boolean;
}

const resultType = ({ typed }: Family, variant: Variant): IntegerName => (typed ? integerType(variant, 0) : 'u32');

// --- stages ---------------------------------------------------------------------------------------------------------

function sources(family: Family, variant: Variant): readonly Step[] {
  const btype = family.btype === 'slot' ? integerType(variant, family.atype + 1) : 'u32';
  return [
    ...extended(variant, '$a', integerType(variant, family.atype), '$x'),
    ...extended(variant, '$b', btype, '$y'),
  ];
}

/**
 * Sets `value` to `made` after clamping or truncating it. With saturation, `made` is clamped to the range of the
 * result, or of the selected part of the result. Without saturation, `made` is truncated to 33 bits, which is the width
 * of an intermediate result in the ISA.
 */
function limited(family: Family, variant: Variant): readonly Step[] {
  const { width } = bitFieldOf(selectorOf(variant, '$d'));
  if (has(variant, '.sat')) {
    const narrow = resized(resultType(family, variant), width);
    return [resize('$clamped', narrow, '$made', 's64', true), resize('$value', 's64', '$clamped', narrow)];
  }
  return [
    constant('$spare', 31),
    bits('shl', 64, '$raised', '$made', '$spare'),
    bits('shr.s', 64, '$value', '$raised', '$spare'),
  ];
}

const low32 = (to: Ref, from: Ref): Step => ({ kind: 'extract', to, from, low: 0, width: 32 });

function combined(family: Family, variant: Variant): readonly Step[] {
  const fn = choice(variant, 'op', ['add', 'min', 'max']);
  return [
    resize('$third', 's64', '$c', resultType(family, variant)),
    integer(fn, 's64', '$sum', '$value', '$third'),
    low32('$d', '$sum'),
  ];
}

/** Replaces the selected part of c with the low bits of the value. */
function merged(variant: Variant): readonly Step[] {
  const { low, width } = bitFieldOf(selectorOf(variant, '$d'));
  if (width === 32) return [low32('$d', '$value')];
  const lanes = Array.from({ length: 32 / width }, (_, i): Ref => `$c.${32 / width - 1 - i}`);
  const from = lanes.map((lane) => (lane === `$c.${low / width}` ? '$piece' : lane));
  return [
    { kind: 'unpack', to: lanes, from: '$c', lane: width, stride: width },
    { kind: 'extract', to: '$piece', from: '$value', low: 0, width },
    { kind: 'pack', to: '$d', from, lane: width, stride: width },
  ];
}

// --- forms ----------------------------------------------------------------------------------------------------------

const a = read('a', '.u32', parts);
const b = read('b', '.u32', parts);
const c = read('c', '.u32');

function forms(family: Family): readonly InstructionForm[] {
  const { opcode, section, summary } = family;
  const availability: readonly AvailabilityRow[] = [row(opcode, at('2.0', 20))];
  const begin: Primary = (variant) => [
    ...sources(family, variant),
    ...family.primary(variant),
    ...limited(family, variant),
  ];
  const shared = {
    section,
    regime: 'exact',
    availability,
    sets: { dtype: words, atype: words, btype: words, op2: ['.add', '.min', '.max'] },
  } as const;
  const head = `${opcode}${family.words}`;
  return [
    {
      ...shared,
      id: opcode,
      syntax: `${head}  d, a{.asel}, b{.bsel}`,
      summary: `${summary}.`,
      operands: [write('d', '.u32'), a, b],
      steps: (variant) => [...begin(variant), low32('$d', '$value')],
    },
    {
      ...shared,
      id: `${opcode}.second`,
      syntax: `${head}.op2  d, a{.asel}, b{.bsel}, c`,
      summary: `${summary}, followed by a second operation with c.`,
      operands: [write('d', '.u32'), a, b, c],
      steps: (variant) => [...begin(variant), ...combined(family, variant)],
    },
    {
      ...shared,
      id: `${opcode}.merge`,
      syntax: `${head}  d.dsel, a{.asel}, b{.bsel}, c`,
      summary: `${summary}; the result replaces a byte or half of c.`,
      operands: [write('d', '.u32', parts), a, b, c],
      steps: (variant) => [...begin(variant), ...merged(variant)],
    },
  ];
}

const simple =
  (fn: 'add' | 'sub' | 'min' | 'max'): Primary =>
  () => [integer(fn, 's64', '$made', '$x', '$y')];

const distance: Primary = () => [
  integer('sub', 's64', '$difference', '$x', '$y'),
  integer('abs', 's64', '$made', '$difference'),
];

const arithmetic = (
  [
    ['vadd', 'Sum of two register parts', simple('add')],
    ['vsub', 'Difference of two register parts', simple('sub')],
    ['vabsdiff', 'Absolute difference of two register parts', distance],
    ['vmin', 'The smaller of two register parts', simple('min')],
    ['vmax', 'The larger of two register parts', simple('max')],
  ] as const
).map(
  ([opcode, summary, primary]): Family => ({
    opcode,
    section: '9.7.18.1.1',
    words: '.dtype.atype.btype{.sat}',
    summary,
    primary,
    atype: 1,
    btype: 'slot',
    typed: true,
  }),
);

/** Computes the shift amount `n`, which is either clamped to 32 or taken modulo 32. */
const amount: Primary = (variant) => [
  low32('$given', '$y'),
  ...(has(variant, '.clamp')
    ? [constant('$most', 32), integer('min', 'u32', '$n', '$given', '$most')]
    : [constant('$most', 31), bits('and', 32, '$n', '$given', '$most')]),
];

/**
 * Shifts in two steps. If the first step shifts the value above 2^46, the final result is certain to be clamped. The
 * value is therefore already clamped before the second step, which could otherwise shift bits out of the 64-bit value.
 */
const shiftLeft: Primary = (variant) => {
  if (!has(variant, '.sat')) return [...amount(variant), bits('shl', 64, '$made', '$x', '$n')];
  return [
    ...amount(variant),
    constant('$half', 16),
    integer('min', 'u32', '$first', '$n', '$half'),
    integer('sub', 'u32', '$second', '$n', '$first'),
    bits('shl', 64, '$moved', '$x', '$first'),
    constant('$high', 2 ** 46, 64),
    constant('$low', -(2 ** 46), 64),
    integer('min', 's64', '$capped', '$moved', '$high'),
    integer('max', 's64', '$bounded', '$capped', '$low'),
    bits('shl', 64, '$made', '$bounded', '$second'),
  ];
};

const shiftRight: Primary = (variant) => [...amount(variant), bits('shr.s', 64, '$made', '$x', '$n')];

const shifts = (
  [
    ['vshl', 'Register part shifted left', shiftLeft],
    ['vshr', 'Register part shifted right, filled with copies of the sign bit if the part is signed', shiftRight],
  ] as const
).map(
  ([opcode, summary, primary]): Family => ({
    opcode,
    section: '9.7.18.1.2',
    words: '.dtype.atype.u32{.sat}.bound',
    summary,
    primary,
    atype: 1,
    btype: 'u32',
    typed: true,
  }),
);

/**
 * The comparison that is specified by the modifiers of a variant. The compared values have already been extended
 * according to their types.
 */
export function comparisonOf(variant: Variant): Comparison {
  return choice(variant, 'comparison', comparisons);
}

const comparison: Family = {
  opcode: 'vset',
  section: '9.7.18.1.4',
  words: '.atype.btype.cmp',
  summary: '1 if a comparison of two register parts is true, else 0',
  primary: (variant) => [
    compare(comparisonOf(variant), 's64', '$holds', '$x', '$y'),
    constant('$one', 1, 64),
    constant('$zero', 0, 64),
    select('$made', '$holds', '$one', '$zero'),
  ],
  atype: 0,
  btype: 'slot',
  typed: false,
};

/** vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr and vset. */
export const scalarVideoForms = (): readonly InstructionForm[] => [...arithmetic, ...shifts, comparison].flatMap(forms);
