/** Instructions that count, find, reverse and move bits of integers (PTX ISA 9.1, sections 9.7.1.14 to 9.7.1.22). */
import { elementAt } from '../../../base/element-at.ts';
import { integerName } from '../../../numerics/formats.ts';
import type { BitFunction } from '../../../numerics/operations.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { has, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, d } from '../first-type-operands.ts';
import { bits, compare, constant, integer, select } from './steps.ts';

const words: readonly TypeName[] = ['.b32', '.b64'];
const integers: readonly TypeName[] = ['.u32', '.u64', '.s32', '.s64'];

const count = write('d', '.u32', { unpacked: true });
const amount = { unpacked: true, range: [0, 255] } as const;

const widthOf = (variant: Variant): number => slotType(variant, 0).width;

// --- counting, reversing, finding -----------------------------------------------------------------------------------

const unary: readonly InstructionForm[] = (
  [
    ['popc', '9.7.1.14', 'The number of set bits.'],
    ['clz', '9.7.1.15', 'The number of zeros above the topmost set bit.'],
    ['brev', '9.7.1.18', 'Bits in reverse order.'],
  ] as const
).map(([opcode, section, summary]) =>
  exact({
    id: opcode,
    section,
    syntax: `${opcode}.type  d, a`,
    summary,
    sets: { type: words },
    availability: [row(opcode, at('2.0', 20))],
    operands: [opcode === 'brev' ? d : count, a],
    steps: (variant) => [bits(opcode satisfies BitFunction, widthOf(variant), '$d', '$a')],
  }),
);

/** For a negative number, this finds the topmost 0 bit by searching for the topmost 1 bit of the complement. */
const findTopmost: InstructionForm['steps'] = (variant) => {
  const { class: kind, width } = slotType(variant, 0);
  const searched: Ref = kind === 'signed' ? '$magnitude' : '$a';
  const complement: readonly Step[] =
    kind === 'signed'
      ? [
          constant('$last', width - 1),
          bits('shr.s', width, '$sign', '$a', '$last'),
          bits('xor', width, '$magnitude', '$a', '$sign'),
        ]
      : [];
  const above = bits('clz', width, '$above', searched);
  if (!has(variant, '.shiftamt')) {
    return [...complement, above, constant('$top', width - 1), integer('sub', 'u32', '$d', '$top', '$above')];
  }
  return [
    ...complement,
    above,
    constant('$all', width),
    compare('eq', 'u32', '$none', '$above', '$all'),
    constant('$nothing', -1),
    select('$d', '$none', '$nothing', '$above'),
  ];
};

const finding: readonly InstructionForm[] = [
  exact({
    id: 'bfind',
    section: '9.7.1.16',
    syntax: 'bfind{.shiftamt}.type  d, a',
    summary:
      'The position of the topmost bit that differs from the sign, or the distance of that bit from the top; all ones if there is no such bit.',
    sets: { type: integers },
    availability: [row('bfind', at('2.0', 20))],
    operands: [count, a],
    steps: findTopmost,
  }),
  exact({
    id: 'fns',
    section: '9.7.1.17',
    syntax: 'fns.b32  d, mask, base, offset',
    summary:
      'The position of a set bit of a mask: the one that is number |offset|, counted upward from base, or downward if offset is negative.',
    // The ISA says that fns was introduced in 6.0, but ptxas has accepted it since 5.1.
    availability: [row('fns', at('5.1', 30))],
    operands: [d, read('mask', 0), read('base', '.b32'), read('offset', '.b32')],
    steps: () => [bits('fns', 32, '$d', '$mask', '$base', '$offset')],
  }),
];

// --- fields ---------------------------------------------------------------------------------------------------------

/**
 * Positions and lengths are given by the low eight bits of their operands, as in the ISA's pseudo-code. The machine
 * code for 64-bit types does not mask the operands. This makes a difference only where the ISA leaves the result
 * undefined.
 */
function lowByte(width: number, to: Ref, from: Ref): readonly Step[] {
  if (width === 64) return [{ kind: 'copy', to, from }];
  return [constant('$byte', 0xff), bits('and', 32, to, from, '$byte')];
}

/**
 * Shifts the field to the top of the word and then back down. The second shift fills the bits above the field with
 * copies of its sign or with zeros.
 */
