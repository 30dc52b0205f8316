/**
 * mbarrier and cp.async.mbarrier.arrive (section 9.7.13.15 of PTX ISA 9.1). Versions and targets were determined with
 * ptxas 13.0. A thread that waits is never suspended. Instead, it lets the other threads run and then tests again.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { AccessSpace } from '../../spaces.ts';
import { completed, type MemoryOrder } from '../../steps/order.ts';
import { at, type Availability } from '../../targets.ts';
import { needs, needsModifier, row } from '../availability-rows.ts';
import { executed as form } from '../checked.ts';
import { constant } from '../integer/steps.ts';
import { orderOf } from '../order-of.ts';
import {
  type Change,
  changeObject,
  clearObject,
  makeObject,
  pendingIn,
  testParity,
  testState,
  unchanged,
} from './mbarrier-object.ts';

const ofObjects = at('7.0', 80);
/** What came with clusters: transactions, and objects in other blocks. */
const ofClusters = at('8.0', 90);

/**
 * In steps, the shared memory of all blocks in the cluster is a single space, because the address itself determines the
 * block to which it belongs.
 */
function spaceOf({ modifiers, mnemonic }: Variant): AccessSpace {
  return modifiers['space'] === undefined && !mnemonic.includes('.shared') ? 'generic' : 'shared';
}

const one = constant('$one-arrival', 1);

/**
 * The order of an access to an object. Its scope is at least the cluster: without a scope modifier, it would be the
 * block, but kernels of CUTLASS write none when they wait for other blocks.
 */
function objectOrder(variant: Variant, semantics: MemoryOrder['semantics']): MemoryOrder {
  return { semantics: orderOf(variant, { semantics, scope: 'cluster' }).semantics, scope: 'cluster' };
}

/** If the address is the name of a variable, that variable must be in `.shared`, even if there is no space modifier. */
const object: OperandPattern = { kind: 'address', name: 'a', access: 'store', space: '.shared', sized: true };

const block = ['.shared', '.shared::cta'];
const cluster = [...block, '.shared::cluster'];
const scopes = ['.cta', '.cluster'];

/** A memory order must be accompanied by a scope, and vice versa. */
const ordered = (...orders: readonly string[]): readonly Constraint[] => [
  { kind: 'axis-goes-with', axis: 'order', other: 'scope', values: scopes },
  { kind: 'axis-goes-with', axis: 'scope', other: 'order', values: orders },
];

const inBlock = needsModifier('.shared::cta', at('7.8', 80));
const ordering: readonly AvailabilityRow[] = [
  ...scopes.map((scope) => needs(`mbarrier with scope ${scope}`, { modifiers: [scope] }, at('8.0', 80))),
  needs('mbarrier with scope .cluster', { modifiers: ['.cluster'] }, ofClusters),
  needs('mbarrier with .relaxed', { modifiers: ['.relaxed'] }, at('8.6', 90)),
];

// --- objects --------------------------------------------------------------------------------------------------------

const lifetime = (): readonly InstructionForm[] => [
  form(
    {
      id: 'mbarrier.init',
      section: '9.7.13.15.9',
      syntax: 'mbarrier.init{.space}.b64  [a], count',
      summary: 'Makes an mbarrier object that expects count arrivals in each phase.',
      sets: { space: block },
      rows: [inBlock],
      operands: [object, read('count', '.u32', { unpacked: true })],
    },
    ofObjects,
    (variant) => makeObject(spaceOf(variant), '$a', '$count'),
  ),
  form(
    {
      id: 'mbarrier.inval',
      section: '9.7.13.15.10',
      syntax: 'mbarrier.inval{.space}.b64  [a]',
      summary: 'Invalidates an mbarrier object, so that its memory can be used for something else.',
      sets: { space: block },
      rows: [inBlock],
      operands: [object],
    },
    ofObjects,
    (variant) => clearObject(spaceOf(variant), '$a'),
  ),
  form(
    {
      id: 'mbarrier.pending_count',
      section: '9.7.13.15.17',
      syntax: 'mbarrier.pending_count.b64  count, state',
      summary: 'Extracts the number of pending arrivals from a state that an arrival returned.',
      operands: [write('count', '.u32', { unpacked: true }), read('state', '.u64')],
    },
    ofObjects,
    () => pendingIn('$count', '$state'),
  ),
];

