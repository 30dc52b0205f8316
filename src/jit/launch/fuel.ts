/**
 * Counts the instructions that the blocks of one host thread execute. The ledger decides how many more instructions
 * they may execute.
 */
import type { Ledger } from './ledger.ts';

export class Fuel {
  private readonly ledger: Ledger;
  /** Number of instructions that compiled code has been allowed to run so far. */
  private granted = 0;
  private spent = 0;
  /** Number of executed instructions that have been reported to the ledger. */
  private noted = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** Number of instructions that have been executed. */
  get executed(): number {
    return this.spent;
  }

  /**
   * Number of instructions that may still run. While compiled code runs, the current number is kept only in that code.
   */
  get left(): number {
    return this.granted - this.spent;
  }

  set left(count: number) {
    this.spent = this.executedAt(count);
  }

  /**
   * Given the number of instructions that may still run, returns the number of instructions that have been executed.
   */
  executedAt(left: number): number {
    return this.granted - left;
  }

  /**
   * Reports the executed instructions to the ledger, and returns how many may run now.
   *
   * @param block the block that is running; null if no block is running
   */
  refill(block: number | null): number {
    const news = this.spent - this.noted;
    this.noted = this.spent;
    const given = this.ledger.refuel(news, block);
    this.granted = this.spent + given;
    return given;
  }

  /** Reports the executed instructions to the ledger, so that another engine can continue. */
  settle(): void {
    this.ledger.settle(this.spent - this.noted);
    this.noted = this.spent;
  }
}
