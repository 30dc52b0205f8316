/**
 * Tests plans with real schedulers, which run the shards. The merged results must be the same as those of a single
 * command. To run these tests: `npm run test:schedulers`. Schedulers that are not installed are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mainFile, scratch } from '../cli/ptxlab.ts';
import { lacking, plannedConversion, plannedSweep } from './planned.ts';
import { SlurmNode } from './slurm-node.ts';

const folder = scratch();

const noSlurm = lacking('munged', 'munge', 'slurmctld', 'slurmd', 'sbatch', 'scontrol', 'squeue', 'sinfo', 'scancel');

describe.skipIf(noSlurm !== '')(`Slurm${noSlurm}`, () => {
  // The folder has a short path, because the path of a socket may have only about a hundred characters.
  const place = mkdtempSync(join(tmpdir(), 'slurm-'));
  const slurm = new SlurmNode(place);
  beforeAll(() => slurm.start(), 60_000);
  afterAll(async () => {
    await slurm.stop();
    rmSync(place, { recursive: true, force: true });
  }, 60_000);

  /** The array tasks that are in a given state, each in the form `12_3` (job 12, task 3). */
  const tasks = (state: string): readonly string[] =>
    slurm
      .call('squeue', ['-h', '-r', '-t', state, '-o', '%F_%K'])
      .split('\n')
      .filter((task) => task !== '');

  const isEmpty = (): boolean => slurm.call('squeue', ['-h']) === '';

  test('runs 64 shards, of which some are killed and requeued', async () => {
    const { plan, merged, single } = await plannedSweep(folder, 64, 'slurm');
    expect(slurm.call('sbatch', ['--parsable', join(plan, 'slurm.sh')])).toMatch(/^\d+/);
    const requeued = new Set<string>();
    await slurm.until(
      'eight tasks are killed',
      () => {
        const [task] = tasks('R').filter((one) => !requeued.has(one));
        if (task === undefined) return false;
        slurm.call('scontrol', ['requeue', task]);
        requeued.add(task);
        return requeued.size === 8;
      },
      120,
    );
    // Slurm delays requeued tasks by two minutes.
    const hurry = (): void => {
      for (const task of tasks('PD'))
        if (requeued.has(task)) slurm.call('scontrol', ['update', `jobid=${task}`, 'StartTime=now']);
    };
    await slurm.until('all tasks are done', () => (hurry(), isEmpty()), 300);
    const logs = readdirSync(join(plan, 'logs')).map((name) => readFileSync(join(plan, 'logs', name), 'utf8'));
    expect(logs).toHaveLength(64);
    expect(logs.filter((text) => text.includes('DUE TO JOB REQUEUE')).length).toBeGreaterThan(0);
    expect(await merged()).toEqual(await single());
  });

  test('runs a conversion in 16 shards', async () => {
    const { plan, merged, single } = await plannedConversion(folder, 16, 'slurm');
    slurm.call('sbatch', ['--wait', join(plan, 'slurm.sh')]);
    expect(Buffer.compare(await merged(), await single())).toBe(0);
  });
});

const noParallel = lacking('parallel');

describe.skipIf(noParallel !== '')(`GNU parallel${noParallel}`, () => {
  const ended = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve));

  test('runs 64 shards, of which some are killed and started again', async () => {
    const { plan, merged, single } = await plannedSweep(folder, 64, 'parallel');
    const exit = ended(spawn('sh', [join(plan, 'parallel.sh')], { stdio: 'ignore' }));
    // Each task is killed at most once, because the scheduler starts a failing task at most three times.
    const killed = new Set<string>();
    while (killed.size < 8) {
      await sleep(100);
      const [task] = tasksOf(plan).filter(({ shard }) => !killed.has(shard));
      if (task === undefined) continue;
      process.kill(task.id, 'SIGKILL');
      killed.add(task.shard);
    }
    expect(await exit).toBe(0);
    expect(await merged()).toEqual(await single());
  });

  test('runs a conversion in 16 shards, numbered by PARALLEL_SEQ', async () => {
    const { plan, merged, single } = await plannedConversion(folder, 16, 'parallel');
    const numbers = Array.from({ length: 16 }, (_, i) => `${i + 1}`);
    const args = ['-q', '-N0', process.execPath, mainFile, 'work', plan, ':::', ...numbers];
    expect(await ended(spawn('parallel', args, { stdio: 'ignore' }))).toBe(0);
    expect(Buffer.compare(await merged(), await single())).toBe(0);
  });
});

interface Task {
  readonly id: number;
  readonly shard: string;
}

/** The processes that compute shards of a plan. */
function tasksOf(plan: string): readonly Task[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, file, command, folderOfPlan, , shard = ''] = readFileSync(join('/proc', name, 'cmdline'), 'utf8').split(
        '\0',
      );
      const isTask = file === mainFile && command === 'work' && folderOfPlan === plan;
      return isTask ? [{ id: Number(name), shard }] : [];
    } catch {
      // The process has ended.
      return [];
    }
  });
}