const transactions = () =>
  (['expect', 'complete'] as const).map((change) =>
    form(
      {
        id: `mbarrier.${change}_tx`,
        section: change === 'expect' ? '9.7.13.15.11' : '9.7.13.15.12',
        syntax: `mbarrier.${change}_tx{.sem}{.scope}{.space}.b64  [a], tx-count`,
        summary:
          change === 'expect'
            ? 'Increases the number of bytes that the current phase expects.'
            : 'Counts bytes as transferred.',
        sets: { sem: ['.relaxed'], scope: scopes, space: cluster },
        constraints: ordered('.relaxed'),
        operands: [object, read('tx-count', '.u32', { unpacked: true })],
      },
      ofClusters,
      (variant) => [
        changeObject(
          spaceOf(variant),
          '$a',
          { ...unchanged, [change === 'expect' ? 'expected' : 'transferred']: '$tx-count' },
          objectOrder(variant, 'relaxed'),
        ),
      ],
    ),
  );

// --- arriving -------------------------------------------------------------------------------------------------------

interface Arrival {
  readonly id: string;
  /** The modifiers that are written between the opcode and the memory order. */
  readonly words: string;
  readonly counted: boolean;
  readonly way: Availability;
  /**
   * Whether the object may be in another block of the cluster. If false, the only order and scope allowed are
   * `.release` and `.cta`.
   */
  readonly remote: boolean;
}

const arrivals: readonly Arrival[] = [
  { id: '', words: '', counted: false, way: ofObjects, remote: true },
  { id: '.count', words: '', counted: true, way: at('7.8', 90), remote: true },
  { id: '.noComplete', words: '.noComplete', counted: true, way: ofObjects, remote: false },
  { id: '.expect_tx', words: '.expect_tx', counted: true, way: ofClusters, remote: true },
];

/**
 * The three forms of the result operand: a register (`state`), `_` with an object in the thread's own block (`sink`),
 * and `_` with an object anywhere in the cluster (`remote`).
 */
const results = ['state', 'sink', 'remote'] as const;

function changeOf(opcode: string, { words, counted }: Arrival): Change {
  const expects = words === '.expect_tx';
  const count = counted && !expects ? '$count' : '$one-arrival';
  return {
    ...unchanged,
    arrivals: count,
    dropped: opcode === 'mbarrier.arrive_drop' ? count : null,
    expected: expects ? '$tx-count' : null,
  };
}

function arrive(opcode: string, arrival: Arrival, result: (typeof results)[number]): InstructionForm {
  const { id, words, counted, remote, way } = arrival;
  const orders = remote ? ['.release', '.relaxed'] : ['.release'];
  const expects = words === '.expect_tx';
  const count = read(expects ? 'tx-count' : 'count', '.u32', {
    unpacked: true,
    ...(expects ? {} : { range: [1, 0xffff_ffff] }),
  });
  const name = result === 'state' ? 'state' : '_';
  const space = result === 'remote' ? '.shared::cluster' : '{.space}';
  const sinkWay = opcode === 'mbarrier.arrive' ? at('7.1', 80) : ofObjects;
  return form(
    {
      id: `${opcode}${id}${result === 'state' ? '' : `.${result}`}`,
      section: opcode === 'mbarrier.arrive' ? '9.7.13.15.13' : '9.7.13.15.14',
      syntax: `${opcode}${words}{.sem}{.scope}${space}.b64  ${name}, [a]${counted ? `, ${count.name}` : ''}`,
      summary: `Arrives at an mbarrier object${expects ? ' and expects more bytes' : ''}${opcode.endsWith('drop') ? '; later phases expect one fewer arrival' : ''}.`,
      sets: { sem: orders, scope: remote ? scopes : ['.cta'], space: block },
      constraints: ordered(...orders),
      rows: [
        inBlock,
        ...ordering,
        ...(result === 'sink' ? [row(`${opcode} with _`, sinkWay)] : []),
        ...(result === 'remote' ? [row(`${opcode} in .shared::cluster`, ofClusters)] : []),
      ],
      operands: [write(name, '.u64', result === 'state' ? {} : { sink: 'only' }), object, ...(counted ? [count] : [])],
    },
    way,
    (variant) => {
      const steps = [
        one,
        changeObject(spaceOf(variant), '$a', changeOf(opcode, arrival), objectOrder(variant, 'release')),
      ];
      return result === 'state' ? [...steps, { kind: 'copy', to: '$state', from: '$old' }] : steps;
    },
  );
}

