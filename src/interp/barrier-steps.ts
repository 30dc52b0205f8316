/** Barriers of the block: who comes last lets all that wait go on. */
import type { Step } from '../isa/steps.ts';
import { type Opened, reduced } from '../machine/barriers.ts';
import type { Block, Cpu } from './thread.ts';
import type { Action, PlaceOf } from './value-steps.ts';

/** `after` is the rest of the instruction, run when the barrier has opened. */
export function prepareBarrier(
  step: Extract<Step, { readonly kind: 'barrier' }>,
  after: Action,
  line: number,
  placeOf: PlaceOf,
  cpu: Cpu,
): Action {
  const { waits, reduce } = step;
  const number = placeOf(step.barrier);
  const count = step.count === null ? -1 : placeOf(step.count);
  const [from = -1] = step.from.map(placeOf);
  const [to = -1] = step.to.map(placeOf);
  return (frame) => {
    const { thread, block } = cpu;
    if (waits) {
      thread.state = 'waiting';
      thread.pass = (opened) => {
        if (reduce !== null) frame[to] = reduced(reduce, opened);
        after(frame);
      };
    }
    const opened = block.barriers.arrive({
      thread: thread.linear,
      line,
      barrier: Number(frame[number]),
      count: count < 0 ? null : Number(frame[count]),
      waits,
      predicate: from >= 0 && frame[from] !== 0,
    });
    if (opened !== null) passBarrier(block, opened);
  };
}

/** Lets the threads go on that waited. */
export function passBarrier(block: Block, opened: Opened): void {
  for (const linear of opened.threads) {
    const thread = block.threads[linear];
    if (thread === undefined) continue;
    thread.state = 'running';
    thread.pass?.(opened);
    thread.pass = null;
  }
}
