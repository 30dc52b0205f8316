/** Limits on the code that the fast engine generates for one kernel. `docs/limits.md` says how they were chosen. */
import { PtxlabError } from '../base/error.ts';

const limits = {
  /** A block counts once for every entry point from which threads can reach it without waiting. */
  blocks: { most: 131_072, what: 'blocks that follow barriers and calls' },
  /** The number of loops times the number of registers: V8 records where each register is at the start of each loop. */
  kept: { most: 8_388_608, what: 'registers in loops' },
  /** Number of labels in the lists of all `brx.idx` instructions. */
  targets: { most: 65_536, what: 'targets of brx.idx' },
  /** Number of functions that calls through registers may reach, summed over all such calls. */
  callees: { most: 65_536, what: 'functions that calls through registers may reach' },
} as const;

/** Adds up how much code a kernel needs. */
export class CodeSize {
  private readonly kernel: string;
  private readonly counts = { blocks: 0, kept: 0, targets: 0, callees: 0 };

  constructor(kernel: string) {
    this.kernel = kernel;
  }

  /** @throws PtxlabError `kernel-too-large` if a limit is exceeded */
  add(kind: keyof typeof limits, count: number): void {
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
