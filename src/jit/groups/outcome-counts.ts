/**
 * Counts the threads that have run a region, separately for each place at which they continue. From these counts, the
 * region's function determines whether all threads took the same path.
 */
import type { Code } from '../../wasm/code.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { outcome } from '../layout.ts';

/**
 * Maximum number of regions with counters of their own. It is limited because each counter costs V8 time and memory at
 * every branch of the function.
 */
const mostCounted = 16;

/** Locals that count threads. */
export class OutcomeCounts {
  /**
   * Local that holds the index of the first thread that is run. Local 2 of the function holds the end of the thread
   * range.
   */
  readonly first: number;
  readonly exited: number;
  /**
   * For each stop, the local that counts the threads that have reached it. For at most `mostCounted` regions, `regions`
   * holds the local that counts the threads that continue there.
   */
  readonly stops: Map<number, number> = new Map();
  readonly regions: Map<number, number> = new Map();
  /**
   * For threads that continue in a region without a counter, or in a region that is known only at run time, after a
   * return or a call through a register. One local holds the region in which the first of these threads continues, and
   * the other local holds the number of threads that continue in the same region. Null if no thread can leave the
   * region in this way.
   */
  foundRegion: { readonly region: number; readonly count: number } | null = null;
  /**
   * The outcome if only one outcome is possible, so that nothing has to be counted; null if several outcomes are
   * possible.
   */
  readonly sole: number | null;
  private readonly code: Code;

  constructor(code: Code, sole: number | null) {
    this.code = code;
    this.sole = sole;
    this.first = code.local('i32');
    this.exited = code.local('i32');
  }

  come(stop: number): number {
    return this.counter(this.stops, stop);
  }

  /** Returns the local that counts the threads that continue in a region; null if the region has no counter. */
  gone(region: number): number | null {
    const isCounted = this.regions.has(region) || this.regions.size < mostCounted;
    return isCounted ? this.counter(this.regions, region) : null;
  }

  found(): { readonly region: number; readonly count: number } {
    this.foundRegion ??= { region: this.code.local('i32'), count: this.code.local('i32') };
    return this.foundRegion;
  }

  private counter(counters: Map<number, number>, key: number): number {
    const known = counters.get(key);
    if (known !== undefined) return known;
    const made = this.code.local('i32');
    counters.set(key, made);
    return made;
  }
}

/** Pushes the outcome of the run as a number (see `outcome` in layout.ts). */
export function writeOutcome(code: Code, shape: KernelShape, counts: OutcomeCounts): void {
  const { first, exited, foundRegion } = counts;
  if (!shape.hasStates || counts.sole !== null) {
    code.i32(counts.sole ?? outcome.allExited);
    return;
  }
  const all = (count: number): Code => {
    if (shape.inWarps) code.get(3).op('i32.popcnt');
    else code.get(2).get(first).op('i32.sub');
    return code.get(count).op('i32.eq');
  };
  for (const [stop, come] of counts.stops) all(come).if(() => code.i32(outcome.allAt(stop)).op('return'));
  for (const [region, gone] of counts.regions) all(gone).if(() => code.i32(region).op('return'));
  if (foundRegion !== null) all(foundRegion.count).if(() => code.get(foundRegion.region).op('return'));
  code.i32(outcome.allExited).i32(outcome.mixed);
  all(exited).op('select');
}
