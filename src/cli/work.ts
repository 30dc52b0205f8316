/** `ptxlab work`: computes one or more shards of a plan. */
import { elementAt } from '../base/element-at.ts';
import { makeFolder } from '../hosts/node-folders.ts';
import { type ExitCode, UsageError } from './exit.ts';
import type { CommonFlags } from './options.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import { type Plan, readPlan } from './shards/manifest.ts';
import { readResult, resultsOf, type ShardResult, troubleText, writeResult } from './shards/results.ts';
import { verifiedResult } from './shards/verify.ts';
import { shardsOfTask } from './shards/shard-number.ts';

export interface WorkFlags extends CommonFlags {
  readonly shard?: string;
}

export async function workCommand(folder: string, flags: WorkFlags, session: Session): Promise<ExitCode> {
  const plan = await readPlan(folder);
  const { first, last } = shardsOfTask(flags.shard, session.env, plan.manifest.shards.length);
  await makeFolder(resultsOf(plan));
  return session.interruptible(async (signal) => {
    for (let shard = first; shard <= last; shard++) {
      const outcome = await workOn(plan, shard, signal, session);
      if (outcome === null) return 2;
      if (flags.quiet !== true) await write(session.stderr, `shard ${shard}: ${outcome}\n`);
    }
    return 0;
  });
}

/**
 * Computes a shard, unless it already has an undamaged result. Returns a description of what was done; null if the
 * signal stopped the work.
 */
async function workOn(plan: Plan, shard: number, signal: AbortSignal, session: Session): Promise<string | null> {
  const found = await verifiedResult(plan, await readResult(plan, shard));
  if (found.kind === 'done') return 'is done already';
  if (found.kind === 'foreign' || found.kind === 'doubled') throw new UsageError(troubleText(plan, found));
  const result = await computeShard(plan, shard, signal, session);
  if (result === null) return null;
  await writeResult(plan, shard, result);
  return 'done';
}

/** Resolves with null if the signal stopped the work. */
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