const arriving = () =>
  ['mbarrier.arrive', 'mbarrier.arrive_drop'].flatMap((opcode) =>
    arrivals.flatMap((arrival) =>
      results
        .filter((result) => arrival.remote || result !== 'remote')
        .map((result) => arrive(opcode, arrival, result)),
    ),
  );

// --- waiting --------------------------------------------------------------------------------------------------------

function wait(opcode: string, parity: boolean, limited: boolean, way: Availability): InstructionForm {
  const phase = parity ? read('parity', '.u32', { unpacked: true, oneOf: [0, 1] }) : read('state', '.u64');
  const limit = read('time-limit', '.u32', { unpacked: true });
  const word = parity ? '.parity' : '';
  return form(
    {
      id: `${opcode}${word}${limited ? '.limit' : ''}`,
      section: '9.7.13.15.16',
      syntax: `${opcode}${word}{.sem}{.scope}{.space}.b64  p, [a], ${phase.name}${limited ? `, ${limit.name}` : ''}`,
      summary: `${opcode.endsWith('test_wait') ? 'Tests' : 'Waits for a while and tests'} whether a phase of an mbarrier object is complete.`,
      sets: { sem: ['.acquire', '.relaxed'], scope: scopes, space: block },
      constraints: ordered('.acquire', '.relaxed'),
      rows: [inBlock, ...ordering],
      operands: [write('p', '.pred'), object, phase, ...(limited ? [limit] : [])],
      polls: true,
    },
    way,
    (variant) => {
      const order = objectOrder(variant, 'acquire');
      return parity
        ? testParity(spaceOf(variant), '$a', '$p', '$parity', order)
        : testState(spaceOf(variant), '$a', '$p', '$state', order);
    },
  );
}

const waiting = (): readonly InstructionForm[] => [
  wait('mbarrier.test_wait', false, false, ofObjects),
  wait('mbarrier.test_wait', true, false, at('7.1', 80)),
  ...[false, true].flatMap((parity) =>
    [false, true].map((limited) => wait('mbarrier.try_wait', parity, limited, at('7.8', 90))),
  ),
];

// --- copies ---------------------------------------------------------------------------------------------------------

const copies = () =>
  form(
    {
      id: 'cp.async.mbarrier.arrive',
      section: '9.7.13.15.15',
      syntax: 'cp.async.mbarrier.arrive{.noinc}{.space}.b64  [a]',
      summary: 'Arrives at an mbarrier object when the copies that the thread started with cp.async are complete.',
      sets: { space: block },
      rows: [inBlock],
      operands: [{ kind: 'address', name: 'a', access: 'store', least: { bits: 32, generic: true } }],
    },
    ofObjects,
    // All copies that were started earlier are already complete at this point, so the thread arrives immediately.
    // Without .noinc, the instruction also adds one to the number of arrivals that the phase expects. This cancels out
    // the arrival, so the object is not changed.
    (variant) => [
      one,
      changeObject(
        spaceOf(variant),
        '$a',
        { ...unchanged, arrivals: has(variant, '.noinc') ? '$one-arrival' : null },
        completed.copy,
      ),
    ],
  );

/** mbarrier and cp.async.mbarrier.arrive. */
export const barrierObjectForms = (): readonly InstructionForm[] => [
  ...lifetime(),
  ...transactions(),
  ...arriving(),
  ...waiting(),
  copies(),
];
