/** Carry-less multiplication (PTX ISA 9.3, section 9.7.1.5). */
import type { InstructionForm, Variant } from '../../form.ts';
import { choice } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at } from '../../targets.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { bits, constant, integer } from './steps.ts';

const residues = [0, 1, 2, 3] as const;

/** Every fourth bit, starting with bit `residue`. */
const everyFourth = (residue: number): bigint => 0x1111_1111_1111_1111n << BigInt(residue);

/** A step that combines all values with one bitwise function, two at a time. */
function combined(fn: 'or' | 'xor', to: Ref, values: readonly Ref[]): readonly ValueStep[] {
  const [first, ...others] = values;
  if (first === undefined) throw new Error('there are no values to combine');
  const last = others.length - 1;
  let sum = first;
  return others.map((value, i) => {
    const next: Ref = i === last ? to : `${to}.${i}`;
    const made = bits(fn, 64, next, sum, value);
    sum = next;
    return made;
  });
}

/** Splits a value into four: each part keeps the bits at every fourth position, and all of its other bits are 0. */
function split(name: Ref): readonly ValueStep[] {
  return residues.map((i) => bits('and', 64, `${name}.${i}`, name, `$mask.${i}`));
}

/**
 * Computes the low 64 bits of a product without carries. It is made of ordinary products of numbers in which only every
 * fourth bit can be set. The three bits in between leave room for carries, so the lowest bit of each group of four is a
 * sum modulo 2. In every group except the topmost, at most 15 bits are added, so their sum fits in the group. In the
 * topmost group, up to 16 bits are added, but the carry is beyond bit 63.
 */
function lowProduct(to: Ref, left: Ref, right: Ref): readonly Step[] {
  const product = (of: number, i: number): Ref => `$product.${of}.${i}`;
  const parts = residues.flatMap((of): readonly Step[] => {
    const pairs = residues.map((i) =>
      integer('mul.lo', 'u64', product(of, i), `${left}.${i}`, `${right}.${(of - i + 4) % 4}`),
    );
    const names = residues.map((i) => product(of, i));
    return [
      ...pairs,
      ...combined('xor', `$sum.${of}`, names),
      bits('and', 64, `$part.${of}`, `$sum.${of}`, `$mask.${of}`),
    ];
  });
  const masks = residues.map((i) => constant(`$mask.${i}`, everyFourth(i), 64));
  const all = residues.map((of): Ref => `$part.${of}`);
  return [...masks, ...split(left), ...split(right), ...parts, ...combined('or', to, all)];
}

/**
 * To compute the upper half, multiplies the bit-reversed numbers, reverses the lower half of their product, and shifts
 * it by one bit.
 */
function multiplyAdd(variant: Variant): readonly Step[] {
  const add = bits('xor', 64, '$d', '$half', '$c');
  if (choice(variant, 'half', ['lo', 'hi']) === 'lo') return [...lowProduct('$half', '$a', '$b'), add];
  return [
    bits('brev', 64, '$reversed-a', '$a'),
    bits('brev', 64, '$reversed-b', '$b'),
    ...lowProduct('$reversed', '$reversed-a', '$reversed-b'),
    bits('brev', 64, '$product', '$reversed'),
    constant('$one', 1),
    bits('shr.u', 64, '$half', '$product', '$one'),
    add,
  ];
}

/** clmad. */
export const carrylessForms = (): readonly InstructionForm[] => [
  exact({
    id: 'clmad',
    section: '9.7.1.5',
    syntax: 'clmad.half.u64  d, a, b, c',
    summary: 'Half of the product of two integers without carries, combined with c by exclusive or.',
    availability: [row('clmad', at('9.3', 80))],
    operands: [d, a, b, c],
    steps: multiplyAdd,
  }),
];
