/** `ptxlab merge`: joins the results of all shards into the file that a single command would have written. */
import { requireOutputs } from '../hosts/node-output.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { plural } from './number-text.ts';
import type { CommonFlags } from './options.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import type { MergeTarget } from './shards/convert-merge.ts';
import { pathOfInput } from './shards/inputs.ts';
import { manifestOf, type Plan, readPlan, requireCover } from './shards/manifest.ts';
import { type Done, readResults, removeLeftovers, type Trouble, troubleText } from './shards/results.ts';

export interface MergeFlags extends CommonFlags {
  readonly out?: string;
  readonly force?: boolean;
}

/** Maximum number of problems that are listed; the others are only counted. */
const mostListed = 10;

export async function mergeCommand(folder: string, flags: MergeFlags, session: Session): Promise<ExitCode> {
  const { out, force = false } = flags;
  if (out === undefined) throw new UsageError('merge needs --out FILE');
  const plan = await readPlan(folder);
  requireCover(plan);
  const inputs = plan.manifest.inputs.map((input) => pathOfInput(folder, input));
  await requireOutputs([out], [manifestOf(folder), ...inputs], force);
  const done: Done[] = [];
  const troubles: Trouble[] = [];
  for (const found of await readResults(plan)) {
    if (found.kind === 'done') done.push(found);
    else troubles.push(found);
  }
  if (troubles.length > 0) {
    await write(session.stderr, refusal(plan, troubles));
    return 2;
  }
  const bodies = done.map(({ body }) => body);
  const exit = await mergeBodies(plan, bodies, { out, force, quiet: flags.quiet === true }, session);
  await removeLeftovers(plan);
  if (flags.quiet !== true) await write(session.stderr, `${out}: merged from ${plural(done.length, 'shard')}\n`);
  return exit;
}

function refusal(plan: Plan, troubles: readonly Trouble[]): string {
  const lines = troubles.slice(0, mostListed).map((trouble) => `ptxlab: ${troubleText(plan, trouble)}\n`);
  const more = troubles.length - lines.length;
  return (
    lines.join('') + (more > 0 ? `ptxlab: and ${more} more; run ptxlab status ${plan.folder} to list them all\n` : '')
  );
}

async function mergeBodies(
  plan: Plan,
  bodies: readonly object[],
  target: MergeTarget,
  session: Session,
): Promise<ExitCode> {
  const { what } = plan.manifest;
  switch (what.command) {
    case 'sweep':
      await (await import('./shards/sweep-merge.ts')).mergeSweep(plan, what, bodies, target.out);
      return 0;
    case 'check':
      return (await import('./shards/check-merge.ts')).mergeCheck(plan, what, bodies, target, session);
    case 'test':
      return (await import('./shards/test-merge.ts')).mergeTest(plan, what, bodies, target, session);
    case 'convert':
      await (await import('./shards/convert-merge.ts')).mergeConvert(plan, what, bodies, target, session);
      return 0;
  }
}
