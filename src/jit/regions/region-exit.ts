/** How the threads that run a region leave it: by stopping, ending, or continuing in another region. */
import type { Code, Label } from '../../wasm/code.ts';
import type { GoTo } from '../calls/call-writer.ts';
import type { OutcomeCounts } from '../groups/outcome-counts.ts';
import { state } from '../layout.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';
import type { ThreadFrame } from './thread-frame.ts';

/**
 * Threads pause to let other threads run when `leavingRuns` is a multiple of this number, which must be a power of two.
 */
const leavingRunsPerTurn = 64;

/**
 * The parts of a RegionExit, including the function to which the region belongs and the code that is being generated.
 */
interface ExitParts {
  readonly code: Code;
  readonly shape: KernelShape;
  readonly fn: FunctionShape;
  readonly frame: ThreadFrame;
  readonly counts: OutcomeCounts;
  /**
   * If the region begins with a loop in which a thread only waits for its cluster: the local that is nonzero if any
   * thread has left this loop. Null for other regions.
   */
  readonly moved: number | null;
}

export class RegionExit implements GoTo {
  private readonly parts: ExitParts;
  private end: Label | null = null;

  constructor(parts: ExitParts) {
    this.parts = parts;
  }

  /** Begins the code that runs a thread; a branch to the label ends it. */
  begin(end: Label): void {
    this.end = end;
  }

  /**
   * Writes code that stores the state of the thread and branches to the end of the code for this thread. If the threads
   * of a kernel never stop, no state has to be stored.
   *
   * @param spins whether the thread pauses in the loop at the start of the region
   */
  leave(push: () => unknown, counter: number | null, spins = false): void {
    const { code, shape, frame, fn, counts, moved } = this.parts;
    if (shape.hasStates && fn.four !== null) frame.store(shape.frame.alone, () => code.i32(1));
    if (shape.hasStates && counts.sole === null) {
      frame.store(shape.frame.state, push);
      if (counter !== null) code.get(counter).i32(1).op('i32.add').set(counter);
    }
    if (moved !== null && !spins) code.i32(1).set(moved);
    this.endThread();
  }

  /** Writes a branch to the end of the code for this thread, without storing a state. */
  endThread(): void {
    const { code } = this.parts;
    if (this.end === null) throw new Error('the code of the thread has not been started');
    code.br(this.end);
  }

  /**
   * Writes code that continues in another region. The threads that run the region together either all continue
   * immediately, or all let other threads run first.
   */
  region(index: number): void {
    const { code, counts } = this.parts;
    const push = (): Code => code.i32(index);
    this.pauseAtTimes(push);
    const counter = counts.gone(index);
    if (counter === null) this.continueIn(push);
    else this.leave(push, counter);
  }

  /** Like `region`, but the index of the region is in a local. */
  regionIn(local: number): void {
    this.pauseAtTimes(() => this.parts.code.get(local));
    this.return(local);
  }

  /** Writes code that returns, without a pause, to the region whose index is in a local. */
  return(local: number): void {
    this.continueIn(() => this.parts.code.get(local));
  }

  /** Writes code that continues in a region that has no counter of its own. */
  private continueIn(push: () => Code): void {
    const { code, counts } = this.parts;
    const { region, count } = counts.found();
    code
      .get(count)
      .op('i32.eqz')
      .if(() => push().set(region));
    // The thread is counted only if it continues in the same region as the first thread that has reached this code.
    code.get(count);
    push().get(region).op('i32.eq', 'i32.add').set(count);
    this.leave(push, null);
  }

  private pauseAtTimes(push: () => Code): void {
    const { code, shape, frame, counts } = this.parts;
    if (!shape.waitsAcrossRegions) return;
    // If only some lanes run, the code that runs them decides when they pause (warp-runner.ts).
    if (shape.catchesUp) code.get(3).op('i32.popcnt').get(2).get(counts.first).op('i32.sub', 'i32.eq');
    frame
      .field('leavingRuns')
      .i32(leavingRunsPerTurn - 1)
      .op('i32.and', 'i32.eqz');
    if (shape.catchesUp) code.op('i32.and');
    code.if(() => this.leave(() => push().i32(state.paused).op('i32.or'), null));
  }
}
