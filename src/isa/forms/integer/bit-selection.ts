/** cnot, lop3, shf and prmt (sections 9.7.8.5 to 9.7.8.7 and 9.7.9.7 of PTX ISA 9.1). */
import { permutations } from '../../../numerics/operations.ts';
import type { InstructionForm } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, slotType, choice } from '../../variant.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { always, row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, c, d } from '../first-type-operands.ts';
import { bits, compare, constant, integer } from './steps.ts';

// --- lop3 -----------------------------------------------------------------------------------------------------------

const table = read('immLut', '.u32', { constantOnly: true });
const lookUp: Step = bits('lop3', 32, '$d', '$a', '$b', '$c', '$immLut');

const lookUps: readonly InstructionForm[] = [
  exact({
    id: 'lop3',
    section: '9.7.8.6',
    syntax: 'lop3.b32  d, a, b, c, immLut',
    summary: 'Any logic function of three values; immLut is the function applied to 0xF0, 0xCC and 0xAA.',
    availability: [row('lop3', at('4.3', 50))],
    operands: [write('d', 0, { sink: true }), a, b, c, table],
    steps: () => [lookUp],
  }),
  exact({
    id: 'lop3.bool',
    section: '9.7.8.6',
    syntax: 'lop3.logic.b32  d|p, a, b, c, immLut, q',
    summary: 'Any logic function of three values; the test d != 0 is combined with q, and p is the result.',
    availability: [row('lop3 with a predicate', at('8.2', 70))],
    operands: [
      { kind: 'pair', name: 'd|p', first: write('d', 0, { sink: true }), second: write('p', '.pred'), both: true },
      a,
      b,
      c,
      table,
      read('q', '.pred', { negatable: true }),
    ],
    steps: (variant) => [
      lookUp,
      constant('$zero', 0),
      compare('ne', 'u32', '$truth', '$d', '$zero'),
      bits(choice(variant, 'boolOp', ['and', 'or', 'xor']), 1, '$p', '$truth', '$q'),
    ],
  }),
];

// --- shf ------------------------------------------------------------------------------------------------------------

/** Shifts the 64 bits of b:a. */
function funnel(left: boolean): InstructionForm {
  const direction = left ? 'l' : 'r';
  return exact({
    id: `shf.${direction}`,
    section: '9.7.8.7',
    syntax: `shf.${direction}.bound.b32  d, a, b, c`,
    summary: `Shifts the 64 bits of b:a to the ${left ? 'left, and returns the upper word' : 'right, and returns the lower word'}.`,
    availability: [row('shf', at('3.1', 32))],
    operands: [d, a, b, read('c', '.u32', { unpacked: true })],
    steps: (variant) => [
      constant('$most', has(variant, '.wrap') ? 31 : 32),
      has(variant, '.wrap')
        ? bits('and', 32, '$amount', '$c', '$most')
        : integer('min', 'u32', '$amount', '$c', '$most'),
      { kind: 'pack', to: '$both', from: ['$b', '$a'], lane: 32, stride: 32 },
      bits(left ? 'shl' : 'shr.u', 64, '$moved', '$both', '$amount'),
      { kind: 'extract', to: '$d', from: '$moved', low: left ? 32 : 0, width: 32 },
    ],
  });
}

// --- prmt -----------------------------------------------------------------------------------------------------------

const permute: InstructionForm['steps'] = (variant) => {
  const mode = variant.modifiers['permutation'];
  const fn = mode === undefined ? 'prmt' : (`prmt.${choice(variant, 'permutation', permutations)}` as const);
  return [bits(fn, 32, '$d', '$a', '$b', '$c')];
};

/** cnot, lop3, shf and prmt. */
export const bitSelectionForms = (): readonly InstructionForm[] => [
  exact({
    id: 'cnot',
    section: '9.7.8.5',
    syntax: 'cnot.type  d, a',
    summary: '1 if a is 0, else 0.',
    sets: { type: ['.b16', '.b32', '.b64'] },
    availability: [always('cnot')],
    operands: [d, a],
    steps: (variant) => [bits('cnot', slotType(variant, 0).width, '$d', '$a')],
  }),
  ...lookUps,
  funnel(true),
  funnel(false),
  exact({
    id: 'prmt',
    section: '9.7.9.7',
    syntax: 'prmt.b32{.permutation}  d, a, b, c',
    summary: 'Four of the eight bytes of b:a, chosen by c.',
    availability: [row('prmt', at('2.0', 20))],
    operands: [d, a, b, c],
    steps: permute,
  }),
];
