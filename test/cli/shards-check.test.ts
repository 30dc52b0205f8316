/** `plan check`: merging the shards produces the same output as running `check` on the same files. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleOf, ptxlab, put, scratch, scratchIn } from './ptxlab.ts';

const folder = scratch();

/** Modules with and without findings, in two folders, one of which has settings. */
function modules(): string {
  const place = scratchIn(folder);
  mkdirSync(join(place, 'sub'));
  put(place, 'good.ptx', moduleOf(''));
  put(place, 'bad.ptx', moduleOf('.reg .b32 %r<3>;\nadd.u32 %r1, %r2, %r9;\nmov.f99 %r1, 0;'));
  put(place, 'notes.txt', 'not a module');
  put(place, 'sub/late.ptx', moduleOf('.reg .b32 %r<3>;\nadd.u32 %r1, %r2, %q;'));
  put(place, 'sub/cvt.ptx', moduleOf('.reg .b32 %r<3>;\n.reg .f32 %f<3>;\ncvt.rn.bf16x2.f32 %r1, %f1, %f2;', 'sm_70'));
  put(join(place, 'sub'), 'ptxlab.json', '{"target": "sm_90"}');
  return place;
}

const filesIn = (place: string): readonly string[] =>
  ['bad.ptx', 'good.ptx', 'sub/cvt.ptx', 'sub/late.ptx'].map((name) => `${place}/${name}`);

async function merged(place: string, shards: number, flags: readonly string[]): Promise<[number | null, string]> {
  const plan = join(scratchIn(folder), 'plan');
  const planned = await ptxlab(['plan', 'check', place, ...flags, '--shards', `${shards}`, '--out', plan]);
  expect(planned).toMatchObject({ code: 0 });
  for (let shard = shards - 1; shard >= 0; shard--)
    expect(await ptxlab(['work', plan, '--shard', `${shard}`])).toMatchObject({ code: 0 });
  const { code } = await ptxlab(['merge', plan, '--out', join(plan, 'out')]);
  return [code, readFileSync(join(plan, 'out'), 'utf8')];
}

describe('shards of a check merge to what check writes', () => {
  test.each([
    ['pretty', 2, []],
    ['ptxas', 4, []],
    ['json', 3, ['--source', '-Werror']],
    ['sarif', 9, ['--target', 'sm_70,sm_90']],
    ['github', 1, ['--isa', '7.0']],
  ])('as %s', async (format, shards, flags) => {
    const place = modules();
    const options = ['--format', format, ...flags];
    const { code, stdout } = await ptxlab(['check', ...filesIn(place), ...options]);
    expect(await merged(place, shards, options)).toEqual([code, stdout]);
    expect(code).toBe(1);
  });
});

describe('a shard refuses', () => {
  test.each<[string, (place: string) => void, string]>([
    [
      'a module that changed',
      (place) => writeFileSync(join(place, 'good.ptx'), 'x'),
      'is not the file that was planned',
    ],
    [
      'settings that changed',
      (place) => writeFileSync(join(place, 'sub/ptxlab.json'), '{}'),
      'is not the file that was planned',
    ],
    [
      'settings that are new',
      (place) => writeFileSync(join(place, 'ptxlab.json'), '{}'),
      'was planned with no settings',
    ],
  ])('%s', async (_, change, words) => {
    const place = modules();
    const plan = join(scratchIn(folder), 'plan');
    await ptxlab(['plan', 'check', place, '--shards', '1', '--out', plan]);
    change(place);
    const { code, stderr } = await ptxlab(['work', plan, '--shard', '0']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

test('a plan needs files', async () => {
  const plan = join(scratchIn(folder), 'plan');
  const args = ['--shards', '1', '--out', plan];
  expect((await ptxlab(['plan', 'check', scratchIn(folder), ...args])).stderr).toContain('contains no .ptx files');
  expect((await ptxlab(['plan', 'check', join(folder, 'none.ptx'), ...args])).stderr).toContain('no such file');
});
