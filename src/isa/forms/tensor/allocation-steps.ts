/**
 * The steps that allocate and free columns of tensor memory (PTX ISA 9.1, section 9.7.16.7). The first lane of the warp
 * does the work, and then all lanes wait for each other.
 */
import type { AccessSpace } from '../../spaces.ts';
import { relaxedOnGpu } from '../../steps/order.ts';
import type { Ref } from '../../steps/ref.ts';
import { meet } from '../../steps/meet.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { relinquishedBit, tensorAllocation, tensorUnit } from '../../tensor-memory.ts';
import { bits, compare, constant, extract, integer, select } from '../integer/steps.ts';
import { hasUnits, loadAllocation, splitAddress } from './access.ts';

const unitBits = constant('$unit-bits', Math.log2(tensorUnit));
const zero = constant('$zero', 0);
const isFirst: readonly ValueStep[] = [zero, compare('eq', 'u32', '$is-first', '$LANE', '$zero')];

/** In the first lane, replaces the allocation word with `$changed`, which `steps` compute. */
function changeAllocation(steps: readonly ValueStep[]): readonly Step[] {
  return [
    constant('$allocation.address', tensorAllocation, 64),
    {
      kind: 'atomic',
      space: 'tensor',
      width: 32,
      address: '$allocation.address',
      old: ['$old'],
      next: ['$next'],
      steps: [...steps, select('$next', '$is-first', '$changed', '$old')],
      order: relaxedOnGpu,
    },
  ];
}

/**
 * The search for free ranges of units proceeds in steps, each of which doubles the length of the ranges; these are the
 * lengths before each step.
 */
const doublings = [1, 2, 4, 8];

/**
 * Finds a free range of units that starts at a multiple of its length, a power of two. Sets `$start` to a mask of its
 * first unit, or to zero if there is no such range.
 */
function findUnits(word: Ref): readonly ValueStep[] {
  return [
    bits('not', 32, '$free.all', word),
    extract('$free', '$free.all', 0, relinquishedBit),
    constant('$starts', 0xffff),
    ...doublings.flatMap((length): readonly ValueStep[] => [
      constant('$length', length),
      compare('gt', 'u32', '$is-longer', '$unit-count', '$length'),
      bits('shr.u', 32, '$shifted', '$free', '$length'),
      bits('and', 32, '$longer', '$free', '$shifted'),
      select('$free', '$is-longer', '$longer', '$free'),
      constant('$multiples', multiplesOf(2 * length)),
      select('$starts', '$is-longer', '$multiples', '$starts'),
    ]),
    bits('and', 32, '$candidates', '$free', '$starts'),
    integer('neg', 's32', '$negated', '$candidates'),
    bits('and', 32, '$start', '$candidates', '$negated'),
  ];
}

/** A mask of the units whose numbers are multiples of a length. */
function multiplesOf(length: number): number {
  return Array.from({ length: 16 / length }, (_, i) => 2 ** (i * length)).reduce((sum, unit) => sum + unit, 0);
}

/** Computes a mask of the `$unit-count` units that begin at `$start`. */
const units: readonly ValueStep[] = [
  constant('$one', 1),
  bits('shl', 32, '$past', '$one', '$unit-count'),
  integer('sub', 'u32', '$range', '$past', '$one'),
  integer('mul.lo', 'u32', '$units', '$range', '$start'),
];

const unitCount = bits('shr.u', 32, '$unit-count', '$n-cols', '$unit-bits');

export function allocate(space: AccessSpace): readonly Step[] {
  return [
    ...isFirst,
    unitBits,
    unitCount,
    ...changeAllocation([...findUnits('$old'), ...units, bits('or', 32, '$changed', '$old', '$units')]),
    ...findUnits('$old'),
    compare('ne', 'u32', '$has-room', '$start', '$zero'),
    ...requireInFirstLane('$has-room', 'there are not enough free columns'),
    extract('$relinquished', '$old', relinquishedBit, 1),
    compare('eq', 'u32', '$may-allocate', '$relinquished', '$zero'),
    ...requireInFirstLane('$may-allocate', 'the block has relinquished the permit to allocate'),
    bits('clz', 32, '$zeros', '$start'),
    constant('$31', 31),
    integer('sub', 'u32', '$unit', '$31', '$zeros'),
    bits('shl', 32, '$first-column', '$unit', '$unit-bits'),
    {
      kind: 'atomic',
      space,
      width: 32,
      address: '$dst',
      old: ['$before'],
      next: ['$stored'],
      steps: [select('$stored', '$is-first', '$first-column', '$before')],
      order: relaxedOnGpu,
    },
    meet,
  ];
}

/** Requires that a condition is true in the first lane. */
function requireInFirstLane(condition: Ref, what: string): readonly Step[] {
  return [
    constant('$true', 1, 1),
    select('$holds', '$is-first', condition, '$true'),
    { kind: 'require', condition: '$holds', what },
  ];
}

export const free: readonly Step[] = [
  ...isFirst,
  unitBits,
  unitCount,
  ...splitAddress('$taddr'),
  ...loadAllocation,
  bits('shr.u', 32, '$unit', '$column', '$unit-bits'),
  integer('add', 'u32', '$end', '$unit', '$unit-count'),
  constant('$one', 1),
  integer('sub', 'u32', '$last', '$end', '$one'),
  ...hasUnits('$unit', '$last'),
  ...requireInFirstLane('$has-units', 'the columns to free are not allocated'),
  ...changeAllocation([bits('not', 32, '$kept', '$units'), bits('and', 32, '$changed', '$old', '$kept')]),
  meet,
];

export const relinquish: readonly Step[] = [
  ...isFirst,
  ...changeAllocation([constant('$bit', 2 ** relinquishedBit), bits('or', 32, '$changed', '$old', '$bit')]),
  meet,
];
