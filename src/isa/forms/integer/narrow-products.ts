/**
 * Products of register parts: mul24, mad24, dp4a and dp2a (sections 9.7.1.5, 9.7.1.6, 9.7.1.23 and 9.7.1.24 of PTX ISA
 * 9.1).
 */
import { type IntegerName, resized } from '../../../numerics/formats.ts';
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { integerType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { bits, constant, integer, resize } from './steps.ts';

const words: readonly TypeName[] = ['.u32', '.s32'];

// --- 24 bits --------------------------------------------------------------------------------------------------------

/** Sets `to` to bits 31 to 0 or bits 47 to 16 of a 48-bit product. The factors are the low 24 bits of a and b. */
function product(variant: Variant, half: 'lo' | 'hi', to: Ref): readonly Step[] {
  const type = integerType(variant, 0);
  const down = type === 's32' ? 'shr.s' : 'shr.u';
  const low24 = (name: Ref): readonly Step[] => [
    bits('shl', 32, `${name}.raised`, name, '$eight'),
    bits(down, 32, `${name}.low`, `${name}.raised`, '$eight'),
  ];
  const factors = [constant('$eight', 8), ...low24('$a'), ...low24('$b')];
  if (half === 'lo') return [...factors, integer('mul.lo', type, to, '$a.low', '$b.low')];
  return [
    ...factors,
    integer('mul.wide', type, '$product', '$a.low', '$b.low'),
    { kind: 'extract', to, from: '$product', low: 16, width: 32 },
  ];
}

const parts = { lo: 'Bits 31 to 0', hi: 'Bits 47 to 16' } as const;

function products24(half: 'lo' | 'hi'): readonly InstructionForm[] {
  return [
    exact({
      id: `mul24.${half}`,
      section: '9.7.1.5',
      syntax: `mul24.${half}.type  d, a, b`,
      summary: `${parts[half]} of the product of two 24-bit integers.`,
      sets: { type: words },
      availability: [always('mul24')],
      operands: [d, a, b],
      steps: (variant) => product(variant, half, '$d'),
    }),
    exact({
      id: `mad24.${half}`,
      section: '9.7.1.6',
      syntax: `mad24.${half}.type  d, a, b, c`,
      summary: `${parts[half]} of the product of two 24-bit integers, plus c.`,
      sets: { type: words },
      availability: [always('mad24')],
      operands: [d, a, b, c],
      steps: (variant) => [
        ...product(variant, half, '$part'),
        integer('add', integerType(variant, 0), '$d', '$part', '$c'),
      ],
    }),
  ];
}

const saturated24 = exact({
  id: 'mad24.hi.sat',
  section: '9.7.1.6',
  syntax: 'mad24.hi.sat.s32  d, a, b, c',
  summary: 'Bits 47 to 16 of the product of two 24-bit integers, plus c, clamped to the range of s32.',
  availability: [always('mad24')],
  operands: [d, a, b, c],
  steps: (variant) => [
    ...product(variant, 'hi', '$part'),
    { kind: 'integer', fn: 'add', type: 's32', sat: true, to: '$d', from: ['$part', '$c'] },
  ],
});

// --- dot products ---------------------------------------------------------------------------------------------------

/** The lanes of a register, each extended to 32 bits. */
function lanes(name: Ref, type: IntegerName, width: 8 | 16, count: number): readonly Step[] {
  const lane = resized(type, width);
  const wide = Array.from({ length: count }, (_, i): Ref => `${name}.${count - 1 - i}`);
  const raw = wide.map((part): Ref => `${part}.raw`);
  return [
    { kind: 'unpack', to: raw, from: name, lane: width, stride: width },
    ...wide.map((part) => resize(part, type, `${part}.raw`, lane)),
  ];
}

/**
 * Computes c plus a sum of products, as `type`. Each lane of a, which is `width` bits wide, is multiplied by a byte of
 * b; the bytes are consecutive, starting with byte number `first`.
 */
function dot(variant: Variant, type: IntegerName, width: 8 | 16, first: number): readonly Step[] {
  const count = 32 / width;
  const sums: readonly Step[] = Array.from({ length: count }, (_, i) => {
    const last = i === count - 1;
    return integer(
      'mad.lo',
      type,
      last ? '$d' : `$sum.${i}`,
      `$a.${i}`,
      `$b.${first + i}`,
      i === 0 ? '$c' : `$sum.${i - 1}`,
    );
  });
  return [
    ...lanes('$a', integerType(variant, 0), width, count),
    ...lanes('$b', integerType(variant, 1), 8, 4),
    ...sums,
  ];
}

const turing: AvailabilityRow = row('dp4a or dp2a', at('5.0', 61));
/** The types of a and b, and the type of c and d, which is signed if a or b is signed. */
const dotTypes = [
  { id: 'unsigned', atype: ['.u32'], btype: ['.u32'], sum: '.u32' },
  { id: 'mixed', atype: ['.u32'], btype: ['.s32'], sum: '.s32' },
  { id: 'signed', atype: ['.s32'], btype: words, sum: '.s32' },
] as const;

const dots: readonly InstructionForm[] = dotTypes.flatMap(({ id, sum, ...sets }) => {
  const unpacked = { unpacked: true } as const;
  const operands = [write('d', sum, unpacked), a, read('b', 1), read('c', sum, unpacked)];
  const shared = { sets, availability: [turing], operands };
  return [
    exact({
      id: `dp4a.${id}`,
      section: '9.7.1.23',
      syntax: 'dp4a.atype.btype  d, a, b, c',
      summary: 'c plus the products of four pairs of bytes.',
      ...shared,
      steps: (variant) => dot(variant, sum === '.u32' ? 'u32' : 's32', 8, 0),
    }),
    ...(['lo', 'hi'] as const).map((half) =>
      exact({
        id: `dp2a.${half}.${id}`,
        section: '9.7.1.24',
        syntax: `dp2a.${half}.atype.btype  d, a, b, c`,
        summary: `c plus the products of the two 16-bit halves of a and the ${half === 'lo' ? 'lower' : 'upper'} two bytes of b.`,
        ...shared,
        steps: (variant) => dot(variant, sum === '.u32' ? 'u32' : 's32', 16, half === 'lo' ? 0 : 2),
      }),
    ),
  ];
});

/** mul24, mad24, dp4a and dp2a. */
export const narrowProductForms = (): readonly InstructionForm[] => [
  ...products24('lo'),
  ...products24('hi'),
  saturated24,
  ...dots,
];
