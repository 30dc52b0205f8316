/** The steps that change and test mbarrier objects; `mbarrierFields` describes their 64 bits. */
import { type BitField, mbarrierFields } from '../../mbarrier-fields.ts';
import type { AccessSpace } from '../../spaces.ts';
import type { MemoryOrder } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { weakLoad, weakStore } from '../access-steps.ts';
import { bits, compare, constant, extract, integer, join, select } from '../integer/steps.ts';

const { layout, pending, expected, bytes, phase } = mbarrierFields;

/**
 * The fields of the layout and of the expected arrivals, read as one number: twice the number of arrivals, plus the
 * layout.
 */
const later: BitField = { low: layout.low, width: expected.low + expected.width };

const strong: MemoryOrder = { semantics: 'relaxed', scope: 'cluster' };

/**
 * The changes that an instruction makes to an object. A member is null if the instruction does not make this change.
 */
export interface Change {
  /** Number of arrivals. */
  readonly arrivals: Ref | null;
  /** The number by which to reduce the number of arrivals that later phases expect. */
  readonly dropped: Ref | null;
  /** Number of bytes by which to increase the tx-count of the current phase. */
  readonly expected: Ref | null;
  /** Number of bytes transferred. */
  readonly transferred: Ref | null;
}

export const unchanged: Change = { arrivals: null, dropped: null, expected: null, transferred: null };

/** Changes the object at an address atomically, and completes its phase if nothing is pending anymore. */
export function changeObject(space: AccessSpace, address: Ref, change: Change, order: MemoryOrder): Step {
  const steps = changed(change);
  const ordered = { ...order, phases: phase };
  return { kind: 'atomic', space, width: 64, address, old: ['$old'], next: ['$next'], steps, order: ordered };
}

function changed({ arrivals, dropped, expected: more, transferred }: Change): readonly ValueStep[] {
  const amounts = [
    ['$pending', 'add', arrivals],
    ['$later', 'add', dropped],
    ['$later', 'add', dropped],
    ['$bytes', 'sub', more],
    ['$bytes', 'add', transferred],
  ] as const;
  return [
    field('$pending', '$old', pending),
    field('$later', '$old', later),
    field('$bytes', '$old', bytes),
    field('$phase', '$old', phase),
    ...amounts.flatMap(([to, fn, by]) => (by === null ? [] : [integer(fn, 'u32', to, to, by)])),
    ...(dropped === null ? [] : [truncated('$later', later)]),
    truncated('$pending', pending),
    truncated('$bytes', bytes),
    bits('or', 32, '$left', '$pending', '$bytes'),
    constant('$none', 0),
    constant('$one', 1),
    compare('eq', 'u32', '$complete', '$left', '$none'),
    field('$expected', '$later', expected),
    select('$pending', '$complete', '$expected', '$pending'),
    select('$passed', '$complete', '$one', '$none'),
    integer('add', 'u32', '$phase', '$phase', '$passed'),
    ...packed('$next', '$pending', '$later', '$bytes', '$phase'),
  ];
}

function field(to: Ref, from: Ref, { low, width }: BitField): ValueStep {
  return extract(to, from, low, width);
}

function truncated(name: Ref, { width }: BitField): ValueStep {
  return extract(name, name, 0, width);
}

/**
 * Packs the given values into an object. All values except the phase must fit into their fields. `twice` is the value
 * of the field `later`.
 */
function packed(to: Ref, arrivals: Ref, twice: Ref, left: Ref, number: Ref): readonly ValueStep[] {
  const joined = (name: Ref, high: Ref, rest: Ref, { low, width }: BitField): ValueStep =>
    join(name, high, rest, low, low + width);
  return [
    joined('$counts', left, twice, bytes),
    joined('$phaseless', arrivals, '$counts', pending),
    joined(to, number, '$phaseless', phase),
  ];
}

/** Stores a new object in which each phase expects `count` arrivals. `version` is 1 for `.layout::v1`, else 0. */
export function makeObject(space: AccessSpace, address: Ref, count: Ref, version: 0 | 1): readonly Step[] {
  return [
    constant('$none', 0),
    constant('$layout', version),
    integer('sub', 'u32', '$arrivals', '$none', count),
    integer('add', 'u32', '$later', '$arrivals', '$arrivals'),
    truncated('$arrivals', pending),
    truncated('$later', later),
    bits('or', 32, '$later', '$later', '$layout'),
    ...packed('$object', '$arrivals', '$later', '$none', '$none'),
    weakStore(space, 64, address, ['$object']),
  ];
}

/**
 * Clears an object so that its memory can be used for something else. The store counts as strong. Otherwise, it would
 * be reported as a race in cuda::pipeline, where the last thread to leave clears the object without an acquire.
 */
export function clearObject(space: AccessSpace, address: Ref): readonly Step[] {
  return [constant('$object', 0, 64), { ...weakStore(space, 64, address, ['$object']), order: strong }];
}

/** Given a state that an arrival returned, extracts the number of arrivals that were pending at that time. */
export function pendingIn(to: Ref, state: Ref): readonly Step[] {
  return [
    field('$negated', state, pending),
    constant('$none', 0),
    integer('sub', 'u32', to, '$none', '$negated'),
    truncated(to, pending),
  ];
}

/** Tests whether an object has `.layout::v1` or, if `version` is 0, `.layout::v0`. */
export function testLayout(space: AccessSpace, address: Ref, to: Ref, version: 0 | 1): readonly Step[] {
  return [
    ...current(space, address, layout, strong),
    constant('$layout', version),
    compare('eq', 'u32', to, '$now', '$layout'),
  ];
}

/** Given a state that an arrival returned, tests whether the phase of that arrival is complete. */
export function testState(space: AccessSpace, address: Ref, to: Ref, state: Ref, order: MemoryOrder): readonly Step[] {
  return [
    ...current(space, address, phase, order),
    field('$then', state, phase),
    compare('ne', 'u32', to, '$now', '$then'),
  ];
}

/**
 * Tests whether the phase with this parity is complete. The parity must be that of the current phase or of the phase
 * before it. The hardware reads only the lowest bit of a parity in a register: ptxas shifts this bit to the top, and
 * Triton may negate the parity.
 */
export function testParity(
  space: AccessSpace,
  address: Ref,
  to: Ref,
  number: Ref,
  order: MemoryOrder,
): readonly Step[] {
  return [
    ...current(space, address, phase, order),
    extract('$asked', number, 0, 1),
    compare('ne', 'u32', to, '$now', '$asked'),
  ];
}

function current(space: AccessSpace, address: Ref, wanted: BitField, order: MemoryOrder): readonly Step[] {
  return [{ ...weakLoad(space, 64, ['$object'], address), order }, field('$now', '$object', wanted)];
}
