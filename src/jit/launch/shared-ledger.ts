/** The ledger that the workers of a launch share with the calling thread, which may end the launch. */
import { machineFault } from '../../machine/fault.ts';
import { checkTime, overBudget } from '../../machine/time-limit.ts';
import { type Blocks, type Ledger, Pace } from './ledger.ts';

/** The part of a ledger that is sent to a worker. */
export interface LedgerPage {
  readonly words: SharedArrayBuffer;
  readonly blocks: number;
  readonly workers: number;
  readonly budget: number;
  readonly seconds: number;
  readonly begun: number;
}

/** Indices of 64-bit words. */
const word = { next: 0, executed: 1, faulty: 2, ended: 3 } as const;

const noBlock = 2n ** 63n - 1n;

/** Reasons, other than a fault of the kernel, for ending a launch. */
const ending = { none: 0n, abort: 1n, elsewhere: 2n } as const;

/** Thrown inside a worker that has nothing left to do because another worker or the caller has ended the launch. */
export class Superseded extends Error {}

export function openLedger(page: Omit<LedgerPage, 'words'>): LedgerPage {
  const words = new SharedArrayBuffer(8 * Object.keys(word).length);
  Atomics.store(new BigInt64Array(words), word.faulty, noBlock);
  return { ...page, words };
}

/**
 * Makes each worker stop at its next check. If the reason is `abort`, the worker reports that the launch was aborted;
 * if it is `elsewhere`, the worker stops without reporting a fault.
 */
export function endLaunch({ words }: LedgerPage, why: 'abort' | 'elsewhere'): void {
  Atomics.compareExchange(new BigInt64Array(words), word.ended, ending.none, ending[why]);
}

/** A worker's view of the shared ledger. */
export class SharedLedger implements Ledger {
  private readonly page: LedgerPage;
  private readonly words: BigInt64Array;
  private readonly pace = new Pace();

  constructor(page: LedgerPage) {
    this.page = page;
    this.words = new BigInt64Array(page.words);
  }

  /** Takes fewer blocks at a time toward the end of the launch, so that all workers finish at about the same time. */
  take(most: number, unit: number): Blocks | null {
    const { blocks, workers } = this.page;
    for (;;) {
      const seen = Atomics.load(this.words, word.next);
      const first = Number(seen);
      const end = Math.min(blocks, Number(Atomics.load(this.words, word.faulty)));
      if (first >= end) return null;
      this.look();
      const share = Math.min(most, Math.ceil((end - first) / (2 * workers)));
      const count = Math.ceil(share / unit) * unit;
      const found = Atomics.compareExchange(this.words, word.next, seen, seen + BigInt(count));
      if (found === seen) return { first, end: first + count };
    }
  }

  /**
   * Each worker gets an equal part of the remaining budget. The workers can therefore use up the whole budget, but
   * cannot exceed it by much.
   */
  refuel(executed: number, block: number | null): number {
    const { budget, workers } = this.page;
    const total = this.note(executed);
    this.look();
    if (block !== null && BigInt(block) > Atomics.load(this.words, word.faulty)) throw new Superseded();
    if (total > budget) throw overBudget(budget);
    return Math.min(this.pace.next(), Math.ceil((budget + 1 - total) / workers));
  }

  settle(executed: number): void {
    const { budget } = this.page;
    if (this.note(executed) > budget) throw overBudget(budget);
  }

  isOver(): boolean {
    this.look();
    return Atomics.load(this.words, word.faulty) !== noBlock;
  }

  /** Records that a block caused a fault. Blocks with higher numbers then no longer need to run. */
  fault(block: number): void {
    const wanted = BigInt(block);
    let seen = Atomics.load(this.words, word.faulty);
    while (wanted < seen) {
      const found = Atomics.compareExchange(this.words, word.faulty, seen, wanted);
      if (found === seen) return;
      seen = found;
    }
  }

  /**
   * Adds to the number of executed instructions, and returns the number that all workers together have reported so far.
   */
  private note(executed: number): number {
    return Number(Atomics.add(this.words, word.executed, BigInt(executed))) + executed;
  }

  /** Throws if the launch has been ended by another worker or by the caller, or if it has run out of time. */
  look(): void {
    const ended = Atomics.load(this.words, word.ended);
    if (ended === ending.abort) throw machineFault('PTX6022', {});
    if (ended === ending.elsewhere) throw new Superseded();
    checkTime(this.page);
  }
}
