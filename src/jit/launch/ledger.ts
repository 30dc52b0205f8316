/**
 * Assigns the blocks of a launch and the instruction budget of its threads: for the calling thread alone, or for
 * workers.
 */
import { checkTime, type LaunchLimits, overBudget } from '../../machine/launch.ts';

/** Blocks from `first` up to but not including `end`. */
export interface Blocks {
  readonly first: number;
  readonly end: number;
}

export interface Ledger {
  /** Returns up to `most` blocks that no thread has started, in ascending order, or null when none are left. */
  take(most: number): Blocks | null;
  /**
   * Records that `executed` more instructions were run, and returns how many more may run, at least one. Throws
   * whatever ends the launch for the caller, which runs `block` or no block.
   */
  refuel(executed: number, block: number | null): number;
  /** Records the last instructions when nothing is left to run; throws the fault if there were too many. */
  settle(executed: number): void;
  /** Throws if the launch has been ended or its time is over. */
  look(): void;
  /** Blocks that wait for others no longer need to wait. */
  isOver(): boolean;
}

/**
 * Instructions between two checks of the clock and of the caller's signal: about as many as run in some milliseconds,
 * because what an instruction takes differs a thousandfold.
 */
export class Pace {
  private count = 1 << 18;
  private last: number = performance.now();

  next(): number {
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    if (passed > shortest * 4) this.count = Math.max(1 << 10, this.count >> 2);
    else if (passed < shortest) this.count = Math.min(1 << 24, this.count << 1);
    return this.count;
  }
}

/** Milliseconds that instructions between two checks take at least, unless they are very many. */
const shortest = 20;

/** The ledger of a launch that runs on the calling thread. */
export class OwnLedger implements Ledger {
  private readonly limits: LaunchLimits;
  private readonly blocks: number;
  private readonly pace = new Pace();
  private next: number;
  private executed: number;

  /** @param next the first block that has not started, and the instructions that the earlier blocks executed */
  constructor(blocks: number, limits: LaunchLimits, next = 0, executed = 0) {
    this.blocks = blocks;
    this.limits = limits;
    this.next = next;
    this.executed = executed;
  }

  /** The first block that has not started. */
  get nextBlock(): number {
    return this.next;
  }

  take(most: number): Blocks | null {
    const first = this.next;
    if (first >= this.blocks) return null;
    this.look();
    this.next = Math.min(this.blocks, first + most);
    return { first, end: this.next };
  }

  refuel(executed: number): number {
    const { budget } = this.limits;
    this.settle(executed);
    this.look();
    return Math.min(this.pace.next(), budget + 1 - this.executed);
  }

  settle(executed: number): void {
    this.executed += executed;
    if (this.executed > this.limits.budget) throw overBudget(this.limits.budget);
  }

  isOver(): boolean {
    return false;
  }

  /** Blocks without instructions call this too, and there may be too many of them for the time limit. */
  look(): void {
    checkTime(this.limits);
  }
}
