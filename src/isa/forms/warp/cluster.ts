/**
 * Instructions for clusters, grids and their resources: mapa, getctarank, griddepcontrol, setmaxnreg, pmevent (sections
 * 9.7.9.23, 9.7.9.24, 9.7.13.13 and 9.7.19 of PTX ISA 9.1). Instructions that wait for another grid have no effect,
 * because grids never overlap.
 */
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { plainWords } from '../../modifiers.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at, atSuffixed, type Availability } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { rankOfFirst, rankShift } from '../../spaces.ts';
import { compare, constant, extract, integer, join, select } from '../integer/steps.ts';
import { noEffect } from '../no-effect.ts';

interface Line extends Pick<InstructionForm, 'id' | 'section' | 'syntax' | 'summary' | 'sets' | 'operands'> {
  readonly ways: readonly Availability[];
  readonly steps?: InstructionForm['steps'];
}

function form({ ways, steps = () => noEffect, ...line }: Line): InstructionForm {
  const subject = plainWords(line.syntax, line.sets);
  return { ...line, regime: 'exact', availability: [{ subject, ways }], steps };
}

const rankBits = 32 - rankShift;

/**
 * Replaces the rank of the block in an address. In a generic address, the upper half does not change, because it
 * identifies the window of shared memory.
 */
function mapped(isWide: boolean): readonly Step[] {
  const low = [
    constant('$first', rankOfFirst),
    integer('add', 'u32', '$rank', '$b', '$first'),
    extract('$offset', '$a', 0, rankShift),
    join(isWide ? '$low' : '$d', '$rank', '$offset', rankShift, 32),
  ];
  return isWide ? [...low, extract('$window', '$a', 32, 32), join('$d', '$window', '$low', 32, 64)] : low;
}

/** The text of the ISA lists only the unsigned types; ptxas also accepts the signed ones. */
const sizes: readonly TypeName[] = ['.u32', '.u64', '.s32', '.s64'];

const inShared: OperandPattern = {
  kind: 'window',
  name: 'a',
  type: 0,
  variables: true,
  space: '.shared::cluster',
  constants: true,
};

const constantOnly = { constantOnly: true } as const;

const resources = (): readonly InstructionForm[] => [
  form({
    id: 'griddepcontrol',
    section: '9.7.13.13',
    syntax: 'griddepcontrol.action',
    summary: 'Lets the grids that depend on this grid start, or waits for the grids on which it depends.',
    sets: { action: ['.launch_dependents', '.wait'] },
    ways: [at('7.8', 90)],
    operands: [],
  }),
  ...['inc', 'dec'].map((change) =>
    form({
      id: `setmaxnreg.${change}`,
      section: '9.7.19.5',
      syntax: `setmaxnreg.${change}.sync.aligned.type  n`,
      summary: `${change === 'inc' ? 'Requests registers' : 'Releases registers'}, so that each thread of the warp then has n registers.`,
      sets: { type: ['.u32', '.s32'] },
      ways: [atSuffixed('8.0', 90)],
      operands: [read('n', '.u32', { ...constantOnly, range: [24, 256], multiple: 8 })],
    }),
  ),
  form({
    id: 'pmevent',
    section: '9.7.19.3',
    syntax: 'pmevent  a',
    summary: 'Triggers performance monitor event a.',
    ways: [at('1.4')],
    operands: [read('a', '.u32', { ...constantOnly, range: [0, 15] })],
  }),
  form({
    id: 'pmevent.mask',
    section: '9.7.19.3',
    syntax: 'pmevent.mask  a',
    summary: 'Triggers the performance monitor events whose bits are set in a.',
    ways: [at('3.0', 20)],
    operands: [read('a', '.u32', { ...constantOnly, range: [0, 0xffff] })],
  }),
];

/** Finds the rank of the block to which an address in shared memory belongs. */
export function rankOf(to: Ref, address: Ref): readonly ValueStep[] {
  return [
    extract('$from-first', address, rankShift, rankBits),
    constant('$none', 0),
    constant('$first', rankOfFirst),
    compare('eq', 'u32', '$is-own', '$from-first', '$none'),
    integer('sub', 'u32', '$rank', '$from-first', '$first'),
    select(to, '$is-own', '$CLUSTER.RANK', '$rank'),
  ];
}

/** mapa, getctarank, griddepcontrol, setmaxnreg and pmevent. */
export const clusterForms = (): readonly InstructionForm[] => [
  form({
    id: 'mapa',
    section: '9.7.9.23',
    syntax: 'mapa{.shared::cluster}.type  d, a, b',
    summary: 'Given address a in shared memory, returns the corresponding address in block b of the cluster.',
    sets: { type: sizes },
    ways: [at('7.8', 90)],
    operands: [write('d', 0), inShared, read('b', '.u32', { unpacked: true })],
    steps: ({ types }) => mapped(types[0]?.width === 64),
  }),
  form({
    id: 'getctarank',
    section: '9.7.9.24',
    syntax: 'getctarank{.shared::cluster}.type  d, a',
    summary: 'Finds the block to which an address belongs, and returns the rank of that block in the cluster.',
    sets: { type: sizes },
    ways: [at('7.8', 90)],
    operands: [write('d', '.u32', { unpacked: true }), inShared],
    steps: () => rankOf('$d', '$a'),
  }),
  ...resources(),
];
