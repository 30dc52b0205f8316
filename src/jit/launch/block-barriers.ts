/** Records which threads of a block have arrived at barriers, according to the rules in `machine/barriers.ts`. */
import { elementAt } from '../../base/element-at.ts';
import { Barriers, type Opened, reduced } from '../../machine/barriers.ts';
import type { CompiledStop } from '../compiled-kernel.ts';
import { outcome, state } from '../layout.ts';
import type { BlockCode } from './block-code.ts';
import type { ThreadWords } from './thread-words.ts';
import type { Unit } from './unit.ts';

export class BlockBarriers {
  private readonly code: BlockCode;
  private readonly words: ThreadWords;
  private readonly units: readonly Unit[];
  private readonly stops: readonly CompiledStop[];
  private readonly hasBarriers: boolean;
  /** Created when threads diverge for the first time. */
  private barriers: Barriers | null = null;
  /** One entry for each thread: 1 if `barriers` already records that the thread has exited or is waiting. */
  private readonly noted: Uint8Array;

  constructor(code: BlockCode, words: ThreadWords, units: readonly Unit[]) {
    this.code = code;
    this.words = words;
    this.units = units;
    this.stops = code.compiled.stops;
    this.hasBarriers = this.stops.some(({ step }) => step.kind === 'barrier');
    this.noted = new Uint8Array(code.threads);
  }

  /** Clears all recorded arrivals, so that another block can start. */
  clear(): void {
    this.barriers = null;
    this.noted.fill(0);
  }

  /** Whether any thread of a unit has been recorded as waiting or exited. */
  knows({ first, behind }: Unit): boolean {
    return this.noted.subarray(first, behind).includes(1);
  }

  /** Called when all threads of a unit have exited together. */
  unitExited({ first, behind }: Unit): void {
    if (this.barriers !== null) for (let thread = first; thread < behind; thread++) this.exited(thread);
  }

  /** Returns `barriers`. If it does not exist yet, creates it and reports the threads of all units that have exited. */
  waiters(): Barriers {
    if (this.barriers !== null) return this.barriers;
    const made = new Barriers(this.code.threads);
    this.barriers = made;
    for (const { first, behind, at } of this.units) {
      if (at === outcome.allExited) for (let thread = first; thread < behind; thread++) this.exited(thread);
    }
    return made;
  }

  exited(thread: number): void {
    if (!this.hasBarriers || this.noted[thread] === 1) return;
    const barriers = this.waiters();
    if (this.noted[thread] === 1) return;
    this.noted[thread] = 1;
    for (const opened of barriers.exit(thread)) this.pass(opened);
  }

  /**
   * Called when a thread has stopped. If the thread has arrived at a barrier, the arrival is recorded in `barriers`.
   * Nothing is recorded if the thread waits for other threads of its warp, because its state already shows that it
   * waits.
   */
  stopped(thread: number, { step, line, region, sends }: CompiledStop): void {
    if (step.kind === 'collective' || this.noted[thread] === 1) return;
    const barriers = this.waiters();
    this.code.blame(thread, line);
    const [barrier = 0, count = 0, predicate = 0] = sends.map((array) => this.words.at(array, thread) >>> 0);
    if (step.waits) this.noted[thread] = 1;
    else this.words.setState(thread, region);
    const opened = barriers.arrive({
      thread,
      line,
      barrier,
      internal: step.internal,
      count: step.count === null ? null : count,
      waits: step.waits,
      predicate: step.reduce !== null && predicate !== 0,
    });
    if (opened !== null) this.pass(opened);
  }

  private pass(opened: Opened): void {
    for (const thread of opened.threads) {
      const { step, region, receives } = elementAt(this.stops, state.stopOf(this.words.stateOf(thread)));
      const result = receives[0] ?? null;
      if (step.kind === 'barrier' && step.reduce !== null && result !== null) {
        this.words.set(result, thread, reduced(step.reduce, opened));
      }
      this.noted[thread] = 0;
      this.words.setState(thread, region);
    }
  }
}
