/**
 * Runs the threads of one block until all have ended. Threads that run in step are looked at as one, a warp or the whole
 * block; where they part, each is looked at by itself, and who waits for whom is decided in `machine`.
 */
import type { CollectiveFunction } from '../../isa/steps/group.ts';
import { Barriers, type Opened, reduced } from '../../machine/barriers.ts';
import { Collectives, type Group } from '../../machine/collectives.ts';
import { machineFault } from '../../machine/fault.ts';
import { warpSize } from '../../machine/launch.ts';
import type { CompiledKernel, CompiledStop } from '../compiled-kernel.ts';
import { outcome, state } from '../layout.ts';

/** Compiled code and memory of one block, as the runner uses them. */
export interface BlockCode {
  readonly compiled: CompiledKernel;
  readonly threads: number;
  /** Runs threads from a region on; gives an outcome. */
  readonly run: (region: number, first: number, behind: number) => number;
  /** Members of a warp, by its first thread and their lanes, get their results. */
  readonly exchange: (fn: CollectiveFunction, first: number, members: number) => void;
  /** Words of the frames; made anew, as memory may grow while others have their turn. */
  readonly words: () => Int32Array;
  /** The thread that is to blame if something is wrong now, and its line. */
  readonly blame: (thread: number, line: number) => void;
}

/** Threads looked at together while they are in step. */
interface Unit {
  readonly first: number;
  readonly behind: number;
  /** A region where all run on; or the outcome of having run: all ended, all at one stop, or each by itself. */
  at: number;
}

/** `paused`: what can still run waits for something that this block cannot bring about alone. */
export type Progress = 'done' | 'paused';

export class BlockRunner {
  private readonly code: BlockCode;
  private readonly units: readonly Unit[];
  private readonly stops: readonly CompiledStop[];
  private words: Int32Array = new Int32Array(0);
  /** Made when threads part for the first time. */
  private apart: { readonly barriers: Barriers; readonly collectives: Collectives } | null = null;

  constructor(code: BlockCode, size: number) {
    const { threads } = code;
    this.code = code;
    this.stops = code.compiled.stops;
    this.units = Array.from(
      { length: Math.ceil(threads / size) },
      (_, i): Unit => ({ first: i * size, behind: Math.min(threads, (i + 1) * size), at: 0 }),
    );
  }

  /** Begins a block. */
  start(): void {
    this.apart = null;
    for (const unit of this.units) unit.at = 0;
  }

  /** Takes over a block whose unit from thread `first` on had that outcome: those before have ended, the others not begun. */
  goOn(first: number, result: number): void {
    this.apart = null;
    for (const unit of this.units) unit.at = unit.first < first ? outcome.allExited : 0;
    this.words = this.code.words();
    for (const unit of this.units) if (unit.first === first) this.takeIn(unit, result);
  }

  run(): Progress {
    this.words = this.code.words();
    for (;;) {
      let moved = false;
      let left = false;
      for (const unit of this.units) {
        if (unit.at === outcome.allExited) continue;
        left = true;
        if (unit.at >= 0) moved = this.runWhole(unit) || moved;
        else if (unit.at === outcome.mixed) moved = this.runApart(unit) || moved;
      }
      if (!left) return 'done';
      if (moved || this.passTogether()) continue;
      if (this.settle()) continue;
      if (this.someRun()) return 'paused';
      throw this.deadlock();
    }
  }

  // --- in step --------------------------------------------------------------------------------------------------------

  /** True if more happened than that threads paused. */
  private runWhole(unit: Unit): boolean {
    return this.takeIn(unit, this.code.run(unit.at, unit.first, unit.behind));
  }

  private takeIn(unit: Unit, result: number): boolean {
    unit.at = result;
    if (result === outcome.allExited) {
      if (this.apart !== null) for (let thread = unit.first; thread < unit.behind; thread++) this.exited(thread);
      return true;
    }
    if (result <= outcome.allAt(0) && this.stopAt(result).plainBarrier !== null) return true;
    unit.at = outcome.mixed;
    return this.settleRange(unit.first, unit.behind);
  }

