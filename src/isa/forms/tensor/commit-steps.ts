/**
 * The steps of tcgen05.commit (PTX ISA 9.1, section 9.7.16.12.1). All instructions that it waits for are complete, so
 * it arrives at the mbarrier object at once.
 */
import { rankShift, startOfRank, type AccessSpace } from '../../spaces.ts';
import type { Step } from '../../steps/step.ts';
import { changeObject, unchanged } from '../async/mbarrier-object.ts';
import { constant, extract, integer, join, select } from '../integer/steps.ts';

/** Number of bits of a mask of blocks. */
const maskBits = 16;

export function arriveOnce(space: AccessSpace): readonly Step[] {
  return [constant('$one-arrival', 1), changeObject(space, '$mbar', { ...unchanged, arrivals: '$one-arrival' })];
}

/**
 * Arrives at the object with the same offset in each block whose rank is a bit of the mask. For all other ranks, the
 * object in the thread's own block is changed by no arrivals.
 */
export function arriveInBlocks(space: AccessSpace): readonly Step[] {
  return [
    space === 'generic'
      ? { kind: 'window', direction: 'from-generic', space: 'shared', width: 64, to: '$object-address', from: '$mbar' }
      : { kind: 'copy', to: '$object-address', from: '$mbar' },
    extract('$own.offset', '$object-address', 0, rankShift),
    constant('$zero', 0),
    join('$own', '$zero', '$own.offset', 32, 64),
    ...Array.from({ length: maskBits }, (_, rank) => arriveAt(rank)).flat(),
  ];
}

function arriveAt(rank: number): readonly Step[] {
  return [
    extract('$is-named', '$cta-mask', rank, 1),
    extract('$arriving', '$cta-mask', rank, 1),
    constant('$block', startOfRank(rank), 64),
    integer('add', 'u64', '$there', '$block', '$own'),
    select('$address', '$is-named', '$there', '$own'),
    changeObject('shared', '$address', { ...unchanged, arrivals: '$arriving' }),
  ];
}
