/**
 * `plan test`: merging the shards produces the same output as running `test` on the same suites, except for how long
 * the tests took.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ptxlab, put, scratch, scratchIn } from './ptxlab.ts';

const folder = scratch();

/** A kernel that doubles each of four words. */
const double = `.version 8.7
.target sm_90
.address_size 64
.visible .entry double(.param .u64 x) {
.reg .u64 %p<3>; .reg .u32 %r<3>;
ld.param.u64 %p0, [x];
mov.u32 %r0, %tid.x;
mul.wide.u32 %p1, %r0, 4;
add.u64 %p0, %p0, %p1;
ld.global.u32 %r1, [%p0];
add.u32 %r1, %r1, %r1;
st.global.u32 [%p0], %r1;
ret; }
`;

const right = { u32: [2, 4, 6, 8] };

/** Two suites in two folders, with tests that pass, that fail, and that cannot run. */
function suites(): string {
  const place = scratchIn(folder);
  mkdirSync(join(place, 'sub'));
  put(place, 'double.ptx', double);
  put(place, 'want.bin', Buffer.from(Uint32Array.from(right.u32).buffer));
  const common = { block: 4, buffers: { x: { u32: [1, 2, 3, 4] } }, args: [{ buffer: 'x' }] };
  const first = {
    ...common,
    ptx: 'double.ptx',
    gpus: ['H100', 'B200'],
    tests: [
      { name: 'right', expect: { x: right } },
      { name: 'wrong', gpus: ['H100'], expect: { x: { u32: [2, 4, 6, 9] } } },
      { name: 'from a file', expect: { x: { file: 'want.bin' } } },
      { name: 'by a function', targets: ['sm_90'], expect: { x: { function: 'sub/reference.mjs#doubled' } } },
    ],
  };
  const second = {
    ...common,
    tests: [
      { name: 'no module', ptx: '../none.ptx', expect: { x: right } },
      { name: 'too few threads', ptx: '../double.ptx', block: 3, expect: { x: right } },
    ],
  };
  put(place, 'first.ptxtest.json', JSON.stringify(first));
  put(place, 'sub/second.ptxtest.json', JSON.stringify(second));
  put(place, 'sub/reference.mjs', 'export const doubled = ({ x }) => x.map((value) => 2 * value);');
  return place;
}

async function planned(place: string, shards: number, ...flags: readonly string[]): Promise<string> {
  const plan = join(scratchIn(folder), 'plan');
  const { code, stderr } = await ptxlab(['plan', 'test', place, ...flags, '--shards', `${shards}`, '--out', plan]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('shard')]);
  return plan;
}

const withoutTimes = (text: string): string =>
  text.replace(/ +\d+ ms$/gm, '').replace(/(time="|"milliseconds": )[\d.e-]+/g, '$1');

describe('shards of suites merge to what test writes', () => {
  test.each([
    ['table', 1, []],
    ['table', 4, ['--filter', '*o*']],
    ['junit', 3, []],
    ['tap', 9, []],
    ['json', 20, []],
  ])('as %s, in %d', async (format, shards, flags) => {
    const place = suites();
    const options = ['--format', format, ...flags];
    const { code, stdout } = await ptxlab(['test', place, ...options]);
    expect([code, stdout]).toEqual([2, expect.stringContaining('no module')]);
    const plan = await planned(place, shards, ...options);
    for (let shard = shards - 1; shard >= 0; shard--)
      expect(await ptxlab(['work', plan, '--shard', `${shard}`])).toMatchObject({ code: 0 });
    const merged = await ptxlab(['merge', plan, '--out', join(plan, 'out')]);
    expect(merged.code).toBe(code);
    expect(withoutTimes(readFileSync(join(plan, 'out'), 'utf8'))).toBe(withoutTimes(stdout));
  });
});

describe('a shard refuses', () => {
  test.each<[string, (place: string) => void, string]>([
    ['a suite that changed', (place) => put(place, 'first.ptxtest.json', '{}'), 'first.ptxtest.json: is not the file'],
    ['a module that changed', (place) => put(place, 'double.ptx', `${double}\n`), 'double.ptx: is not the file'],
    ['data that changed', (place) => writeFileSync(join(place, 'want.bin'), ''), 'want.bin: is not the file'],
    ['a reference that changed', (place) => put(place, 'sub/reference.mjs', ''), 'reference.mjs: is not the file'],
    ['a module that is gone', (place) => rmSync(join(place, 'double.ptx')), 'double.ptx: no such file'],
    [
      'a module that is new',
      (place) => put(place, 'none.ptx', double),
      'none.ptx: did not exist when the plan was made',
    ],
  ])('%s', async (_, change, words) => {
    const place = suites();
    const plan = await planned(place, 1);
    change(place);
    const { code, stderr } = await ptxlab(['work', plan, '--shard', '0']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

test.each(['first.ptxtest.json', 'double.ptx', 'want.bin'])(
  'merge --force does not replace the input %s',
  async (name) => {
    const place = suites();
    const plan = await planned(place, 1);
    expect(await ptxlab(['work', plan, '--shard', '0'])).toMatchObject({ code: 0 });
    const file = join(place, name);
    const before = readFileSync(file);
    const { code, stderr } = await ptxlab(['merge', plan, '--out', file, '--force']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('are the same file')]);
    expect(readFileSync(file)).toEqual(before);
  },
);

test('the manifest asks for the memory that the largest test needs', async () => {
  const place = suites();
  const buffers = { x: { zeros: 2 ** 27 }, y: { uniform: { count: 2 ** 23 } } };
  const large = { ptx: 'double.ptx', tests: [{ name: 'large', buffers, expect: { x: { zeros: 2 ** 27 } } }] };
  put(place, 'large.ptxtest.json', JSON.stringify(large));
  const plan = await planned(place, 1);
  const manifest: unknown = JSON.parse(readFileSync(join(plan, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ task: { memoryBytes: 2 ** 28 + 4 * (2 ** 27 + 2 ** 25) } });
});

test('the manifest names the GPUs of the tests', async () => {
  const plan = await planned(suites(), 2);
  const manifest: unknown = JSON.parse(readFileSync(join(plan, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ gpus: ['H100', 'B200'], units: 9, what: { suites: [{ cases: 7 }, { cases: 2 }] } });
});

test('a plan needs suites, and tests that match', async () => {
  const args = ['--shards', '1', '--out', join(scratchIn(folder), 'plan')];
  expect((await ptxlab(['plan', 'test', scratchIn(folder), ...args])).stderr).toContain('no suite in');
  expect((await ptxlab(['plan', 'test', suites(), '--filter', 'z*', ...args])).stderr).toContain(
    "no test matches 'z*'",
  );
});
