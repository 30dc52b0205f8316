/**
 * Computes one shard of a sweep. The kernels were compiled when the plan was made, so the instruction tables are not
 * needed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileTrouble } from '../../hosts/file-errors.ts';
import { sweepInThreads } from '../../hosts/sweep-threads.ts';
import { UsageError } from '../exit.ts';
import { digestText } from '../sweep/digest-text.ts';
import type { UnitRange } from './cut.ts';
import { hashOf, type Plan } from './manifest.ts';
import { type ChunkRun, chunkRuns, type DigestRun, kernelFile, type SweepBody } from './sweep-units.ts';
import type { PlannedSweep, SweepWhat } from './what.ts';

/** Resolves with null if the signal stopped the work. */
export async function sweepShard(
  plan: Plan,
  { sweeps }: SweepWhat,
  range: UnitRange,
  signal: AbortSignal,
): Promise<SweepBody | null> {
  const runs: DigestRun[] = [];
  for (const run of chunkRuns(sweeps, range)) {
    runs.push({ name: run.sweep.name, first: run.first, digests: await digestsOf(plan, run, signal) });
    if (signal.aborted) return null;
  }
  return { runs };
}

async function digestsOf(plan: Plan, { sweep, first, count }: ChunkRun, signal: AbortSignal): Promise<string> {
  const chunks = Array.from({ length: count }, (_, i) => first + i);
  const { chunkSize, lanes } = sweep;
  const task = { chunkSize, kernel: { lanes, wasm: await kernelOf(plan, sweep) } };
  const digests = new Map<number, number>();
  for await (const found of sweepInThreads(task, chunks, plan.manifest.task.cpus, { signal, enough: () => false })) {
    for (const [chunk, digest] of found) digests.set(chunk, digest);
  }
  return chunks.map((chunk) => digestText(digests.get(chunk) ?? 0)).join('');
}

async function kernelOf({ folder }: Plan, sweep: PlannedSweep): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(folder, kernelFile(sweep));
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path}: ${fileTrouble(error)}`);
  });
  if (hashOf(bytes) !== sweep.kernel) throw new UsageError(`${path}: is not the kernel that the plan compiled`);
  return new Uint8Array(bytes);
}
