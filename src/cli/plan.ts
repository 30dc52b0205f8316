/** `ptxlab plan`: divides a command's work into shards that different machines can compute. */
import { join, resolve } from 'node:path';
import { writeFiles } from '../hosts/node-output.ts';
import type { CheckFlags } from './check.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { bytesText, plural } from './number-text.ts';
import type { CommonFlags } from './options.ts';
import { readCount } from './count-flag.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import type { PlanConvertFlags } from './shards/convert-plan.ts';
import { type Draft, type Plan, requireNewPlan, writePlan } from './shards/manifest.ts';
import { type Scheduler, scriptFor, shellWord } from './shards/scripts.ts';
import type { TestChoice } from './shards/what.ts';
import type { SweepChoiceFlags } from './sweep/choice.ts';

/** The flags that all `plan` commands have in common. */
export interface PlanFlags extends CommonFlags {
  readonly shards?: string;
  readonly out?: string;
  readonly cpus?: string;
  readonly for?: Scheduler;
  readonly perTask?: string;
}

export async function planSweepCommand(
  instructions: readonly string[],
  flags: PlanFlags & SweepChoiceFlags,
  session: Session,
): Promise<ExitCode> {
  const cpus = readCount('--cpus', flags.cpus ?? '1', { least: 1, most: 256 });
  const { draftSweep } = await import('./shards/sweep-plan.ts');
  return planCommand(flags, session, () => draftSweep(instructions, flags, cpus, session));
}

export async function planCheckCommand(
  paths: readonly string[],
  flags: PlanFlags & CheckFlags,
  session: Session,
): Promise<ExitCode> {
  const { draftCheck } = await import('./shards/check-plan.ts');
  return planCommand(flags, session, (folder) => draftCheck(paths, flags, folder));
}

export async function planTestCommand(
  paths: readonly string[],
  flags: PlanFlags & TestChoice,
  session: Session,
): Promise<ExitCode> {
  const { draftTest } = await import('./shards/test-plan.ts');
  return planCommand(flags, session, (folder) => draftTest(paths, flags, folder, session));
}

export async function planConvertCommand(
  paths: readonly string[],
  flags: PlanFlags & PlanConvertFlags,
  session: Session,
): Promise<ExitCode> {
  const { draftConvert } = await import('./shards/convert-plan.ts');
  return planCommand(flags, session, (folder) => draftConvert(paths, flags, folder, session));
}

/** @param draft resolves with null if the command rejected its input and has already reported why */
async function planCommand(
  flags: PlanFlags,
  session: Session,
  draft: (folder: string) => Promise<Draft | null>,
): Promise<ExitCode> {
  const { shards, out } = flags;
  if (shards === undefined || out === undefined) throw new UsageError('plan needs --shards N and --out DIR');
  const count = readCount('--shards', shards, { least: 1, most: 1_000_000 });
  if (flags.perTask !== undefined && flags.for === undefined)
    throw new UsageError('--per-task needs --for: it is the number of shards that each task of the script computes');
  const perTask = readCount('--per-task', flags.perTask ?? '1', { least: 1, most: count });
  const drafted = await draft(out);
  if (drafted === null) return 1;
  await requireNewPlan(out);
  const plan = await writePlan(out, drafted, count);
  const script = flags.for === undefined ? null : await writeScript(plan, flags.for, perTask);
  if (flags.quiet !== true) await write(session.stderr, planText(plan, drafted, perTask, script));
  return 0;
}

async function writeScript(plan: Plan, scheduler: Scheduler, perTask: number): Promise<string> {
  const { name, text, start } = scriptFor(scheduler, resolve(plan.folder), plan.manifest, perTask);
  const path = join(plan.folder, name);
  await writeFiles([{ path, bytes: Buffer.from(text) }], true);
  return `${start} ${shellWord(path)}`;
}

function planText({ folder, manifest }: Plan, draft: Draft, perTask: number, script: string | null): string {
  const { shards, units, task } = manifest;
  const empty = shards.filter(({ from, to }) => from === to).length;
  const idle =
    empty === 0 ? '' : `; ${empty} of them have nothing to do, because the work has only ${plural(units, 'part')}`;
  const needs = `${plural(task.cpus, 'CPU')}, ${bytesText(task.memoryBytes)} of memory, ${bytesText(task.diskBytes)} of disk each`;
  const start = script ?? `ptxlab work ${shellWord(folder)} --shard K, for K from 0 to ${shards.length - 1}`;
  const note = costNote(Math.ceil(shards.length / perTask), draft);
  return `${folder}: ${plural(shards.length, 'shard')}${idle}; ${needs}\n${note}next: ${start}\n`;
}

/** A warning that there are too many tasks for the amount of work; empty if the number of tasks is reasonable. */
function costNote(tasks: number, { weights, leastShard }: Draft): string {
  if (leastShard === null) return '';
  const cost = weights.reduce((sum, weight) => sum + weight, 0);
  const most = Math.max(1, Math.floor(cost / leastShard));
  if (tasks <= most) return '';
  return `note: with more than ${plural(most, 'task')}, starting them takes more than a tenth of the CPU time; let each task compute several shards: --per-task, or work --shard A..B\n`;
}
