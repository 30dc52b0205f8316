/** `ptxlab work`: computes one shard of a plan. */
import { elementAt } from '../base/element-at.ts';
import { makeFolder } from '../hosts/node-folders.ts';
import { type ExitCode, UsageError } from './exit.ts';
import type { CommonFlags } from './options.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import { type Plan, readPlan } from './shards/manifest.ts';
import { readResult, resultsOf, type ShardResult, troubleText, writeResult } from './shards/results.ts';
import { shardNumber } from './shards/shard-number.ts';

export interface WorkFlags extends CommonFlags {
  readonly shard?: string;
}

export async function workCommand(folder: string, flags: WorkFlags, session: Session): Promise<ExitCode> {
  const plan = await readPlan(folder);
  const shard = shardNumber(flags.shard, session.env, plan.manifest.shards.length);
  const say = (words: string): Promise<void> =>
    flags.quiet === true ? Promise.resolve() : write(session.stderr, `shard ${shard}: ${words}\n`);
  const found = await readResult(plan, shard);
  if (found.kind === 'done') {
    await say('is done already');
    return 0;
  }
  if (found.kind === 'foreign' || found.kind === 'doubled') throw new UsageError(troubleText(plan, found));
  await makeFolder(resultsOf(plan));
  return session.interruptible(async (signal) => {
    const result = await computeShard(plan, shard, signal, session);
    if (result === null) return 2;
    await writeResult(plan, shard, result);
    await say('done');
    return 0;
  });
}

/** Null if the signal stopped it. */
async function computeShard(
  plan: Plan,
  shard: number,
  signal: AbortSignal,
  session: Session,
): Promise<ShardResult | null> {
  const { what, shards } = plan.manifest;
  const range = elementAt(shards, shard);
  switch (what.command) {
    case 'sweep': {
      const body = await (await import('./shards/sweep-work.ts')).sweepShard(plan, what, range, signal);
      return body === null ? null : { body, dataBytes: 0 };
    }
    case 'check': {
      const body = await (await import('./shards/check-work.ts')).checkShard(plan, what, range, signal);
      return body === null ? null : { body, dataBytes: 0 };
    }
    case 'test': {
      const body = await (await import('./shards/test-work.ts')).testShard(plan, what, range, signal, session);
      return body === null ? null : { body, dataBytes: 0 };
    }
    case 'convert':
      return (await import('./shards/convert-work.ts')).convertShard(plan, what, shard, signal);
  }
}
