/**
 * Runs the threads of one block until all of them have ended. A warp or a whole block whose threads are in lockstep is
 * handled as one unit. If the threads of a warp have diverged, compiled code (warp-runner.ts) runs them and determines
 * which of them can exchange values.
 */
import { elementAt } from '../../base/element-at.ts';
import { warpSize } from '../../machine/launch.ts';
import type { CompiledStop } from '../compiled-kernel.ts';
import { advanced, outcome, state } from '../layout.ts';
import { BlockBarriers } from './block-barriers.ts';
import type { BlockCode } from './block-code.ts';
import { OpenGroups } from './open-groups.ts';
import { StuckThreads } from './stuck-threads.ts';
import { ThreadWords } from './thread-words.ts';
import type { Unit } from './unit.ts';

/**
 * Maximum number of consecutive passes in which all running threads only pause because they still have to wait for
 * other threads. After this number of passes, the threads that have arrived at an instruction without a member mask
 * continue without waiting for the pausing threads.
 */
export const idlePassesBeforeGroups = 16;

/** `paused` means that the threads may be unable to make progress until something changes outside this block. */
export type Progress = 'done' | 'paused';

export class BlockRunner {
  private readonly code: BlockCode;
  private readonly units: readonly Unit[];
  private readonly stops: readonly CompiledStop[];
  private readonly words: ThreadWords;
  private readonly stuck: StuckThreads;
  private readonly barriers: BlockBarriers;
  private readonly groups: OpenGroups;
  /** Number of consecutive passes in which no thread has done anything but pause. */
  private idlePasses = 0;

  constructor(code: BlockCode, size: number) {
    const { threads } = code;
    this.code = code;
    this.stops = code.compiled.stops;
    this.words = new ThreadWords(code);
    this.stuck = new StuckThreads(code, this.words);
    this.units = Array.from(
      { length: Math.ceil(threads / size) },
      (_, i): Unit => ({ first: i * size, behind: Math.min(threads, (i + 1) * size), at: 0 }),
    );
    this.barriers = new BlockBarriers(code, this.words, this.units);
    this.groups = new OpenGroups(code, this.words, this.units);
  }

  /** Prepares to run a block from its start. */
  start(): void {
    this.barriers.clear();
    for (const unit of this.units) unit.at = 0;
  }

  /**
   * Continues a block that compiled code has partially run. The unit that compiled code ran last begins with the thread
   * `first`, and `result` is its outcome. All units before it have ended, and the units after it have not started.
   */
  goOn(first: number, result: number): void {
    this.barriers.clear();
    for (const unit of this.units) unit.at = unit.first < first ? outcome.allExited : 0;
    this.words.refresh();
    for (const unit of this.units) if (unit.first === first) this.takeIn(unit, result);
  }

  run(): Progress {
    this.words.refresh();
    for (;;) {
      this.code.look();
      if (this.code.isTurnOver()) return 'paused';
      let moved = false;
      let left = false;
      for (const unit of this.units) {
        if (unit.at === outcome.allExited) continue;
        left = true;
        if (unit.at >= 0) moved = this.runWhole(unit) || moved;
        else if (unit.at === outcome.mixed) moved = this.runApart(unit) || moved;
      }
      if (!left) return 'done';
      if (moved) this.idlePasses = 0;
      if (moved || this.passTogether()) continue;
      if (this.settle()) continue;
      if (this.someRun()) return 'paused';
      throw this.deadlock();
    }
  }

  // --- units in lockstep ---------------------------------------------------------------------------------------------

  /** Runs a unit whose threads are in lockstep. Returns true if any thread did more than pause. */
  private runWhole(unit: Unit): boolean {
    const { at, first, behind } = unit;
    return this.takeIn(unit, this.code.run(at, first, behind, lanesOf(behind - first)));
  }

  private takeIn(unit: Unit, result: number): boolean {
    unit.at = result;
    if (result === outcome.allExited) {
      this.barriers.unitExited(unit);
      return true;
    }
    if (result <= outcome.allAt(0) && this.stopAt(result).plainBarrier !== null) return true;
    unit.at = outcome.mixed;
    const moved = this.settleRange(unit.first, unit.behind, result);
    return this.groups.passWhole(unit) || moved;
  }

  /**
   * Lets the remaining units continue if all of them wait at the same block-wide barrier and none of them has been
   * split. Returns whether they continue.
   */
  private passTogether(): boolean {
    let barrier: number | null = null;
    for (const { at } of this.units) {
      if (at === outcome.allExited) continue;
      const number = at <= outcome.allAt(0) ? this.stopAt(at).plainBarrier : null;
      if (number === null || (barrier !== null && barrier !== number)) return false;
      barrier = number;
    }
    for (const unit of this.units) if (unit.at !== outcome.allExited) unit.at = this.stopAt(unit.at).region;
    return true;
  }

  private stopAt(result: number): CompiledStop {
    return elementAt(this.stops, outcome.stopOf(result));
  }

  // --- threads on their own ------------------------------------------------------------------------------------------

