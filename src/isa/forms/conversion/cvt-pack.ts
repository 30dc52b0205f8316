/** cvt.pack (section 9.7.9.22 of PTX ISA 9.1). */
import type { InstructionForm, Variant } from '../../form.ts';
import { read, write } from '../../operand-patterns.ts';
import { integerType } from '../../variant.ts';
import { formats } from '../../../numerics/formats.ts';
import type { Step } from '../../steps/step.ts';
import { at } from '../../targets.ts';
import { needs, row } from '../availability-rows.ts';

const section = '9.7.9.22';

const d = write('d', '.u32');
const a = read('a', '.s32');
const b = read('b', '.s32');
const c = read('c', '.b32');

function packSteps(variant: Variant): readonly Step[] {
  const type = integerType(variant, 0);
  const { width } = formats[type];
  const clamped: readonly Step[] = [
    { kind: 'clamp', type, to: '$a.0', from: '$a' },
    { kind: 'clamp', type, to: '$b.0', from: '$b' },
    { kind: 'pack', to: '$ab', from: ['$a.0', '$b.0'], lane: width, stride: width },
  ];
  if (variant.types.length < 3) return [...clamped, { kind: 'copy', to: '$d', from: '$ab' }];
  return [...clamped, { kind: 'join', to: '$d', high: '$c', low: '$ab', shift: 2 * width, width: 32 }];
}

/** Both forms of cvt.pack. */
export const cvtPackForms = (): readonly InstructionForm[] => [
  {
    id: 'cvt.pack.16',
    section,
    syntax: 'cvt.pack.sat.convertType.s32  d, a, b',
    summary: 'Two s32 values clamped to 16 bits, with a in the upper half.',
    sets: { convertType: ['.u16', '.s16'] },
    regime: 'relaxed',
    availability: [row('cvt.pack', at('6.5', 72))],
    operands: [d, a, b],
    steps: packSteps,
  },
  {
    id: 'cvt.pack.c',
    section,
    syntax: 'cvt.pack.sat.convertType.s32.b32  d, a, b, c',
    summary:
      'Two s32 values clamped to 8 bits or fewer and packed into the low bits, with the low bits of c above them.',
    sets: { convertType: ['.u2', '.s2', '.u4', '.s4', '.u8', '.s8'] },
    regime: 'relaxed',
    availability: [
      row('cvt.pack', at('6.5', 72)),
      needs(
        'cvt.pack with a type narrower than 8 bits',
        { types: ['.u2', '.s2', '.u4', '.s4'], slot: 0 },
        at('6.5', 75),
      ),
    ],
    operands: [d, a, b, c],
    steps: packSteps,
  },
];
