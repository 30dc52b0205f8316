/** `plan`, `work`, `status` and `merge`: merging the shards produces the same bytes that a single command writes. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { coverTrouble, cutUnits } from '../../src/cli/shards/cut.ts';
import { ptxlab, put, scratch, scratchIn, spawned } from './ptxlab.ts';

const folder = scratch();

/** Conversions of 16-bit inputs, which have only one chunk each. */
const short = ['cvt.rni.u8.bf16', 'cvt.f32.f16', 'cvt.rn.f16x2.e4m3x2', 'cvt.f32.bf16'];

async function planned(instructions: readonly string[], shards: number, ...flags: readonly string[]): Promise<string> {
  const plan = join(scratchIn(folder), 'plan');
  const { code, stderr } = await ptxlab([
    'plan',
    'sweep',
    ...instructions,
    '--shards',
    `${shards}`,
    '--out',
    plan,
    ...flags,
  ]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${shards} shard`)]);
  return plan;
}

async function worked(plan: string, shards: Iterable<number>): Promise<void> {
  for (const shard of shards) {
    const { code, stderr } = await ptxlab(['work', plan, '--shard', `${shard}`]);
    expect([code, stderr]).toEqual([0, `shard ${shard}: done\n`]);
  }
}

const bytesIn = (path: string): string => readFileSync(path, 'latin1');

const tooMany = (tasks: string): string =>
  `note: with more than ${tasks}, starting them takes more than a tenth of the CPU time; let each task compute several shards: --per-task, or work --shard A..B\n`;

test.each([
  [2, ['cvt.rn.f16.f32'], ''],
  [8, ['cvt.rn.f16.f32'], tooMany('4 tasks')],
  [2, ['cvt.rn.f16x2.e5m2x2'], tooMany('1 task')],
])('%i shards of %j: the plan says whether they are worth their cost', async (shards, instructions, note) => {
  const plan = join(scratchIn(folder), 'plan');
  const { stderr } = await ptxlab(['plan', 'sweep', ...instructions, '--shards', `${shards}`, '--out', plan]);
  expect(stderr).toContain(` disk each\n${note}next: ptxlab work`);
});

test('a plan is not made below a file, and makes the folders above it', async () => {
  const file = put(scratchIn(folder), 'file', '');
  const plan = (out: string): ReturnType<typeof ptxlab> =>
    ptxlab(['plan', 'sweep', 'cvt.rn.f16.f32', '--shards', '1', '--out', out]);
  const words = 'a folder above it is a file';
  expect(await plan(file)).toMatchObject({ code: 2, stderr: `ptxlab: ${file}/results: ${words}\n` });
  expect(await plan(join(scratchIn(folder), 'a/b/plan'))).toMatchObject({ code: 0 });
});

test.skipIf(process.platform !== 'linux')('a plan below /proc is refused (skipped without /proc)', async () => {
  const args = ['plan', 'sweep', 'cvt.rn.f16.f32', '--shards', '1', '--out', '/proc/plan'];
  expect(await ptxlab(args)).toMatchObject({ code: 2, stderr: 'ptxlab: /proc/plan: this folder cannot be created\n' });
});

describe('units are cut into shards', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 40 });

  test('that cover them exactly once, in order', () => {
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 60 }), (units, count) => {
        const shards = cutUnits(units, count);
        expect(shards).toHaveLength(count);
        expect(coverTrouble(shards, units.length)).toBeNull();
      }),
    );
  });

  test('none of which weighs more than its share plus one unit', () => {
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 60 }), (units, count) => {
        const sum = (part: readonly number[]): number => part.reduce((total, weight) => total + weight, 0);
        const most = sum(units) / count + Math.max(0, ...units);
        for (const { from, to } of cutUnits(units, count)) expect(sum(units.slice(from, to))).toBeLessThanOrEqual(most);
      }),
    );
  });

  test.each([
    [
      'a gap',
      [
        [0, 2],
        [3, 4],
      ],
      'no shard has unit 2',
    ],
    [
      'a repeated unit',
      [
        [0, 2],
        [1, 4],
      ],
      'shard 1 repeats unit 1',
    ],
    [
      'an end that is missing',
      [
        [0, 2],
        [2, 3],
      ],
      'no shard has unit 3',
    ],
    [
      'units beyond the last',
      [
        [0, 2],
        [2, 5],
      ],
      'the last shard ends at unit 5 of 4',
    ],
  ])('and %s is found', (_, ranges, trouble) => {
    const shards = ranges.map(([from = 0, to = 0]) => ({ from, to }));
    expect(coverTrouble(shards, 4)).toBe(trouble);
  });
});

describe('a sweep in shards gives the same file as sweep --out', () => {
  test.each([
    ['fewer shards than instructions', short, 3, []],
    ['more shards than units of work', short, 7, []],
    ['some chunks of a long sweep', ['cvt.rn.f16.f32', 'cvt.f64.f32'], 2, ['--chunks', '62..67']],
    ['settings and a target', ['cvt.rs.f16x2.f32'], 1, ['--chunks', '3', '--rbits', 'ff', '--target', 'sm_103a']],
  ])('%s', async (_, instructions, shards, flags) => {
    const plan = await planned(instructions, shards, ...flags);
    const single = join(plan, 'single.json');
    const merged = join(plan, 'merged.json');
    await worked(
      plan,
      Array.from({ length: shards }, (_unused, i) => shards - 1 - i),
    );
    await ptxlab(['sweep', ...instructions, '--out', single, '--threads', '1', ...flags]);
    const { code, stderr } = await ptxlab(['merge', plan, '--out', merged]);
    expect([code, stderr]).toEqual([0, `${merged}: merged from ${shards} shard${shards === 1 ? '' : 's'}\n`]);
    expect(bytesIn(merged)).toBe(bytesIn(single));
  });

  test('with two threads per task', async () => {
    const plan = join(scratchIn(folder), 'plan');
    const choice = ['cvt.rn.f16.f32', '--chunks', '60..67'];
    for (const args of [
      ['plan', 'sweep', ...choice, '--cpus', '2', '--shards', '1', '--out', plan],
      ['work', plan, '--shard', '0'],
      ['merge', plan, '--out', join(plan, 'merged')],
    ])
      expect(await spawned(args)).toMatchObject({ code: 0 });
    await ptxlab(['sweep', ...choice, '--threads', '1', '--out', join(plan, 'single')]);
    expect(bytesIn(join(plan, 'merged'))).toBe(bytesIn(join(plan, 'single')));
  });
});

describe('work', () => {
  test('does nothing for a shard that is done', async () => {
    const plan = await planned(short, 2);
    await worked(plan, [1]);
    const before = bytesIn(join(plan, 'results/1.json'));
    expect((await ptxlab(['work', plan, '--shard', '1'])).stderr).toBe('shard 1: is done already\n');
    expect(bytesIn(join(plan, 'results/1.json'))).toBe(before);
  });

  test('recomputes a torn result, with the same bytes', async () => {
    const plan = await planned(short, 2);
    await worked(plan, [1]);
    const before = bytesIn(join(plan, 'results/1.json'));
    put(plan, 'results/1.json', before.slice(0, -20));
    await worked(plan, [1]);
    expect(bytesIn(join(plan, 'results/1.json'))).toBe(before);
    expect(readdirSync(join(plan, 'results'))).toEqual(['1.json']);
  });

  test('starts over if the folder of results was deleted', async () => {
    const plan = await planned(short, 2);
    rmSync(join(plan, 'results'), { recursive: true });
    await worked(plan, [1]);
    expect(readdirSync(join(plan, 'results'))).toEqual(['1.json']);
  });

  test.each([
    ['SLURM_ARRAY_TASK_ID', '2', 2],
    ['JOB_COMPLETION_INDEX', '2', 2],
    ['PARALLEL_SEQ', '2', 1],
  ])('takes its shard from %s', async (name, value, shard) => {
    const plan = await planned(short, 3);
    expect((await ptxlab(['work', plan], { env: { [name]: value } })).stderr).toBe(`shard ${shard}: done\n`);
  });

  test('computes a range of shards that are not done yet', async () => {
    const plan = await planned(short, 4);
    await worked(plan, [2]);
    const { code, stderr } = await ptxlab(['work', plan, '--shard', '1..3']);
    expect([code, stderr]).toEqual([0, 'shard 1: done\nshard 2: is done already\nshard 3: done\n']);
    expect((await ptxlab(['status', plan])).stdout).toContain('missing: 0\n');
  });

  test.each<[string, readonly string[], Record<string, string>, string]>([
    ['no shard', [], {}, 'work needs --shard, or a scheduler that sets'],
    ['a shard beyond the last', ['--shard', '3'], {}, "--shard takes 0 to 2, or a range such as 0..2, not '3'"],
    ['a range that ends beyond the last', ['--shard', '1..3'], {}, "not '1..3'"],
    ['a range that ends before it starts', ['--shard', '2..1'], {}, "not '2..1'"],
    ['a range without an end', ['--shard', '2..'], {}, "not '2..'"],
    ['task 0 of GNU parallel', [], { PARALLEL_SEQ: '0' }, "PARALLEL_SEQ takes 1 to 3, not '0'"],
    ['two schedulers', [], { PARALLEL_SEQ: '1', SLURM_ARRAY_TASK_ID: '0' }, 'are both set'],
  ])('refuses %s', async (_, flags, env, words) => {
    const { code, stderr } = await ptxlab(['work', await planned(short, 3), ...flags], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('refuses a plan of another build of ptxlab', async () => {
    const plan = await planned(short, 2);
    const manifest = bytesIn(join(plan, 'manifest.json'));
    put(plan, 'manifest.json', manifest.replace(/"sha256": "\w+"/, '"sha256": "0123456789abcdef"'));
    const { code, stderr } = await ptxlab(['work', plan, '--shard', '0']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('was planned by ptxlab 0.1.0 (0123456789ab)')]);
  });

  test('refuses a kernel that the plan did not compile', async () => {
    const plan = await planned(['cvt.f32.f16'], 1);
    const [kernel = ''] = readdirSync(join(plan, 'kernels'));
    put(plan, `kernels/${kernel}`, 'other');
    const { stderr } = await ptxlab(['work', plan, '--shard', '0']);
    expect(stderr).toContain('is not the kernel that the plan compiled');
  });
});

describe('merge refuses, by name,', () => {
  let plan = '';
  const result = (shard: number | string): string => join(plan, 'results', `${shard}.json`);

  beforeEach(async () => {
    plan = await planned(short, 3);
    await worked(plan, [0, 1, 2]);
  });

  async function refusal(): Promise<string> {
    const { code, stderr } = await ptxlab(['merge', plan, '--out', join(plan, 'merged')]);
    expect(code).toBe(2);
    expect(readdirSync(plan)).not.toContain('merged');
    return stderr;
  }

  test('a missing shard', async () => {
    rmSync(result(1));
    expect(await refusal()).toBe(`ptxlab: shard 1 is missing; ptxlab work ${plan} --shard 1 computes it\n`);
  });

  test('a shard whose file was replaced by another one', async () => {
    copyFileSync(result(0), result(1));
    expect(await refusal()).toBe(`ptxlab: shard 0 is doubled: ${result(1)} is another result for it\n`);
  });

  test('a second result of a shard', async () => {
    copyFileSync(result(2), result('2 (copy)'));
    expect(await refusal()).toBe(`ptxlab: shard 2 is doubled: ${result('2 (copy)')} is another result for it\n`);
  });

  test('a result of another plan', async () => {
    const other = await planned(short.slice(1), 3);
    await worked(other, [1]);
    copyFileSync(join(other, 'results/1.json'), result(1));
    expect(await refusal()).toBe(`ptxlab: ${result(1)} is foreign: it belongs to another plan\n`);
  });

  test('a result of a shard that is not in the plan', async () => {
    const other = await planned(short.slice(1), 4);
    await worked(other, [3]);
    copyFileSync(join(other, 'results/3.json'), result(3));
    expect(await refusal()).toBe(`ptxlab: ${result(3)} is foreign: it is not the result of a shard of this plan\n`);
  });

  test('a torn result', async () => {
    put(plan, 'results/1.json', bytesIn(result(1)).slice(0, 90));
    expect(await refusal()).toContain(`shard 1 is torn: ${result(1)} is not a complete result`);
  });

  test('a result with a changed digit', async () => {
    const text = bytesIn(result(1));
    put(
      plan,
      'results/1.json',
      text.replace(/"digests":"(.)/, (_, digit) => `"digests":"${digit === '0' ? '1' : '0'}`),
    );
    expect(await refusal()).toContain(`shard 1 is torn: ${result(1)} does not match the hash that it contains`);
  });

  test('several at once', async () => {
    rmSync(result(0));
    put(plan, 'results/2.json', '');
    expect((await refusal()).split('\n')).toHaveLength(3);
  });

  test('a manifest whose shards overlap', async () => {
    const path = join(plan, 'manifest.json');
    writeFileSync(path, bytesIn(path).replace('"from": 1', '"from": 0'));
    expect(await refusal()).toContain('manifest.json: shard 1 repeats unit 0');
  });

  test('an output that exists, unless forced', async () => {
    const out = put(plan, 'out', 'mine');
    expect(await ptxlab(['merge', plan, '--out', out])).toMatchObject({
      code: 2,
      stderr: `ptxlab: ${out}: already exists\n`,
    });
    expect(await ptxlab(['merge', plan, '--out', out, '--force'])).toMatchObject({ code: 0 });
  });
});

