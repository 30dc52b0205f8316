/** `ptxlab status`: reports the progress of a plan's shards. */
import type { ExitCode } from './exit.ts';
import type { CommonFlags } from './options.ts';
import { write, writeJson } from './output.ts';
import type { Session } from './session.ts';
import { type Plan, readPlan } from './shards/manifest.ts';
import { type Found, readResults, troubleText } from './shards/results.ts';
import { verifiedResult } from './shards/verify.ts';

export interface StatusFlags extends CommonFlags {
  readonly json?: boolean;
  /** Whether to read the data of all results and compare it with its checksums. */
  readonly verify?: boolean;
}

/** The exit code is 1 if any result is `torn`, `foreign` or `doubled`. */
export async function statusCommand(
  folder: string,
  { json, verify }: StatusFlags,
  { stdout }: Session,
): Promise<ExitCode> {
  const plan = await readPlan(folder);
  const found: Found[] = [];
  for (const one of await readResults(plan)) found.push(verify === true ? await verifiedResult(plan, one) : one);
  const wrong = found.filter(({ kind }) => kind !== 'done' && kind !== 'missing');
  if (json === true) await writeJson(stdout, statusJson(plan, found));
  else await write(stdout, statusText(plan, found));
  return wrong.length > 0 ? 1 : 0;
}

function shardsOf(found: readonly Found[], kind: 'done' | 'missing' | 'torn'): readonly number[] {
  return found.flatMap((one) => (one.kind === kind && 'shard' in one ? [one.shard] : []));
}

function statusJson(plan: Plan, found: readonly Found[]): object {
  return {
    command: plan.manifest.what.command,
    shards: plan.manifest.shards.length,
    done: shardsOf(found, 'done').length,
    missing: shardsOf(found, 'missing'),
    torn: shardsOf(found, 'torn'),
    problems: found.flatMap((one) => (one.kind === 'done' || one.kind === 'missing' ? [] : [troubleText(plan, one)])),
  };
}

const barWidth = 40;

function statusText(plan: Plan, found: readonly Found[]): string {
  const all = plan.manifest.shards.length;
  const done = shardsOf(found, 'done').length;
  const filled = Math.floor((barWidth * done) / all);
  const lines = [`[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${done} of ${all} shards done`];
  const missing = shardsOf(found, 'missing');
  if (missing.length > 0) lines.push(`missing: ${rangesText(missing)}`);
  for (const one of found) if (one.kind !== 'done' && one.kind !== 'missing') lines.push(troubleText(plan, one));
  if (found.every(({ kind }) => kind === 'done'))
    lines.push(`complete; ptxlab merge ${plan.folder} --out FILE joins the results`);
  return `${lines.join('\n')}\n`;
}

/** `0, 4..7`. */
function rangesText(numbers: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}..${last}`)).join(', ');
}
