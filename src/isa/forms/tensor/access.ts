/**
 * The steps that compute and check locations in tensor memory. An address in tensor memory has the lane in bits 31 to
 * 16 and the column in bits 15 to 0 (PTX ISA 9.1, section 9.7.16.1.1).
 */
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { laneBytes, tensorAllocation, tensorLanes, tensorUnit } from '../../tensor-memory.ts';
import { bits, compare, constant, extract, integer, join } from '../integer/steps.ts';

const unitBits = Math.log2(tensorUnit);
const wordAddress: Ref = '$allocation.address';

/** Loads the word that records which columns are allocated, and sets `$allocated` to the bits for the columns. */
export const loadAllocation: readonly Step[] = [
  constant(wordAddress, tensorAllocation, 64),
  {
    kind: 'load',
    space: 'tensor',
    width: 32,
    to: ['$allocation'],
    address: wordAddress,
    proxy: 'generic',
    order: null,
    unused: false,
  },
  extract('$allocated', '$allocation', 0, 16),
];

/** Splits an address into `$lane` and `$column`. The bits for lanes that do not exist are ignored. */
export function splitAddress(address: Ref): readonly Step[] {
  return [extract('$lane', address, 16, Math.log2(tensorLanes)), extract('$column', address, 0, 16)];
}

/** Requires that `count` columns, starting with column `first`, are allocated. */
export function requireColumns(first: Ref, count: number): readonly Step[] {
  return [
    ...loadAllocation,
    constant('$unit-bits', unitBits),
    constant('$count-less-one', count - 1),
    integer('add', 'u32', '$last', first, '$count-less-one'),
    bits('shr.u', 32, '$first-unit', first, '$unit-bits'),
    bits('shr.u', 32, '$last-unit', '$last', '$unit-bits'),
    ...hasUnits('$first-unit', '$last-unit'),
    { kind: 'require', condition: '$has-units', what: 'the columns are not allocated' },
  ];
}

/** Sets `$units` to a mask of the units from `first` to `last`. Sets `$has-units` if all of them are allocated. */
export function hasUnits(first: Ref, last: Ref): readonly Step[] {
  return [
    constant('$two', 2),
    constant('$one', 1),
    integer('sub', 'u32', '$units-less-one', last, first),
    bits('shl', 32, '$past', '$two', '$units-less-one'),
    integer('sub', 'u32', '$low-units', '$past', '$one'),
    bits('shl', 32, '$units', '$low-units', first),
    // The shift may drop the bits of units that do not exist from `$units`. To detect such units, the comparison uses
    // `$low-units` and shifts the allocation bits down instead.
    bits('shr.u', 32, '$from-first', '$allocated', first),
    bits('and', 32, '$found', '$from-first', '$low-units'),
    compare('eq', 'u32', '$has-units', '$found', '$low-units'),
  ];
}

/** Sets `to` to the offset in tensor memory of a column in a lane. */
export function offsetOf(to: Ref, lane: Ref, column: Ref): readonly Step[] {
  return [
    constant('$lane-bytes', laneBytes),
    constant('$two', 2),
    integer('mul.lo', 'u32', '$lane-offset', lane, '$lane-bytes'),
    bits('shl', 32, '$column-offset', column, '$two'),
    integer('add', 'u32', '$offset', '$lane-offset', '$column-offset'),
    constant('$zero', 0),
    join(to, '$zero', '$offset', 32, 64),
  ];
}

/**
 * Sets `$first-lane` to the first lane that a move of `rows` rows accesses. Warp w of a warpgroup accesses the 32 lanes
 * that start at lane 32 * w, whatever the address says: kernels of JAX and DeepGEMM, which run on a B200, pass the same
 * address in all warps. Requires that the address names the first of `rows` lanes.
 */
export function ownLanes(rows: 16 | 32): readonly Step[] {
  return [
    constant('$three', 3),
    constant('$five', 5),
    constant('$zero-lane', 0),
    constant('$half', 16),
    constant('$rows-less-one', rows - 1),
    bits('and', 32, '$odd-lanes', '$lane', '$rows-less-one'),
    compare('eq', 'u32', '$is-aligned', '$odd-lanes', '$zero-lane'),
    { kind: 'require', condition: '$is-aligned', what: `the lane of the address is not a multiple of ${rows}` },
    bits('and', 32, '$warp', '$WARP', '$three'),
    bits('shl', 32, '$own-lanes', '$warp', '$five'),
    bits('and', 32, '$lane-in-warp', '$lane', '$half'),
    integer('add', 'u32', '$first-lane', '$own-lanes', '$lane-in-warp'),
  ];
}
