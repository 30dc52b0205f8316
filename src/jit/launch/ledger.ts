/**
 * Assigns the blocks and the instruction budget of a launch either to the calling thread alone or to several workers.
 */
import type { LaunchLimits } from '../../machine/launch.ts';
import { checkTime, overBudget } from '../../machine/time-limit.ts';

/** Blocks from `first` up to but not including `end`. */
export interface Blocks {
  readonly first: number;
  readonly end: number;
}

export interface Ledger {
  /**
   * Returns up to `most` consecutive blocks that no thread has taken, or null when none are left. The number of blocks
   * is a multiple of `unit`.
   */
  take(most: number, unit: number): Blocks | null;
  /**
   * Records that `executed` more instructions have been run, and returns how many more may run before the next call.
   * The result is at least 1. Throws an error if the launch has to end; callers must let this error propagate. `block`
   * is the block that the caller is running, or null if it is not running a block.
   */
  refuel(executed: number, block: number | null): number;
  /**
   * Called when nothing is left to run: records the instructions that were executed since the last call to `refuel`.
   * Throws a fault if the instruction budget has been exceeded.
   */
  settle(executed: number): void;
  /** Throws if the launch was aborted or its time is up. */
  look(): void;
  /** Whether blocks should stop waiting for other blocks, because a fault has ended the launch. */
  isOver(): boolean;
}

/**
 * Decides how many instructions run between two checks of the clock and the caller's signal, so that the checks are a
 * few milliseconds apart. The number is adjusted during the launch, because the time per instruction can vary by a
 * factor of a thousand.
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

/**
 * The minimum time in milliseconds that should pass between two checks. The actual time can be shorter, because the
 * number of instructions between two checks is limited.
 */
const shortest = 20;

/** The ledger of a launch that runs on the calling thread. */
export class OwnLedger implements Ledger {
  private readonly limits: LaunchLimits;
  private readonly blocks: number;
  private readonly pace = new Pace();
  private next: number;
  private executed: number;

  /**
   * @param next the first block that has not started yet
   * @param executed the number of instructions that earlier blocks have executed
   */
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

  /**
   * This method is also called when blocks are taken, because a launch with very many blocks can exceed its time limit
   * even if the blocks execute no instructions.
   */
  look(): void {
    checkTime(this.limits);
  }
}
