import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Outcome, ptxlab, put, scratch } from './ptxlab.ts';
import { floats, putSafetensors } from './tensor-files.ts';

const folder = scratch();
const kernels = 'test/kernels/cuda';
const [older, newer, unoptimized] = ['warps.sm_75', 'warps.sm_90', 'graphs.sm_90_O0'].map(
  (name) => `${kernels}/${name}.ptx`,
);

function diff(...args: readonly (string | undefined)[]): Promise<Outcome> {
  return ptxlab(['diff', ...args.flatMap((arg) => (arg === undefined ? [] : [arg]))]);
}

describe('diff of two PTX modules', () => {
  test('exits 0 if they are the same but for names', async () => {
    const renamed = readFileSync(older ?? '', 'utf8')
      .replaceAll('$L__', '$label_')
      .replaceAll('%r', '%word');
    const { code, stdout, stderr } = await diff(older, put(folder, 'renamed.ptx', renamed));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\nfunctions: \d+ the same\n$/);
  });

  test('exits 1 and shows the header, functions, blocks, lines and mnemonics that differ, in 80 columns', async () => {
    const { code, stdout } = await diff(`${kernels}/graphs.sm_75.ptx`, unoptimized);
    expect(code).toBe(1);
    expect(stdout).toContain('\n  - .target sm_75\n  + .target sm_90\n');
    expect(stdout).toContain('only in B: 15 functions\n');
    expect(stdout).toMatch(/\n {2}block at A line \d+, B line \d+ \(\$L__BB\d+_\d+\)\n/);
    expect(stdout).toMatch(/\n {2} +\d+ [-+] \w+/);
    expect(stdout).toMatch(/\n {2}bra\.uni +\d+ +\d+ +\+\d+\n/);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test('--json has every line that differs, with its number', async () => {
    const changed = readFileSync(older ?? '', 'utf8').replace('bar.sync \t0', 'bar.sync \t1');
    const { code, stdout } = await diff('--json', newer, put(folder, 'changed.ptx', changed));
    const found = JSON.parse(stdout) as { readonly same: boolean; readonly functions: readonly { same: boolean }[] };
    expect([code, found.same]).toEqual([1, false]);
    expect(found).toMatchObject({
      declarations: [{ name: '.target', a: 'sm_90', b: 'sm_75' }],
      onlyInA: [],
      onlyInB: [],
    });
  });

  test('--only selects functions', async () => {
    const { stdout } = await diff('--json', '--only', 'votes', older, newer);
    expect(JSON.parse(stdout)).toMatchObject({ functions: [{ a: { name: 'votes' }, same: true }] });
    expect(await diff('--only', 'nothing', older, newer)).toMatchObject({ code: 2 });
  });

  test('reads one of the modules from stdin', async () => {
    const { code } = await ptxlab(['diff', newer ?? '', '-'], { input: readFileSync(newer ?? '', 'utf8') });
    expect(code).toBe(0);
  });

  test.each([
    [
      'a PTX file and a tensor file',
      [older, putSafetensors(folder, 'w.safetensors', { w: floats(1) })],
      'not one of each',
    ],
    ['an option of tensors', ['--max-abs', '1', older, newer], '--max-abs applies to tensor files'],
    ['a missing file', [older, 'missing.ptx'], 'missing.ptx'],
    [
      'a module with syntax errors',
      [older, put(folder, 'broken.ptx', '.version 8.0\n.target sm_80\n.entry k() { add; ')],
      'syntax errors',
    ],
  ])('exits 2 for %s', async (_, args, words) => {
    const { code, stderr } = await diff(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
