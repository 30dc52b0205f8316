/** Merges the shards of a check into the output that `check` writes to stdout. */
import { Writable } from 'node:stream';
import { elementAt } from '../../base/element-at.ts';
import { writeFiles } from '../../hosts/node-output.ts';
import { type CheckFlags, writeEnd, writeFindings } from '../check.ts';
import { isAccepted, type Judged } from '../check/report.ts';
import type { ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { isCheckBody, sourceOf } from './check-files.ts';
import type { MergeTarget } from './convert-merge.ts';
import type { Plan } from './manifest.ts';
import { tornShard } from './results.ts';
import type { CheckWhat } from './what.ts';

/**
 * @param bodies the results in the order of the shards
 * @returns 1 if a file has errors; otherwise 0, as for `check`
 */
export async function mergeCheck(
  plan: Plan,
  what: CheckWhat,
  bodies: readonly object[],
  { out, force }: MergeTarget,
  session: Session,
): Promise<ExitCode> {
  const chunks: Buffer[] = [];
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const quiet: Session = { ...session, stdout };
  const flags: CheckFlags = { ...what.choice, color: 'auto' };
  const all: Judged[] = [];
  for (const [shard, body] of bodies.entries()) {
    const { from, to } = elementAt(plan.manifest.shards, shard);
    if (!isCheckBody(body) || body.files.length !== to - from)
      throw tornShard(plan, shard, 'does not have the files of its shard');
    for (const [i, reports] of body.files.entries()) {
      const source = await sourceOf(plan, what, from + i);
      const judged = reports.map((report) => ({ source, report }));
      await writeFindings(judged, flags, quiet);
      all.push(...judged);
    }
  }
  await writeEnd(all, flags, quiet);
  await writeFiles([{ path: out, bytes: Buffer.concat(chunks) }], force);
  return all.every(({ report }) => isAccepted(report)) ? 0 : 1;
}
