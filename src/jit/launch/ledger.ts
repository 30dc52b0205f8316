/** Who deals out the blocks of a launch and what its threads may run: for the calling thread alone, or for workers. */
import { checkTime, type LaunchLimits, overBudget } from '../../machine/launch.ts';

/** Blocks from `first` to before `end`. */
export interface Blocks {
  readonly first: number;
  readonly end: number;
}

export interface Ledger {
  /** Up to `most` blocks that nobody has begun, in ascending order; null when there are none left to begin. */
  take(most: number): Blocks | null;
  /**
   * Notes that `executed` more instructions were run, and says how many more may be, at least one. Throws what ends the
   * launch for who asks, block `block` or none.
   */
  refuel(executed: number, block: number | null): number;
  /** Notes the last of them, when there is nothing left to run; throws the fault where they were too many. */
  settle(executed: number): void;
  /** Blocks that wait for others need not wait any longer. */
  isOver(): boolean;
}

/** Instructions between two looks at the clock and at the caller's signal. */
export const slice: number = 1 << 24;

/** Of a launch that runs on the calling thread. */
export class OwnLedger implements Ledger {
  private readonly limits: LaunchLimits;
  private readonly blocks: number;
  private readonly started: number = performance.now();
  private next: number;
  private executed: number;

  /** @param next the first block that has not begun, and what those before it have executed */
  constructor(blocks: number, limits: LaunchLimits, next = 0, executed = 0) {
    this.blocks = blocks;
    this.limits = limits;
    this.next = next;
    this.executed = executed;
  }

  /** The first block that nobody has begun. */
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
    return Math.min(slice, budget + 1 - this.executed);
  }

  settle(executed: number): void {
    this.executed += executed;
    if (this.executed > this.limits.budget) throw overBudget(this.limits.budget);
  }

  isOver(): boolean {
    return false;
  }

  /** Blocks that execute nothing come here too: there can be more of them than time. */
  private look(): void {
    checkTime(this.limits, this.started);
  }
}
