/**
 * The steps of tcgen05.commit (PTX ISA 9.1, section 9.7.16.12.1). All instructions that it waits for are complete, so
 * it arrives at the mbarrier object at once.
 */
import type { AccessSpace } from '../../spaces.ts';
import { completed } from '../../steps/order.ts';
import type { Step } from '../../steps/step.ts';
import { eachBlock } from '../async/blocks-of-mask.ts';
import { changeObject, unchanged } from '../async/mbarrier-object.ts';
import { constant, join } from '../integer/steps.ts';

export function arriveOnce(space: AccessSpace): readonly Step[] {
  return [
    constant('$one-arrival', 1),
    changeObject(space, '$mbar', { ...unchanged, arrivals: '$one-arrival' }, completed.tcgen05),
  ];
}

/** Arrives at the object with the same offset in each block whose rank is a bit of the mask. */
export function arriveInBlocks(space: AccessSpace): readonly Step[] {
  return [
    space === 'generic'
      ? { kind: 'window', direction: 'from-generic', space: 'shared', width: 64, to: '$object', from: '$mbar' }
      : { kind: 'copy', to: '$object', from: '$mbar' },
    ...eachBlock('$cta-mask', (named, addressOf) => [
      ...addressOf('$address', '$object'),
      join('$arriving', '$zero', named, 1, 32),
      changeObject('shared', '$address', { ...unchanged, arrivals: '$arriving' }, completed.tcgen05),
    ]),
  ];
}
