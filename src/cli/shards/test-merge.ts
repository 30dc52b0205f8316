/** Merges the shards of planned kernel tests into the output that `test` writes to stdout. */
import { Writable } from 'node:stream';
import { elementAt } from '../../base/element-at.ts';
import { writeFiles } from '../../hosts/node-output.ts';
import type { ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { exitOf, reportText } from '../test/report.ts';
import type { MergeTarget } from './convert-merge.ts';
import type { Plan } from './manifest.ts';
import { tornShard } from './results.ts';
import { isTestBody } from './test-files.ts';
import type { TestWhat } from './what.ts';

/**
 * @param bodies the results in the order of the shards
 * @returns the exit code of `test`
 */
export async function mergeTest(
  plan: Plan,
  { choice }: TestWhat,
  bodies: readonly object[],
  { out, force }: MergeTarget,
  { env }: Session,
): Promise<ExitCode> {
  const results = bodies.flatMap((body, shard) => {
    const { from, to } = elementAt(plan.manifest.shards, shard);
    if (isTestBody(body) && body.results.length === to - from) return body.results;
    throw tornShard(plan, shard, 'does not have the tests of its shard');
  });
  const flags = { format: choice.format, color: 'never' } as const;
  const text = await reportText(results, flags, { stdout: new Writable(), env });
  await writeFiles([{ path: out, bytes: Buffer.from(text) }], force);
  return exitOf(results);
}
