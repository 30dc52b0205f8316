/**
 * The tcgen05 instructions that allocate, load, store and copy tensor memory, and those that wait for them (PTX ISA
 * 9.1, sections 9.7.16.7 to 9.7.16.12). On a GPU, some of these operations complete after the instruction; in ptxlab,
 * every operation is complete when the instruction ends, so there is nothing to wait for. Copies of 4 rows and shifts
 * are checked but not executed. Versions and targets were determined with ptxas 13.0.
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { Environment } from '../../environment.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { AccessSpace } from '../../spaces.ts';
import { meet } from '../../steps/meet.ts';
import type { Step } from '../../steps/step.ts';
import type { TensorCopy } from '../../tensor-copy.ts';
import { atBefore, atListed } from '../../targets.ts';
import { needs, row } from '../availability-rows.ts';
import { type CheckedLine, checked, tensorMemory } from '../checked.ts';
import { operandList } from '../operand-list.ts';
import { listTypes } from '../matrix/parts.ts';
import { noEffect } from '../no-effect.ts';
import { allocate, free, relinquish } from './allocation-steps.ts';
import { arriveInBlocks, arriveOnce } from './commit-steps.ts';
import { loadSteps, type MoveShape, reductionSteps, storeSteps } from './move-steps.ts';
import { blocksOf, anyTensor, chips, descriptor, groups, tensorOfWords } from './parts.ts';

const line = (made: CheckedLine): InstructionForm => checked(made, ...tensorMemory);
const executedLine = (made: CheckedLine, steps: InstructionForm['steps']): InstructionForm => ({
  ...line(made),
  steps,
});

// --- loads and stores -----------------------------------------------------------------------------------------------

/** Returns the choice whose word is one of the variant's modifiers. */
function chosen<T>(variant: Variant, choices: readonly T[], wordOf: (choice: T) => string): T {
  const found = choices.find((choice) => has(variant, wordOf(choice)));
  if (found === undefined) throw new Error(`'${variant.mnemonic}' has none of ${choices.map(wordOf).join(', ')}`);
  return found;
}

const powers = [1, 2, 4, 8, 16, 32, 64, 128];

/** The number of registers that a variant loads or stores. */
function countOf(variant: Variant, counts: Readonly<Record<string, number>>): number {
  return chosen(variant, Object.entries(counts), ([word]) => word)[1];
}

/** A layout, which defines how lanes and columns of tensor memory correspond to registers. */
interface Layout {
  readonly shapes: readonly MoveShape[];
  /** Number of registers per thread for `.x1`. */
  readonly registers: number;
  /** True if the instruction has an operand for the distance between the two halves of the data. */
  readonly split: boolean;
}

const layouts: readonly Layout[] = [
  { shapes: ['.16x64b', '.32x32b'], registers: 1, split: false },
  { shapes: ['.16x128b'], registers: 2, split: false },
  { shapes: ['.16x256b'], registers: 4, split: false },
  { shapes: ['.16x32bx2'], registers: 1, split: true },
];

const countsOf = (registers: number, least = 1): Readonly<Record<string, number>> =>
  Object.fromEntries(powers.filter((n) => n >= least && n * registers <= 128).map((n) => [`.x${n}`, n * registers]));

const distance = read('imm-half-split-off', '.s64', { constantOnly: true });

function move(opcode: 'ld' | 'st', { shapes, registers, split }: Layout): InstructionForm {
  const counts = countsOf(registers);
  const loads = opcode === 'ld';
  const list: OperandPattern = {
    kind: 'registers',
    name: 'r',
    element: loads ? write('r', '.b32') : read('r', '.b32'),
    counts: [counts],
    types: listTypes.any,
    joined: true,
    untyped: !loads,
  };
  const address = [tensorOfWords('taddr'), ...(split ? [distance] : [])];
  const operands = loads ? [list, ...address] : [...address, list];
  const made = line({
    id: `tcgen05.${opcode}${shapes[0]}`,
    section: loads ? '9.7.16.8.3' : '9.7.16.8.4',
    syntax: `tcgen05.${opcode}.sync{.aligned}.shape.num{${loads ? '.pack' : '.unpack'}::16b}.b32  ${operandList(operands)}`,
    summary: loads ? 'Loads registers from tensor memory.' : 'Stores registers in tensor memory.',
    sets: { shape: shapes, num: Object.keys(counts) },
    rows: [withoutAligned(`tcgen05.${opcode}`)],
    operands,
  });
  const steps: InstructionForm['steps'] = (variant) => {
    const shape = chosen(variant, shapes, (word) => word);
    const packed = has(variant, loads ? '.pack::16b' : '.unpack::16b');
    const moved = { shape, count: countOf(variant, counts), packed };
    return loads ? loadSteps(moved) : storeSteps(moved);
  };
  // A thread can load what other threads of the warp have stored.
  return loads ? { ...made, steps, meets: 'before' } : { ...made, steps };
}

