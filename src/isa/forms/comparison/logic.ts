/** Logic and shift instructions (PTX ISA 9.1, section 9.7.8). */
import type { BitFunction } from '../../../numerics/operations.ts';
import type { InstructionForm } from '../../form.ts';
import { read } from '../../operand-patterns.ts';
import { slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { TypeName } from '../../types.ts';
import { always } from '../availability-rows.ts';
import { exact } from '../exact.ts';
import { a, b, d } from '../first-type-operands.ts';

const bits: readonly TypeName[] = ['.b16', '.b32', '.b64'];

const amount = read('b', '.u32', { unpacked: true });
const truthA = read('a', 0, { negatable: true });
const truthB = read('b', 0, { negatable: true });

function bitSteps(fn: BitFunction, sources: readonly Ref[]): InstructionForm['steps'] {
  return (variant) => [{ kind: 'bits', fn, width: slotType(variant, 0).width, to: '$d', from: sources }];
}

type Line = Pick<InstructionForm, 'id' | 'section' | 'syntax' | 'summary' | 'sets' | 'operands' | 'steps'>;

const form = (line: Line): InstructionForm => exact({ ...line, availability: [always(line.id)] });

const dyadic: readonly InstructionForm[] = (
  [
    ['and', '9.7.8.1', 'Bitwise and'],
    ['or', '9.7.8.2', 'Bitwise or'],
    ['xor', '9.7.8.3', 'Bitwise exclusive or'],
  ] as const
).flatMap(([opcode, section, summary]) => [
  form({
    id: opcode,
    section,
    syntax: `${opcode}.type  d, a, b`,
    summary: `${summary}.`,
    sets: { type: bits },
    operands: [d, a, b],
    steps: bitSteps(opcode, ['$a', '$b']),
  }),
  form({
    id: `${opcode}.pred`,
    section,
    syntax: `${opcode}.pred  d, a, b`,
    summary: `${summary} of two predicates.`,
    operands: [d, truthA, truthB],
    steps: bitSteps(opcode, ['$a', '$b']),
  }),
]);

/** and, or, xor, not, shl and shr. */
export const logicForms = (): readonly InstructionForm[] => [
  ...dyadic,
  form({
    id: 'not',
    section: '9.7.8.4',
    syntax: 'not.type  d, a',
    summary: 'Inverts every bit.',
    sets: { type: bits },
    operands: [d, a],
    steps: bitSteps('not', ['$a']),
  }),
  form({
    id: 'not.pred',
    section: '9.7.8.4',
    syntax: 'not.pred  d, a',
    summary: 'Inverts a predicate.',
    operands: [d, truthA],
    steps: bitSteps('not', ['$a']),
  }),
  form({
    id: 'shl',
    section: '9.7.8.8',
    syntax: 'shl.type  d, a, b',
    summary: 'Shifts bits left and fills with zeros; shifts by the width or more give 0.',
    sets: { type: bits },
    operands: [d, a, amount],
    steps: bitSteps('shl', ['$a', '$b']),
  }),
  form({
    id: 'shr',
    section: '9.7.8.9',
    syntax: 'shr.type  d, a, b',
    summary: 'Shifts bits right and fills with copies of the sign for signed types, otherwise with zeros.',
    sets: { type: [...bits, '.u16', '.u32', '.u64', '.s16', '.s32', '.s64'] },
    operands: [d, a, amount],
    steps: (variant) => {
      const { class: kind, width } = slotType(variant, 0);
      return [{ kind: 'bits', fn: kind === 'signed' ? 'shr.s' : 'shr.u', width, to: '$d', from: ['$a', '$b'] }];
    },
  }),
];