const extract: InstructionForm['steps'] = (variant) => {
  const { class: kind, width } = slotType(variant, 0);
  const down = kind === 'signed' ? 'shr.s' : 'shr.u';
  return [
    constant('$width', width),
    ...lowByte(width, '$position', '$b'),
    ...lowByte(width, '$length', '$c'),
    integer('min', 'u32', '$kept', '$length', '$width'),
    integer('sub', 'u32', '$spare', '$width', '$kept'),
    bits(down, width, '$moved', '$a', '$position'),
    bits('shl', width, '$raised', '$moved', '$spare'),
    bits(down, width, '$d', '$raised', '$spare'),
  ];
};

/** Sets `to` to a mask of `length` ones, starting at bit `position`. */
function mask(width: number, to: Ref, position: Ref, length: Ref): readonly Step[] {
  const type = integerName(false, width);
  return [
    constant('$one', 1, width),
    bits('shl', width, '$bound', '$one', length),
    integer('sub', type, '$ones', '$bound', '$one'),
    bits('shl', width, to, '$ones', position),
  ];
}

const insert: InstructionForm['steps'] = (variant) => {
  const width = widthOf(variant);
  return [
    ...lowByte(width, '$position', '$c'),
    ...lowByte(width, '$length', '$d'),
    ...mask(width, '$mask', '$position', '$length'),
    bits('shl', width, '$moved', '$a', '$position'),
    bits('xor', width, '$differs', '$moved', '$b'),
    bits('and', width, '$changed', '$differs', '$mask'),
    bits('xor', width, '$f', '$b', '$changed'),
  ];
};

/**
 * With `.wrap`, only the low five bits of each position or length are used. `.clamp` needs no step, because shifts
 * beyond the width produce zeros.
 */
function bounded(
  variant: Variant,
  names: readonly Ref[],
): { readonly steps: readonly Step[]; readonly to: readonly Ref[] } {
  if (!has(variant, '.wrap')) return { steps: [], to: names };
  const to = names.map((name): Ref => `${name}.wrapped`);
  const wrapped = names.map((name, i) => bits('and', 32, elementAt(to, i), name, '$five'));
  return { steps: [constant('$five', 31), ...wrapped], to };
}

const makeMask: InstructionForm['steps'] = (variant) => {
  const { steps, to } = bounded(variant, ['$a', '$b']);
  const [position = '$a', length = '$b'] = to;
  return [...steps, ...mask(32, '$d', position, length)];
};

const extend: InstructionForm['steps'] = (variant) => {
  const { steps, to } = bounded(variant, ['$b']);
  const [length = '$b'] = to;
  return [
    ...steps,
    constant('$width', 32),
    integer('min', 'u32', '$kept', length, '$width'),
    integer('sub', 'u32', '$spare', '$width', '$kept'),
    bits('shl', 32, '$raised', '$a', '$spare'),
    bits(slotType(variant, 0).class === 'signed' ? 'shr.s' : 'shr.u', 32, '$d', '$raised', '$spare'),
  ];
};

const fields: readonly InstructionForm[] = [
  exact({
    id: 'bfe',
    section: '9.7.1.19',
    syntax: 'bfe.type  d, a, b, c',
    summary: 'The c-bit field that starts at bit b, sign-extended for signed types.',
    sets: { type: integers },
    availability: [row('bfe', at('2.0', 20))],
    operands: [d, a, read('b', '.u32', amount), read('c', '.u32', amount)],
    steps: extract,
  }),
  exact({
    id: 'bfi',
    section: '9.7.1.20',
    syntax: 'bfi.type  f, a, b, c, d',
    summary: 'b with the low d bits of a inserted at bit c.',
    sets: { type: words },
    availability: [row('bfi', at('2.0', 20))],
    operands: [write('f', 0), a, read('b', 0), read('c', '.u32', amount), read('d', '.u32', amount)],
    steps: insert,
  }),
  exact({
    id: 'szext',
    section: '9.7.1.21',
    syntax: 'szext.bound.type  d, a, b',
    summary: 'The low b bits of a, extended with their sign or with zeros.',
    sets: { type: ['.u32', '.s32'] },
    availability: [row('szext', at('7.6', 70))],
    operands: [d, a, read('b', '.u32', { unpacked: true })],
    steps: extend,
  }),
  exact({
    id: 'bmsk',
    section: '9.7.1.22',
    syntax: 'bmsk.bound.b32  d, a, b',
    summary: 'A mask of b ones that starts at bit a.',
    availability: [row('bmsk', at('7.6', 70))],
    operands: [count, read('a', '.u32', { unpacked: true }), read('b', '.u32', { unpacked: true })],
    steps: makeMask,
  }),
];

/** popc, clz, brev, bfind, fns, bfe, bfi, szext and bmsk. */
export const bitFieldForms = (): readonly InstructionForm[] => [...unary, ...finding, ...fields];
