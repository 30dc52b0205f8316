/** Block barriers: the last thread to arrive lets all waiting threads continue. */
import type { Step } from '../isa/steps/step.ts';
import { barrierNumber, type Opened, reduced } from '../machine/barriers.ts';
import { clockIn } from './race-watch.ts';
import { requireDefined } from './shadow.ts';
import { type Block, type Cpu, finish, handOver, type Remainder, type Stopping, type Thread, wake } from './thread.ts';
import type { Action, PlaceOf } from './value-steps.ts';

/**
 * Prepares an instruction at which threads arrive at a barrier. `after` is the remainder of the instruction, which runs
 * once the last thread has arrived.
 */
export function prepareBarrier(
  step: Extract<Step, { readonly kind: 'barrier' }>,
  after: Remainder,
  line: number,
  placeOf: PlaceOf,
  cpu: Cpu,
): Stopping {
  const { waits, reduce, internal } = step;
  const number = placeOf(step.barrier);
  const count = step.count === null ? -1 : placeOf(step.count);
  const [from = -1] = step.from.map(placeOf);
  const [to = -1] = step.to.map(placeOf);
  const stop: Action = (frame) => {
    const { thread, block } = cpu;
    if (thread.shadow !== null) for (const place of [number, count, from]) requireDefined(thread, place, 'a barrier');
    if (waits) thread.activity = 'waiting';
    const barrier = Number(frame[number]);
    const { races } = cpu;
    races?.arrive(clockIn(races, cpu), barrierNumber(barrier, internal));
    const opened = block.barriers.arrive({
      thread: thread.linear,
      line,
      barrier,
      internal,
      count: count < 0 ? null : Number(frame[count]),
      waits,
      predicate: from >= 0 && frame[from] !== 0,
    });
    if (opened === null) return;
    passBarrier(block, opened, cpu);
    handOver(cpu, opened.threads);
  };
  const go = (thread: Thread, result: number): void => {
    if (reduce !== null) thread.frame[to] = result;
    finish(after, thread);
  };
  return { stop, rest: { kind: 'barrier', reduce, go } };
}

/** Lets the waiting threads continue. */
export function passBarrier(block: Block, opened: Opened, { code, races }: Pick<Cpu, 'code' | 'races'>): void {
  races?.pass(block.number, opened);
  for (const linear of opened.threads) {
    const thread = block.threads[linear];
    if (thread === undefined) continue;
    const rest = code[thread.pc - 1]?.rest;
    if (rest?.kind !== 'barrier') throw new Error('a thread waiting at a barrier is not at a barrier instruction');
    wake(thread);
    rest.go(thread, rest.reduce === null ? 0 : reduced(rest.reduce, opened));
  }
}