  private runApart(unit: Unit): boolean {
    return this.code.compiled.inWarps ? this.runWarp(unit) : this.runNeighbors(unit);
  }

  private runWarp(unit: Unit): boolean {
    const { first, behind } = unit;
    const said = this.code.advance(first, behind);
    if ((said & advanced.outside) !== 0) this.stuck.checkMasks(first, behind);
    if ((said & advanced.moved) === 0) return false;
    const word = this.commonState(unit);
    const stop = word === null || word >= state.exited ? null : elementAt(this.stops, state.stopOf(word));
    if (stop !== null && stop.plainBarrier !== null && !this.barriers.knows(unit)) {
      unit.at = outcome.allAt(state.stopOf(word ?? 0));
      return true;
    }
    this.settleRange(first, behind);
    if (word === state.exited) unit.at = outcome.allExited;
    else this.groups.passWhole(unit);
    return true;
  }

  /**
   * Runs those threads of a unit that can run, in ascending order. Adjacent threads that continue in the same region
   * run together.
   */
  private runNeighbors(unit: Unit): boolean {
    if (this.rejoin(unit)) return true;
    let moved = false;
    for (let first = unit.first; first < unit.behind; ) {
      const word = this.words.stateOf(first);
      if (word < 0) {
        first++;
        continue;
      }
      const region = state.regionOf(word);
      let behind = first + 1;
      while (behind < unit.behind && this.runsAt(behind, region)) behind++;
      const result = this.code.run(region, first, behind, lanesOf(behind - first));
      moved = this.settleRange(first, behind, result) || moved;
      first = behind;
    }
    return moved;
  }

  /** Lets the threads of a unit continue as one if they have converged. */
  private rejoin(unit: Unit): boolean {
    const word = this.commonState(unit);
    if (word === null || (word < 0 && word !== state.exited)) return false;
    unit.at = word === state.exited ? outcome.allExited : state.regionOf(word);
    return true;
  }

  /** Returns the state word of the threads of a unit; null if not all of them have the same state word. */
  private commonState({ first, behind }: Unit): number | null {
    const word = this.words.stateOf(first);
    for (let thread = first + 1; thread < behind; thread++) if (this.words.stateOf(thread) !== word) return null;
    return word;
  }

  private runsAt(thread: number, region: number): boolean {
    const word = this.words.stateOf(thread);
    return word >= 0 && state.regionOf(word) === region;
  }

  /**
   * Records the states of threads after they have been run. Returns true if at least one of these threads did more than
   * pause.
   */
  private settleRange(first: number, behind: number, result: number = outcome.mixed): boolean {
    if (result < outcome.mixed) this.setStates(first, behind, result);
    let moved = false;
    for (let thread = first; thread < behind; thread++) {
      const word = this.words.stateOf(thread);
      if (word >= 0) {
        moved ||= word < state.paused;
        continue;
      }
      moved = true;
      if (word === state.exited) this.barriers.exited(thread);
      else this.barriers.stopped(thread, elementAt(this.stops, state.stopOf(word)));
    }
    return moved;
  }

  /**
   * Writes the states of threads that had the same outcome, because they may not have written their states themselves.
   */
  private setStates(first: number, behind: number, result: number): void {
    const constantMask = result <= outcome.allAt(0) ? this.stopAt(result).constantMask : null;
    for (let thread = first; thread < behind; thread++) {
      this.words.setState(thread, state.after(result));
      if (constantMask !== null) this.words.setMask(thread, constantMask);
    }
  }

  /**
   * Called when every thread has ended, is waiting, or only pauses. If there are units in which all threads wait at the
   * same stop, splits these units into individual threads. Otherwise, if a group is waiting at an instruction without a
   * member mask, lets that group continue.
   */
  private settle(): boolean {
    const whole = this.units.filter(({ at }) => at <= outcome.allAt(0));
    if (whole.length > 0) {
      for (const unit of whole) {
        const { at } = unit;
        unit.at = outcome.mixed;
        this.settleRange(unit.first, unit.behind, at);
      }
      return true;
    }
    if (this.someRun() && ++this.idlePasses < idlePassesBeforeGroups) return false;
    this.idlePasses = 0;
    return this.groups.passEarliest();
  }

  private someRun(): boolean {
    for (const unit of this.units) {
      if (unit.at !== outcome.mixed) continue;
      for (let thread = unit.first; thread < unit.behind; thread++) if (this.words.stateOf(thread) >= 0) return true;
    }
    return false;
  }

  /** Returns the fault to report if no thread can continue. */
  deadlock(): Error {
    const ranges = this.units.map(
      ({ first, behind, at }) =>
        ({
          first,
          behind,
          each: at === outcome.allExited ? 'exited' : at === outcome.mixed ? 'on its own' : 'at a barrier',
        }) as const,
    );
    return this.stuck.deadlock(ranges, this.barriers.waiters());
  }
}

/** Returns a mask of the first `count` lanes of a warp. */
function lanesOf(count: number): number {
  return count >= warpSize ? -1 : 2 ** count - 1;
}