  /** All units that are left wait as a whole at one barrier of the whole block: it opens. */
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
    return this.stops[outcome.stopOf(result)] as CompiledStop;
  }

  // --- each by itself -------------------------------------------------------------------------------------------------

  /** Runs those of a unit that can run, in order, neighbours at the same region together. */
  private runApart(unit: Unit): boolean {
    if (this.rejoin(unit)) return true;
    let moved = false;
    for (let first = unit.first; first < unit.behind; ) {
      const word = this.stateOf(first);
      if (word < 0) {
        first++;
        continue;
      }
      const region = state.regionOf(word);
      let behind = first + 1;
      while (behind < unit.behind && this.runsAt(behind, region)) behind++;
      this.code.run(region, first, behind);
      moved = this.settleRange(first, behind) || moved;
      first = behind;
    }
    return moved;
  }

  /** Threads that have come together again go on as one. */
  private rejoin(unit: Unit): boolean {
    const word = this.stateOf(unit.first);
    if (word < 0 && word !== state.exited) return false;
    for (let thread = unit.first + 1; thread < unit.behind; thread++) if (this.stateOf(thread) !== word) return false;
    unit.at = word === state.exited ? outcome.allExited : state.regionOf(word);
    return true;
  }

  private runsAt(thread: number, region: number): boolean {
    const word = this.stateOf(thread);
    return word >= 0 && state.regionOf(word) === region;
  }

  /** Takes note of how threads came back; true if more happened than that they paused. */
  private settleRange(first: number, behind: number): boolean {
    let moved = false;
    for (let thread = first; thread < behind; thread++) {
      const word = this.stateOf(thread);
      if (word >= 0) {
        moved ||= word < state.paused;
        continue;
      }
      moved = true;
      if (word === state.exited) this.exited(thread);
      else this.stopped(thread, this.stops[state.stopOf(word)] as CompiledStop);
    }
    return moved;
  }

  private waiters(): { readonly barriers: Barriers; readonly collectives: Collectives } {
    if (this.apart !== null) return this.apart;
    const { threads } = this.code;
    const made = { barriers: new Barriers(threads), collectives: new Collectives(threads) };
    this.apart = made;
    for (const { first, behind, at } of this.units) {
      if (at !== outcome.allExited) continue;
      for (let thread = first; thread < behind; thread++) {
        made.barriers.exit();
        made.collectives.exit(thread);
      }
    }
    return made;
  }

  private exited(thread: number): void {
    const { barriers, collectives } = this.waiters();
    for (const opened of barriers.exit()) this.pass(opened);
    for (const group of collectives.exit(thread)) this.complete(group);
  }

  private stopped(thread: number, { step, line, region }: CompiledStop): void {
    const { frame } = this.code.compiled;
    this.code.blame(thread, line);
    if (step.kind === 'collective') {
      const mask = step.mask === null ? null : this.word(frame.mask, thread) >>> 0;
      const group = this.waiters().collectives.arrive({ thread, line }, step.fn, mask, region);
      if (group !== null) this.complete(group);
      return;
    }
    const [barrier = 0, count = 0, predicate = 0] = frame.offers.map((offer) => this.word(offer, thread) >>> 0);
    if (!step.waits) this.setState(thread, region);
    const opened = this.waiters().barriers.arrive({
      thread,
      line,
      barrier,
      count: step.count === null ? null : count,
      waits: step.waits,
      predicate: step.reduce !== null && predicate !== 0,
    });
    if (opened !== null) this.pass(opened);
  }

  private pass(opened: Opened): void {
    for (const thread of opened.threads) {
      const { step, region } = this.stops[state.stopOf(this.stateOf(thread))] as CompiledStop;
      if (step.kind === 'barrier' && step.reduce !== null) {
        this.words[this.indexOf(this.code.compiled.frame.results[0] as number, thread)] = reduced(step.reduce, opened);
      }
      this.setState(thread, region);
    }
  }

  private complete(group: Group): void {
    const [one = 0] = group;
    const { step } = this.stops[state.stopOf(this.stateOf(one))] as CompiledStop;
    const first = one - (one % warpSize);
    const members = group.reduce((mask, thread) => mask | (1 << (thread - first)), 0);
    if (step.kind === 'collective') this.code.exchange(step.fn, first, members);
    for (const thread of group)
      this.setState(thread, (this.stops[state.stopOf(this.stateOf(thread))] as CompiledStop).region);
  }

  /** Nobody can run: whole units wait one by one, and groups that wait for nobody in particular go on. */
  private settle(): boolean {
    const whole = this.units.filter(({ at }) => at <= outcome.allAt(0));
    if (whole.length > 0) {
      for (const unit of whole) {
        unit.at = outcome.mixed;
        this.settleRange(unit.first, unit.behind);
      }
      return true;
    }
    if (this.someRun()) return false;
    const group = this.waiters().collectives.settle();
    if (group === null) return false;
    this.complete(group);
    return true;
  }

  private someRun(): boolean {
    for (const unit of this.units) {
      if (unit.at !== outcome.mixed) continue;
      for (let thread = unit.first; thread < unit.behind; thread++) if (this.stateOf(thread) >= 0) return true;
    }
    return false;
  }

  private deadlock(): Error {
    const { barriers, collectives } = this.waiters();
    for (let thread = 0; thread < this.code.threads; thread++) {
      const word = this.stateOf(thread);
      if (word >= 0 || word === state.exited) continue;
      this.code.blame(thread, this.stops[state.stopOf(word)]?.line ?? 0);
      break;
    }
    const waiting = [barriers.describe(), collectives.describe()].filter((words) => words !== '').join(', ');
    return machineFault('PTX6010', { waiting });
  }

  // --- words of the frames --------------------------------------------------------------------------------------------

  private stateOf(thread: number): number {
    return this.word(this.code.compiled.frame.state, thread);
  }

  private setState(thread: number, word: number): void {
    this.words[this.indexOf(this.code.compiled.frame.state, thread)] = word;
  }

  private word(array: number, thread: number): number {
    return this.words[this.indexOf(array, thread)] as number;
  }

  private indexOf(array: number, thread: number): number {
    return array / 4 + thread;
  }
}

/** Threads that are looked at together: a warp where warps have to be together by themselves, else the whole block. */
export function unitSize({ stops }: CompiledKernel, threads: number): number {
  return stops.some(({ step }) => step.kind === 'collective') ? warpSize : threads;
}
