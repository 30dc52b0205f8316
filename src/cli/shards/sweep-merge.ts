/** Merges the shards of a sweep into a digest file. */
import { elementAt } from '../../base/element-at.ts';
import { follows } from '../../base/rules.ts';
import { DigestFile } from '../sweep/digest-file.ts';
import type { Plan } from './manifest.ts';
import { tornShard } from './results.ts';
import { chunkRuns, type DigestRun, type SweepBody, sweepBodyRule } from './sweep-units.ts';
import type { SweepWhat } from './what.ts';

/**
 * Writes the file that `sweep --out` would write.
 *
 * @param bodies the results in the order of the shards
 * @throws UsageError if a result lacks chunks of its shard or contains chunks of other shards
 */
export async function mergeSweep(
  plan: Plan,
  { sweeps }: SweepWhat,
  bodies: readonly object[],
  out: string,
): Promise<void> {
  const file = DigestFile.empty(out);
  // The instructions appear in the order of the command line.
  for (const { name } of sweeps) file.of(name);
  for (const [shard, body] of bodies.entries()) {
    const wanted = chunkRuns(sweeps, elementAt(plan.manifest.shards, shard));
    const runs = isSweepBody(body) ? body.runs : [];
    const isWhole =
      runs.length === wanted.length &&
      wanted.every(({ sweep, first, count }, i) => isRun(runs[i], sweep.name, first, count));
    if (!isWhole) throw tornShard(plan, shard, 'does not have the chunks of its shard');
    for (const { name, first, digests } of runs) {
      for (let i = 0; i * 8 < digests.length; i++)
        file.of(name).set(first + i, Number.parseInt(digests.slice(i * 8, i * 8 + 8), 16));
    }
  }
  await file.write();
}

function isSweepBody(body: object): body is SweepBody {
  return follows(body, sweepBodyRule);
}

function isRun(run: DigestRun | undefined, name: string, first: number, count: number): boolean {
  return run?.name === name && run.first === first && new RegExp(`^[\\da-f]{${8 * count}}$`).test(run.digests);
}
