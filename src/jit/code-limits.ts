/** Limits of the code that the fast engine makes for one kernel. `docs/limits.md` says how they were chosen. */
import { PtxlabError } from '../base/error.ts';

const limits = {
  /** A block counts once for each place from which threads reach it without waiting. */
  blocks: { most: 131_072, what: 'blocks that follow barriers and calls' },
  /** The product of loops and registers: V8 keeps where each register is at the start of each loop. */
  kept: { most: 8_388_608, what: 'registers in loops' },
  /** Labels in the lists of all `brx.idx`. */
  targets: { most: 65_536, what: 'targets of brx.idx' },
  /** Functions that all calls through registers may reach. */
  callees: { most: 65_536, what: 'functions that calls through registers may reach' },
} as const;

/** How much code a kernel needs so far. */
export class CodeSize {
  private readonly kernel: string;
  private readonly counts = { blocks: 0, kept: 0, targets: 0, callees: 0 };

  constructor(kernel: string) {
    this.kernel = kernel;
  }

  /** @throws PtxlabError `kernel-too-large` beyond a limit */
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
