/**
 * The units of a planned sweep, and the results of its shards. A unit is a group of chunks. Units are numbered
 * consecutively across all instructions.
 */
import { join } from 'node:path';
import { listOf, recordWith, type Rule, text } from '../../base/rules.ts';
import type { UnitRange } from './cut.ts';
import { count, type PlannedSweep } from './what.ts';

/** Consecutive chunks of one instruction. */
export interface ChunkRun {
  readonly sweep: PlannedSweep;
  readonly first: number;
  readonly count: number;
}

export function unitsOf({ chunks, lanes }: PlannedSweep): number {
  return Math.ceil(chunks / lanes);
}

/** The chunks in a range of units: a run of consecutive chunks for each instruction that has chunks in the range. */
export function chunkRuns(sweeps: readonly PlannedSweep[], { from, to }: UnitRange): readonly ChunkRun[] {
  const runs: ChunkRun[] = [];
  let before = 0;
  for (const sweep of sweeps) {
    const units = unitsOf(sweep);
    const [first, end] = [from, to].map((unit) => Math.min(Math.max(unit - before, 0), units) * sweep.lanes);
    before += units;
    if (first === undefined || end === undefined || first >= end) continue;
    runs.push({ sweep, first: sweep.firstChunk + first, count: Math.min(end, sweep.chunks) - first });
  }
  return runs;
}

/** The compiled kernel, in the folder of the plan. */
export function kernelFile({ kernel }: Pick<PlannedSweep, 'kernel'>): string {
  return join('kernels', `${kernel}.wasm`);
}

/** Digests of consecutive chunks. */
export interface DigestRun {
  readonly name: string;
  readonly first: number;
  /** Eight hex digits for each chunk. */
  readonly digests: string;
}

export interface SweepBody {
  readonly runs: readonly DigestRun[];
}

export const sweepBodyRule: Rule<SweepBody> = recordWith<SweepBody>({
  runs: listOf(recordWith<DigestRun>({ name: text, first: count, digests: text })),
});
