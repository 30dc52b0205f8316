/**
 * barrier.cluster (PTX ISA 9.1, section 9.7.13.3). The barrier is a 64-bit object in the shared memory of the
 * cluster's first block. It is initially zero and has these fields:
 *
 * | bits | field |
 * | ---- | ------------------------------------------------------ |
 * | 20 | threads that have arrived in the current phase |
 * | 20 | threads that have exited and are not waited for |
 * | 24 | number of the current phase |
 *
 * In addition, each block has one byte for each of its threads. The byte is 0 if the thread has never arrived;
 * otherwise, it is 2 plus the lowest bit of the number of the phase in which the thread last arrived. The thread has to
 * wait as long as the number of the current phase has the same lowest bit as the thread's byte. Comparing one bit is
 * enough, because the next phase cannot end before this thread arrives in it.
 */
import type { InstructionForm } from '../../form.ts';
import { plainWords } from '../../modifiers.ts';
import { type MemoryOrder, releasedToCluster } from '../../steps/order.ts';
import { clusterBarrier, clusterPhases, clusterWaits, type Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { at } from '../../targets.ts';
import { needs, row } from '../availability-rows.ts';
import { bits, compare, constant, extract, integer, join, resize, select } from '../integer/steps.ts';
import { orderOf } from '../order-of.ts';

const fieldBits = 20;
const phaseBits = 64 - 2 * fieldBits;

/** Computes the byte for a thread that arrives in the current phase. */
function byteOfPhase(to: Ref, object: Ref): readonly ValueStep[] {
  return [extract('$parity', object, 2 * fieldBits, 1), constant('$arrival', 1), join(to, '$arrival', '$parity', 1, 2)];
}

/**
 * If a thread exits after it has arrived in the current phase, it is counted only as exited and no longer as arrived.
 * `$byte` holds the byte of that thread as it was before the change.
 */
const exits: readonly ValueStep[] = [
  ...byteOfPhase('$current', '$old'),
  compare('eq', 'u32', '$has-arrived', '$byte', '$current'),
  select('$twice', '$has-arrived', '$one', '$none'),
  integer('sub', 'u32', '$arrived', '$arrived', '$twice'),
  integer('add', 'u32', '$exited', '$exited', '$one'),
];

const arrives: readonly ValueStep[] = [integer('add', 'u32', '$arrived', '$arrived', '$one')];

/** Updates the barrier. If the current phase then has no more threads to wait for, the next phase starts. */
function change(counts: readonly ValueStep[], order: MemoryOrder): Step {
  const steps: readonly ValueStep[] = [
    extract('$arrived', '$old', 0, fieldBits),
    extract('$exited', '$old', fieldBits, fieldBits),
    extract('$phase', '$old', 2 * fieldBits, phaseBits),
    constant('$none', 0),
    constant('$one', 1),
    ...counts,
    integer('add', 'u32', '$all', '$arrived', '$exited'),
    compare('eq', 'u32', '$everyone', '$all', '$CLUSTER.THREADS'),
    compare('ne', 'u32', '$anyone', '$arrived', '$none'),
    bits('and', 1, '$complete', '$everyone', '$anyone'),
    select('$arrived', '$complete', '$none', '$arrived'),
    select('$passed', '$complete', '$one', '$none'),
    integer('add', 'u32', '$phase', '$phase', '$passed'),
    join('$counts', '$exited', '$arrived', fieldBits, 2 * fieldBits),
    join('$next', '$phase', '$counts', 2 * fieldBits, 64),
  ];
  return {
    kind: 'atomic',
    space: 'shared',
    width: 64,
    address: clusterBarrier,
    old: ['$old'],
    next: ['$next'],
    steps,
    order: { ...order, phases: { low: 2 * fieldBits, width: phaseBits } },
  };
}

/** The address of the thread's byte. */
const findOwnByte: readonly ValueStep[] = [
  join('$number', '$WARP', '$LANE', 5, 32),
  resize('$own', 'u64', '$number', 'u32'),
  integer('add', 'u64', '$own', '$own', clusterPhases),
];

const arrive = (order: MemoryOrder): readonly Step[] => [
  ...findOwnByte,
  change(arrives, order),
  ...byteOfPhase('$byte', '$old'),
  { kind: 'store', space: 'shared', width: 8, from: ['$byte'], address: '$own', order: null, object: null },
];

const load = { kind: 'load', space: 'shared', proxy: 'generic', unused: false } as const;

const loadByte: Step = { ...load, width: 8, to: ['$byte'], address: '$own', order: null };

const wait: readonly Step[] = [
  ...findOwnByte,
  loadByte,
  { ...load, width: 64, to: ['$object'], address: clusterBarrier, order: { semantics: 'acquire', scope: 'cluster' } },
  ...byteOfPhase('$current', '$object'),
  compare('eq', 'u32', clusterWaits, '$current', '$byte'),
];

/** The steps that a thread executes before it exits, if its kernel contains instructions for the barrier. */
export const leaveCluster: readonly Step[] = [...findOwnByte, loadByte, change(exits, releasedToCluster)];

type Row = Pick<InstructionForm, 'summary' | 'polls' | 'repeatsWhile'> & {
  readonly word: 'arrive' | 'wait';
  readonly orders: readonly string[];
  readonly steps: (order: MemoryOrder) => readonly Step[];
};

const rows: readonly Row[] = [
  {
    word: 'arrive',
    orders: ['.release', '.relaxed'],
    summary: 'Arrives at the barrier of the cluster.',
    steps: arrive,
  },
  {
    word: 'wait',
    orders: ['.acquire'],
    summary: 'Waits until all threads of the cluster have arrived.',
    steps: () => wait,
    polls: true,
    repeatsWhile: clusterWaits,
  },
];

export const clusterBarrierForms = (): readonly InstructionForm[] =>
  rows.map(({ word, orders, steps, ...line }) => {
    const syntax = `barrier.cluster.${word}{.sem}{.aligned}`;
    const sets = { sem: orders };
    const orderRows = orders.map((order) =>
      needs(`barrier.cluster with ${order}`, { modifiers: [order] }, at('8.0', 90)),
    );
    return {
      ...line,
      id: `barrier.cluster.${word}`,
      section: '9.7.13.3',
      syntax,
      sets,
      regime: 'exact',
      availability: [row(plainWords(syntax, sets), at('7.8', 90)), ...orderRows],
      operands: [],
      steps: (variant) => steps(orderOf(variant, releasedToCluster)),
    };
  });