describe('plan', () => {
  test('writes the information that its shards need', async () => {
    const plan = await planned(short.slice(0, 1), 2);
    expect(JSON.parse(bytesIn(join(plan, 'manifest.json')))).toMatchObject({
      format: 'ptxlab plan 1',
      what: { command: 'sweep', sweeps: [{ name: short[0], chunks: 1, chunkSize: 65_536 }] },
      ptxlab: { version: '0.1.0', sha256: expect.any(String) },
      gpus: [],
      inputs: [],
      task: { cpus: 1, memoryBytes: expect.any(Number), diskBytes: expect.any(Number) },
      shards: [
        { from: 0, to: 1 },
        { from: 1, to: 1 },
      ],
    });
  });

  test('does not replace a plan', async () => {
    const plan = await planned(short, 2);
    const { code, stderr } = await ptxlab(['plan', 'sweep', ...short, '--shards', '2', '--out', plan]);
    expect([code, stderr]).toEqual([2, `ptxlab: ${join(plan, 'manifest.json')}: already exists\n`]);
  });

  test.each([
    [['cvt.f32.f16'], 'plan needs --shards N and --out DIR'],
    [['--shards', '2', '--out', join(folder, 'none')], 'plan sweep needs an instruction'],
    [
      ['cvt.f32.f16', '--shards', '0', '--out', join(folder, 'none')],
      "--shards takes a whole number from 1 to 1000000, not '0'",
    ],
    [['add.f32', '--shards', '2', '--out', join(folder, 'none')], 'NOT_SWEPT'],
  ])('refuses %s', async (args, words) => {
    const { code, stderr } = await ptxlab(['plan', 'sweep', ...args]);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(words);
    expect(readdirSync(folder)).not.toContain('none');
  });

  test.each([
    ['slurm', 'slurm.sh', '#SBATCH --array=0-2\n#SBATCH --cpus-per-task=1\n#SBATCH --mem=256M\n#SBATCH --requeue\n'],
    ['parallel', 'parallel.sh', 'seq 0 2 | parallel '],
  ])('writes a script for %s', async (scheduler, name, words) => {
    const plan = await planned(short, 3, '--for', scheduler);
    expect(bytesIn(join(plan, name))).toContain(words);
  });

  test('quotes the folder in the command that comes next', async () => {
    const plan = join(scratchIn(folder), "it's a plan");
    const { stderr } = await ptxlab(['plan', 'sweep', ...short, '--shards', '1', '--for', 'parallel', '--out', plan]);
    const [, command = ''] = /^next: sh (.*)$/m.exec(stderr) ?? [];
    expect(spawnSync('sh', ['-c', `printf %s ${command}`], { encoding: 'utf8' }).stdout).toBe(
      join(plan, 'parallel.sh'),
    );
  });

  test('writes scripts whose tasks compute several shards, and the last one what is left', async () => {
    const plan = await planned(short, 5, '--for', 'slurm', '--per-task', '2');
    const script = put(plan, 'slurm.sh', bytesIn(join(plan, 'slurm.sh')));
    expect(bytesIn(script)).toContain('#SBATCH --array=0-2\n');
    const task = (number: string): string =>
      spawnSync('sh', [script], { env: { PTXLAB: 'echo', SLURM_ARRAY_TASK_ID: number }, encoding: 'utf8' }).stdout;
    expect(['0', '1', '2'].map(task)).toEqual(
      ['0..1', '2..3', '4..4'].map((range) => `work ${plan} --shard ${range}\n`),
    );
  });

  test('refuses shards per task without a script', async () => {
    const args = ['plan', 'sweep', 'cvt.f32.f16', '--shards', '4', '--per-task', '2', '--out', scratchIn(folder)];
    const { code, stderr } = await ptxlab(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--per-task needs --for')]);
  });
});

describe('status', () => {
  test('counts the shards, and names those that are missing', async () => {
    const plan = await planned(short, 4);
    await worked(plan, [1]);
    const { code, stdout } = await ptxlab(['status', plan]);
    expect([code, stdout]).toEqual([0, `[${'#'.repeat(10)}${'.'.repeat(30)}] 1 of 4 shards done\nmissing: 0, 2..3\n`]);
  });

  test('as JSON, and exits with 1 if a result is broken', async () => {
    const plan = await planned(short, 2);
    put(plan, 'results/1.json', '{');
    const { code, stdout } = await ptxlab(['status', plan, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { command: 'sweep', shards: 2, done: 0, missing: [0], torn: [1] },
    ]);
  });
});
