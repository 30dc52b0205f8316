/**
 * The steps of tcgen05.commit (PTX ISA 9.1, section 9.7.16.12.1). All instructions that it waits for are already
 * complete, so it arrives at the mbarrier object immediately.
 */
import type { AccessSpace } from '../../spaces.ts';
import { completed } from '../../steps/order.ts';
import type { Step } from '../../steps/step.ts';
import { eachBlock } from '../async/blocks-of-mask.ts';
import { changeObject, unchanged } from '../async/mbarrier-object.ts';
import { bits, constant, join } from '../integer/steps.ts';

/**
 * Computes the address of the object in shared memory. The code that ptxas 13.0 generates uses the low word of a
 * generic address as the address in shared memory, so the high word has no effect. Triton 3.6 relies on this.
 */
function findObject(space: AccessSpace): readonly Step[] {
  if (space !== 'generic') return [{ kind: 'copy', to: '$object', from: '$mbar' }];
  return [constant('$low-word', 0xffff_ffff, 64), bits('and', 64, '$object', '$mbar', '$low-word')];
}

export function arriveOnce(space: AccessSpace): readonly Step[] {
  return [
    ...findObject(space),
    constant('$one-arrival', 1),
    changeObject('shared', '$object', { ...unchanged, arrivals: '$one-arrival' }, completed.tcgen05),
  ];
}

/** Arrives at the object with the same offset in each block whose bit is set in the mask. */
export function arriveInBlocks(space: AccessSpace): readonly Step[] {
  return [
    ...findObject(space),
    ...eachBlock('$cta-mask', (named, addressOf) => [
      ...addressOf('$address', '$object'),
      join('$arriving', '$zero', named, 1, 32),
      changeObject('shared', '$address', { ...unchanged, arrivals: '$arriving' }, completed.tcgen05),
    ]),
  ];
}