/** The ISA requires `.aligned`, but up to version 9.0, ptxas accepts the instruction without it. */
const withoutAligned = (opcode: string): AvailabilityRow =>
  needs(`${opcode} without .aligned`, { without: ['.aligned'] }, atBefore('9.1'));

/** Loads that also reduce the values of each thread to a single value. */
function reduce(shape: MoveShape, split: boolean, float: boolean): InstructionForm {
  const counts = countsOf(1, 2);
  const list: OperandPattern = {
    kind: 'registers',
    name: 'r',
    element: write('r', '.b32'),
    counts: [counts],
    types: listTypes.any,
    joined: true,
  };
  const result: OperandPattern = { kind: 'lanes', name: 'd', value: write('d', '.b32'), braced: true };
  const operands = [list, result, tensorOfWords('taddr'), ...(split ? [distance] : [])];
  const made = line({
    id: `tcgen05.ld.red${shape}${float ? '.f32' : ''}`,
    section: '9.7.16.8.3',
    syntax: `tcgen05.ld.red.sync{.aligned}${shape}.num.op${float ? '{.abs}{.NaN}.f32' : '.type'}  ${operandList(operands)}`,
    summary: 'Loads registers from tensor memory and finds the smallest or largest value in them.',
    sets: { num: Object.keys(counts), op: ['.min', '.max'], ...(float ? {} : { type: ['.u32', '.s32'] }) },
    rows: [
      needs(
        'tcgen05.ld.red',
        {},
        atListed('8.8', 'sm_101a', 'sm_101f', 'sm_103a', 'sm_103f'),
        atListed('9.0', 'sm_110a', 'sm_110f'),
        atListed('9.4', 'sm_107a', 'sm_107f'),
      ),
      withoutAligned('tcgen05.ld.red'),
    ],
    operands,
  });
  const steps: InstructionForm['steps'] = (variant) => {
    const count = countOf(variant, counts);
    return [...loadSteps({ shape, count, packed: false }), ...reductionSteps(variant, count, '$d.0')];
  };
  return { ...made, steps, meets: 'before' };
}

const moves = () => (['ld', 'st'] as const).flatMap((opcode) => layouts.map((layout) => move(opcode, layout)));
const reductions = () =>
  [false, true].flatMap((split) => [false, true].map((float) => reduce(split ? '.16x32bx2' : '.32x32b', split, float)));

// --- copies ---------------------------------------------------------------------------------------------------------

/**
 * The shapes of data that can be copied, each with the modifiers that determine how the data is distributed to warps.
 */
const copyShapes = [
  { id: '', shape: ['.128x256b', '.4x256b', '.128x128b'], warps: [] },
  { id: '.64', shape: ['.64x128b'], warps: ['.warpx2::02_13', '.warpx2::01_23'] },
  { id: '.32', shape: ['.32x128b'], warps: ['.warpx4'] },
];

const everyWarp = [[0], [32], [64], [96]];

/**
 * How data is distributed to warps, by the modifier that determines it. Each list belongs to a group of 32 rows, and
 * contains the lanes at which the copies of this group begin.
 */
const partsByWarps: Readonly<Record<string, TensorCopy['parts']>> = {
  '.128x256b': everyWarp,
  '.128x128b': everyWarp,
  '.warpx2::02_13': [
    [0, 64],
    [32, 96],
  ],
  '.warpx2::01_23': [
    [0, 32],
    [64, 96],
  ],
  '.warpx4': [[0, 32, 64, 96]],
};

/** The steps of a copy; null for copies of 4 rows, which are not executed. */
function copySteps(variant: Variant): readonly Step[] | null {
  const words = Object.values(variant.modifiers);
  const parts = words.map((word) => partsByWarps[word]).find((found) => found !== undefined);
  if (parts === undefined) return null;
  const unpacks = has(variant, '.b6x16_p32') ? 6 : has(variant, '.b4x16_p64') ? 4 : null;
  const copy = { blocks: blocksOf(variant), parts, chunks: has(variant, '.128x256b') ? 2 : 1, unpacks } as const;
  return [{ kind: 'tensor-copy', copy, tensorSpace: 'tensor', space: 'shared', to: '$taddr', source: '$s-desc' }];
}

