/** Limits on the code that the fast engine generates for one kernel. `docs/limits.md` explains how they were chosen. */
import { PtxlabError } from '../base/error.ts';

const limits = {
  /**
   * Number of basic blocks. Every entry point has its own compiled copies of the blocks that threads can reach from it
   * without having to wait, and each copy is counted.
   */
  blocks: { most: 262_144, what: 'blocks that follow barriers and calls' },
  /**
   * The product of two numbers: the number of loops, and the number of registers that are needed in more than one
   * block. For each loop, V8 records where each of these registers is stored when the loop starts.
   */
  kept: { most: 33_554_432, what: 'registers in loops' },
  /** Total number of labels in the target lists of all `brx.idx` instructions. */
  targets: { most: 65_536, what: 'targets of brx.idx' },
  /** The number of functions that a call through a register may reach, summed over all such calls. */
  callees: { most: 1_048_576, what: 'functions that calls through registers may reach' },
} as const;

type Quantity = keyof typeof limits;

/** Adds up the limited quantities of a kernel, and checks each sum against its limit. */
export class CodeSize {
  private readonly kernel: string;
  private readonly counts: Record<Quantity, number> = { blocks: 0, kept: 0, targets: 0, callees: 0 };

  constructor(kernel: string) {
    this.kernel = kernel;
  }

  /** @throws PtxlabError `kernel-too-large` if the sum exceeds its limit */
  add(kind: Quantity, count: number): void {
    this.counts[kind] += count;
    const { most, what } = limits[kind];
    if (this.counts[kind] > most) throw tooLarge(this.kernel, `it has more than ${most} ${what}`);
  }
}

function tooLarge(kernel: string, why: string): PtxlabError {
  return new PtxlabError(
    'kernel-too-large',
    `kernel '${kernel}' is too large for the engine 'jit': ${why}; 'interp' can run it`,
  );
}
