/** The fault that both engines report if no thread of a block can continue. */
import type { Barriers } from './barriers.ts';
import type { Collectives } from './collectives.ts';
import { type MachineFault, machineFault } from './fault.ts';
import { describeSpinning, type Waiter } from './waiting.ts';

/** @param spinning the threads in loops that only another thread of their cluster could end */
export function deadlockFault(
  { barriers, collectives }: { readonly barriers: Barriers; readonly collectives: Collectives },
  spinning: readonly Waiter[],
): MachineFault {
  const words = [barriers.describe(), collectives.describe(), describeSpinning(spinning)];
  return machineFault('PTX6010', { waiting: words.filter((one) => one !== '').join(', ') });
}
