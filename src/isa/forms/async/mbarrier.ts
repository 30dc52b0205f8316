/**
 * mbarrier and cp.async.mbarrier.arrive (section 9.7.13.15 of PTX ISA 9.1). Versions and targets were determined with
 * ptxas 13.0 and 13.3. A thread that waits is never suspended. Instead, it lets the other threads run and then repeats
 * the test.
 */
import type { AvailabilityRow, Constraint } from '../../conditions.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import type { AccessSpace } from '../../spaces.ts';
import { completed, type MemoryOrder } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
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
  testLayout,
  testParity,
  testState,
  unchanged,
} from './mbarrier-object.ts';

const ofObjects = at('7.0', 80);
/** The version and target that introduced clusters, transactions, and objects in other blocks. */
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
 * The order of an access to an object. The scope is at least the cluster. In the ISA, the default scope is the block,
 * but CUTLASS kernels omit the modifier even when they wait for other blocks.
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

const layouts = ['.layout::v0', '.layout::v1'];
const layoutRows = layouts.map((word) => needsModifier(word, at('9.3', 90)));

function layoutOf(variant: Variant): 0 | 1 {
  return has(variant, '.layout::v1') ? 1 : 0;
}

// --- objects --------------------------------------------------------------------------------------------------------

const lifetime = (): readonly InstructionForm[] => [
  form(
    {
      id: 'mbarrier.init',
      section: '9.7.13.15.9',
      syntax: 'mbarrier.init{.layout}{.space}.b64  [a], count',
      summary: 'Makes an mbarrier object that expects count arrivals in each phase.',
      sets: { layout: layouts, space: block },
      rows: [inBlock, ...layoutRows],
      operands: [object, read('count', '.u32', { unpacked: true, range: [1, 2 ** 20 - 1], rangeSince: '9.1' })],
    },
    ofObjects,
    (variant) => makeObject(spaceOf(variant), '$a', '$count', layoutOf(variant)),
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
      syntax: 'mbarrier.pending_count{.layout::v0}.b64  count, state',
      summary: 'Extracts the number of pending arrivals from a state that an arrival returned.',
      rows: layoutRows,
      operands: [write('count', '.u32', { unpacked: true }), read('state', '.u64')],
    },
    ofObjects,
    () => pendingIn('$count', '$state'),
  ),
  form(
    {
      id: 'mbarrier.check_layout',
      section: '9.7.13.15',
      syntax: 'mbarrier.check_layout.layout{.space}.b64  p, [a]',
      summary: 'Tests whether an mbarrier object has this layout.',
      sets: { layout: layouts, space: block },
      rows: [inBlock],
      operands: [write('p', '.pred'), object],
    },
    at('9.3', 90),
    (variant) => testLayout(spaceOf(variant), '$a', '$p', layoutOf(variant)),
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

const primary = '.phase_type::primary';
const phaseRows = [primary, '.phase_type::conditional'].map((word) => needsModifier(word, at('9.3', 90)));

interface Wait {
  readonly opcode: string;
  readonly parity: boolean;
  /** Whether there is an operand for the time limit. */
  readonly limited: boolean;
  readonly way: Availability;
}

/**
 * The results that indicate whether a copy reported an error: a predicate, a value, or both. In ptxlab, copies never
 * report errors, so these results are 0. The code that ptxas 13.3 generates for sm_90 and sm_100 also sets these
 * results to 0.
 */
const reports: readonly Report[] = [
  { id: '', text: 'p', results: [write('p', '.pred')], zeros: [] },
  { id: '.predicate', text: 'p|q', results: [reported(true)], zeros: ['$q'] },
  { id: '.value', text: 'p|q, v', results: [reported(false), write('v', '.b8')], zeros: ['$q', '$v'] },
];

interface Report {
  readonly id: string;
  /** The results as written in syntax lines. */
  readonly text: string;
  readonly results: readonly OperandPattern[];
  readonly zeros: readonly Ref[];
}

function reported(both: boolean): OperandPattern {
  const second = write('q', '.pred', { sink: true });
  return { kind: 'pair', name: 'p|q', first: write('p', '.pred'), second, both };
}

function wait({ opcode, parity, limited, way }: Wait, report: Report): InstructionForm {
  const plain = report.id === '';
  const phase = parity ? read('parity', '.u32', { unpacked: true, oneOf: [0, 1] }) : read('state', '.u64');
  const limit = read('time-limit', '.u32', { unpacked: true });
  const word = parity ? '.parity' : '';
  return form(
    {
      id: `${opcode}${word}${limited ? '.limit' : ''}${report.id}`,
      section: '9.7.13.15.16',
      syntax: `${opcode}${word}${plain ? '{.phase}' : primary}{.sem}{.scope}{.space}.b64  ${report.text}, [a], ${phase.name}${limited ? `, ${limit.name}` : ''}`,
      summary: `${opcode.endsWith('test_wait') ? 'Tests' : 'Waits for a while and tests'} whether a phase of an mbarrier object is complete.`,
      sets: {
        ...(plain ? { phase: parity ? [primary, '.phase_type::conditional'] : [primary] } : {}),
        sem: ['.acquire', '.relaxed'],
        scope: scopes,
        space: block,
      },
      constraints: ordered('.acquire', '.relaxed'),
      rows: [inBlock, ...ordering, ...phaseRows],
      operands: [...report.results, object, phase, ...(limited ? [limit] : [])],
      polls: true,
    },
    way,
    (variant) => {
      const order = objectOrder(variant, 'acquire');
      const zeros = report.zeros.map((to) => constant(to, 0));
      const tested = parity
        ? testParity(spaceOf(variant), '$a', '$p', '$parity', order)
        : testState(spaceOf(variant), '$a', '$p', '$state', order);
      return [...zeros, ...tested];
    },
  );
}

const waits: readonly Wait[] = [
  { opcode: 'mbarrier.test_wait', parity: false, limited: false, way: ofObjects },
  { opcode: 'mbarrier.test_wait', parity: true, limited: false, way: at('7.1', 80) },
  ...[false, true].flatMap((parity) =>
    [false, true].map((limited) => ({ opcode: 'mbarrier.try_wait', parity, limited, way: at('7.8', 90) })),
  ),
];

const waiting = (): readonly InstructionForm[] => waits.flatMap((kind) => reports.map((report) => wait(kind, report)));

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
    // Without .noinc, the instruction also adds one to the number of arrivals that the phase expects. The addition
    // cancels out the arrival, so the object is not changed.
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