const copies = () =>
  copyShapes.flatMap(({ id, shape, warps }) =>
    [false, true].map((unpacks) => {
      const operands = [anyTensor('taddr'), descriptor('s-desc')];
      const made = line({
        id: `tcgen05.cp${id}${unpacks ? '.unpacked' : ''}`,
        section: '9.7.16.9.1',
        syntax: `tcgen05.cp.group.shape${warps.length > 0 ? '.warps' : ''}${unpacks ? '.b8x16.source' : ''}  ${operandList(operands)}`,
        summary: `Starts copying shared memory to tensor memory${unpacks ? ' and unpacks small elements' : ''}.`,
        sets: {
          group: groups,
          shape,
          ...(warps.length > 0 ? { warps } : {}),
          ...(unpacks ? { source: ['.b6x16_p32', '.b4x16_p64'] } : {}),
        },
        operands,
      });
      return {
        ...made,
        steps: (variant: Variant, environment: Environment) => copySteps(variant) ?? made.steps(variant, environment),
      };
    }),
  );

const shift = () =>
  line({
    id: 'tcgen05.shift',
    section: '9.7.16.9.2',
    syntax: 'tcgen05.shift.group.down  [taddr]',
    summary: 'Starts shifting rows of tensor memory down by one.',
    sets: { group: groups },
    rows: [row('tcgen05.shift', ...chips)],
    operands: [anyTensor('taddr')],
  });

// --- allocation, order and groups -----------------------------------------------------------------------------------

/** The space of the operand in memory. Without a modifier for the space, its address is generic. */
const spaceIn = (variant: Variant): AccessSpace =>
  has(variant, '.shared::cta') || has(variant, '.shared::cluster') ? 'shared' : 'generic';

const inMemory = (name: string): OperandPattern => ({
  kind: 'address',
  name,
  access: 'store',
  least: { bits: 32 },
});

const allocation = () => [
  executedLine(
    {
      id: 'tcgen05.alloc',
      section: '9.7.16.7.1',
      syntax: 'tcgen05.alloc.group.sync.aligned{.space}.b32  [dst], n-cols',
      summary: 'Allocates columns of tensor memory and stores their address.',
      sets: { group: groups, space: ['.shared::cta'] },
      operands: [inMemory('dst'), read('n-cols', '.u32', { unpacked: true, oneOf: [32, 64, 128, 256, 512] })],
    },
    (variant) => allocate(spaceIn(variant)),
  ),
  executedLine(
    {
      id: 'tcgen05.dealloc',
      section: '9.7.16.7.1',
      syntax: 'tcgen05.dealloc.group.sync.aligned.b32  taddr, n-cols',
      summary: 'Frees columns of tensor memory.',
      sets: { group: groups },
      operands: [read('taddr', '.u32', { unpacked: true }), read('n-cols', '.u32', { unpacked: true, multiple: 32 })],
    },
    () => free,
  ),
  executedLine(
    {
      id: 'tcgen05.relinquish_alloc_permit',
      section: '9.7.16.7.1',
      syntax: 'tcgen05.relinquish_alloc_permit.group.sync.aligned',
      summary: 'Gives up the right of the thread block to allocate more tensor memory.',
      sets: { group: groups },
      operands: [],
    },
    () => relinquish,
  ),
];

const meeting: readonly Step[] = [meet];

const waits = () =>
  (['ld', 'st'] as const).map((what) =>
    executedLine(
      {
        id: `tcgen05.wait.${what}`,
        section: '9.7.16.8.5',
        syntax: `tcgen05.wait::${what}.sync.aligned`,
        summary: `Waits until the ${what === 'ld' ? 'loads' : 'stores'} of this thread are complete.`,
        operands: [],
      },
      () => meeting,
    ),
  );

const fences = () =>
  (['before', 'after'] as const).map((when) =>
    executedLine(
      {
        id: `tcgen05.fence.${when}`,
        section: '9.7.16.11.1',
        syntax: `tcgen05.fence::${when}_thread_sync`,
        summary: `Orders asynchronous instructions ${when} a synchronization of threads.`,
        operands: [],
      },
      () => noEffect,
    ),
  );

const commits = () =>
  [false, true].map((multicast) =>
    executedLine(
      {
        id: `tcgen05.commit${multicast ? '.multicast' : ''}`,
        section: '9.7.16.12.1',
        syntax: `tcgen05.commit.group.mbarrier::arrive::one{.space}${multicast ? '.multicast::cluster' : ''}.b64  [mbar]${multicast ? ', cta-mask' : ''}`,
        summary: 'Makes an mbarrier object track the completion of the asynchronous instructions of this thread.',
        sets: { group: groups, space: ['.shared::cluster'] },
        operands: [inMemory('mbar'), ...(multicast ? [read('cta-mask', '.u16', { registerOnly: true })] : [])],
      },
      (variant) => (multicast ? arriveInBlocks(spaceIn(variant)) : arriveOnce(spaceIn(variant))),
    ),
  );

/** tcgen05, except the products. */
export const tensorMoveForms = (): readonly InstructionForm[] => [
  ...allocation(),
  ...moves(),
  ...reductions(),
  ...waits(),
  ...copies(),
  shift(),
  ...fences(),
  ...commits(),
];
