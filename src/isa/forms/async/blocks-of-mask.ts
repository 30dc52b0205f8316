/** Steps that are repeated for each block of a cluster whose bit is set in a mask. */
import { rankOfFirst, rankShift, startOfRank } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { bits, constant, extract, integer, join, select } from '../integer/steps.ts';

/** Number of bits of a mask. */
const maskBits = 16;

/**
 * For each bit of a mask, runs the steps that `each` returns. `named` is 1 if the bit is set, otherwise 0. If `named`
 * is 0, the steps must not change anything, but they may still access memory. The steps that `addressOf` returns set
 * `to` to an address in the shared memory of a block, with the same offset as `address`. If the bit is set, it is the
 * block that the bit stands for; otherwise, it is the first block in the mask.
 */
export function eachBlock(
  mask: Ref,
  each: (named: Ref, addressOf: (to: Ref, address: Ref) => readonly Step[]) => readonly Step[],
): readonly Step[] {
  const named: Ref = '$is-named';
  const addressOf = (to: Ref, address: Ref): readonly Step[] => [
    extract('$offset.low', address, 0, rankShift),
    join('$offset', '$zero', '$offset.low', 32, 64),
    integer('add', 'u64', to, '$block', '$offset'),
  ];
  return [
    constant('$zero', 0),
    constant('$behind', 31 + rankOfFirst),
    extract('$mask', mask, 0, maskBits),
    integer('neg', 's32', '$negated', '$mask'),
    bits('and', 32, '$lowest', '$mask', '$negated'),
    bits('clz', 32, '$zeros', '$lowest'),
    // `$lowest` has 31 - r leading zeros, where r is the rank of the first block in the mask.
    integer('sub', 'u32', '$first', '$behind', '$zeros'),
    join('$first-block', '$first', '$zero', rankShift, 64),
    ...Array.from({ length: maskBits }, (_, rank) => [
      extract(named, '$mask', rank, 1),
      constant('$own-block', startOfRank(rank), 64),
      select('$block', named, '$own-block', '$first-block'),
      ...each(named, addressOf),
    ]).flat(),
  ];
}
