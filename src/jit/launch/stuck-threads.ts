/**
 * Creates the faults for a block whose threads cannot continue. The messages are the same as those of the reference
 * engine.
 */
import { elementAt } from '../../base/element-at.ts';
import { keyOf } from '../../isa/collective.ts';
import type { Barriers } from '../../machine/barriers.ts';
import { Collectives } from '../../machine/collectives.ts';
import { deadlockFault } from '../../machine/deadlock.ts';
import type { Waiter } from '../../machine/waiting.ts';
import { state } from '../layout.ts';
import type { BlockCode } from './block-code.ts';
import type { ThreadWords } from './thread-words.ts';

/**
 * A range of adjacent threads that are handled in the same way. The state words of the threads are valid only if `each`
 * is `on its own`.
 */
interface Threads {
  readonly first: number;
  readonly behind: number;
  readonly each: 'on its own' | 'exited' | 'at a barrier';
}

export class StuckThreads {
  private readonly code: BlockCode;
  private readonly words: ThreadWords;

  constructor(code: BlockCode, words: ThreadWords) {
    this.code = code;
    this.words = words;
  }

  /** Throws a fault if one of the threads waits with a mask that does not contain the thread itself. */
  checkMasks(first: number, behind: number): void {
    const collectives = new Collectives(this.code.threads);
    for (let thread = first; thread < behind; thread++) this.arrive(collectives, thread);
  }

  /** Returns the fault to report if no thread can continue. */
  deadlock(ranges: readonly Threads[], barriers: Barriers): Error {
    const collectives = new Collectives(this.code.threads);
    for (const { first, behind, each } of ranges) {
      for (let thread = first; thread < behind; thread++) {
        if (each === 'exited' || this.words.stateOf(thread) === state.exited) collectives.exit(thread);
      }
    }
    for (const { first, behind, each } of ranges) {
      if (each === 'on its own') for (let thread = first; thread < behind; thread++) this.arrive(collectives, thread);
    }
    const spinning = this.spinning(ranges);
    const [first = null] = spinning;
    if (first === null) this.blameFirst();
    else this.code.blame(first.thread, first.line);
    return deadlockFault({ barriers, collectives }, spinning);
  }

  /** The threads that repeat loops in which they only wait for their cluster, and the lines of these loops. */
  private spinning(ranges: readonly Threads[]): readonly Waiter[] {
    const found: Waiter[] = [];
    for (const { first, behind, each } of ranges) {
      if (each !== 'on its own') continue;
      for (let thread = first; thread < behind; thread++) {
        const word = this.words.stateOf(thread);
        const line = word < 0 ? undefined : this.code.compiled.spins.get(state.regionOf(word));
        if (line !== undefined) found.push({ thread, line });
      }
    }
    return found;
  }

  private arrive(collectives: Collectives, thread: number): void {
    const word = this.words.stateOf(thread);
    if (word >= state.exited) return;
    const { step, line, region } = elementAt(this.code.compiled.stops, state.stopOf(word));
    if (step.kind !== 'collective') return;
    const mask = step.mask === null ? null : this.words.maskOf(thread);
    this.code.blame(thread, line);
    collectives.arrive({ thread, line }, keyOf(step.fn), mask, [region]);
  }

  /** Makes the fault refer to the first waiting thread and to the line where this thread waits. */
  private blameFirst(): void {
    const { threads, compiled } = this.code;
    for (let thread = 0; thread < threads; thread++) {
      const word = this.words.stateOf(thread);
      if (word >= state.exited) continue;
      this.code.blame(thread, compiled.stops[state.stopOf(word)]?.line ?? 0);
      return;
    }
  }
}
