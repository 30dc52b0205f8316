import { chmodSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { writeNpy } from '../../src/tensors/npy/npy.ts';
import { type Outcome, ptxlab, put, scratch, start } from './ptxlab.ts';
import { floats, putSafetensors, tensor } from './tensor-files.ts';

const folder = scratch();
const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
const model = putSafetensors(
  folder,
  'model.safetensors',
  {
    'a.weight': tensor('F32', [2, 3], Float32Array.of(1, -3, 0.5, 0, nan, infinity)),
    'a.scale': tensor('F8_E4M3', [4], Uint8Array.of(0x38, 0x7e, 0x01, 0x80)),
    mask: tensor('BOOL', [2], Uint8Array.of(0, 1)),
    step: tensor('I64', [], BigInt64Array.of(7n)),
  },
  { format: 'pt' },
);

function inspect(...args: readonly string[]): Promise<Outcome> {
  return ptxlab(['inspect', ...args]);
}

interface JsonFile extends Readonly<Record<string, unknown>> {
  readonly tensors: readonly JsonTensor[];
}

interface JsonTensor {
  readonly name: string;
  readonly statistics: Readonly<Record<string, unknown>> | null;
}

async function inspectJson(...args: readonly string[]): Promise<readonly JsonFile[]> {
  const { code, stdout } = await inspect('--json', ...args);
  expect(code).toBe(0);
  return JSON.parse(stdout) as readonly JsonFile[];
}

describe('output', () => {
  test('has a line per tensor, with names last, and totals by type', async () => {
    const { code, stdout, stderr } = await inspect(model);
    expect([code, stderr]).toEqual([0, '']);
    const [heading = '', ...rest] = stdout.split('\n\n');
    expect(heading.split(/\s+/).join(' ')).toBe(`${model}: safetensors, 4 tensors, 13 elements, 322 B`);
    expect(rest.join('\n\n')).toBe(`  format  pt

  dtype     shape  size  min  max  amax  NaN  inf  |x| by binade     name
  F32       2 × 3  24 B   -3    1     3    1    1           ███ 2^1  a.weight
  F8_E4M3       4   4 B    0  448   448    0    0  █  █       █ 2^8  a.scale
  BOOL          2   2 B                                              mask
  I64      scalar   8 B    7    7     7    0    0             █ 2^2  step

  dtype    tensors  elements  size
  F32            1         6  24 B
  I64            1         1   8 B
  F8_E4M3        1         4   4 B
  BOOL           1         2   2 B

NaN or infinity in 1 tensor
  a.weight has 1 NaN and 1 infinity
`);
  });

  test.each<[number, readonly string[], string, string]>([
    [200, [], 'amax', 'model.layers.10.mlp.experts.3.down_proj.weight'],
    [80, [], 'amax, NaN, inf and size left out, names shortened', 'm.l.10.m.e.3.do.weight'],
    [80, ['--no-stats'], 'names shortened', 'm.laye.10.mlp.experts.3.down_proj.weight'],
    [60, [], 'amax, NaN, inf, size and |x| by binade left out, names shortened', 'm.l.10.m.e.3.d.weight'],
    [40, ['--no-stats'], 'elements, size and shape left out, names', 'm.l.10.m.e.3.down_proj.weight'],
  ])('fits %i columns with %j', async (columns, flags, left, name) => {
    const wide = putSafetensors(folder, 'wide.safetensors', {
      'model.layers.10.mlp.experts.3.down_proj.weight': tensor(
        'F32',
        [64, 128],
        Float32Array.from({ length: 8192 }, (_, i) => Math.sin(i) / 16),
      ),
      ['x.'.repeat(60)]: tensor('F8_E4M3', [2], Uint8Array.of(0x38, 1)),
    });
    const { stdout } = await ptxlab(['inspect', ...flags, wide], { env: { COLUMNS: String(columns) } });
    const lines = stdout.replace(wide, '').split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(stdout.replace(/\n +/g, ' ')).toContain(left);
    expect(stdout).toContain(`  ${name}\n`);
  });

  test('for a single tensor has all its statistics and a line for each binade', async () => {
    const { stdout } = await inspect('--only', 'a.w*', model);
    expect(stdout).toContain('a.weight  F32, 2 × 3, 6 elements, 24 B\n');
    expect(stdout).toContain('mean  -0.375  infinities  1 (16.7%)\n');
    expect(stdout).toMatch(/█+ +2\^1 +1 +33\.3%\n/);
    expect(stdout).toMatch(/ 2\^-1 +█+ +1 +33\.3%\n/);
  });

  test('--ascii draws with ASCII characters only', async () => {
    const { stdout } = await inspect('--ascii', '--histogram', model);
    expect(stdout).toContain('2 x 3');
    expect(stdout).toContain('####');
    expect(stdout).toMatch(/^[\n -~]*$/);
  });

  test('a tensor name cannot send commands to the terminal', async () => {
    const odd = putSafetensors(folder, 'odd.safetensors', { 'w\u001b[2J': floats(1), v: floats(2) });
    const { stdout } = await inspect(odd);
    expect(stdout).toContain('w␛[2J');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('--json', () => {
  test('--json includes every fact; numbers that JSON cannot express are strings', async () => {
    const [record] = await inspectJson(model);
    expect(record).toMatchObject({ file: model, container: 'safetensors', metadata: { format: 'pt' } });
    const tensors = record?.tensors ?? [];
    expect(tensors[0]).toMatchObject({
      name: 'a.weight',
      dtype: 'F32',
      format: 'f32',
      shape: [2, 3],
      elements: 6,
      bytes: 24,
      shard: null,
      statistics: { min: -3, max: 1, amax: 3, mean: -0.375, zeros: 1, subnormals: 0, nans: 1, infinities: 1 },
    });
    expect(tensors[1]?.statistics).toMatchObject({ subnormals: 1, zeros: 1 });
    expect(tensors[2]?.statistics).toBeNull();
    expect(record?.['totals']).toContainEqual({ dtype: 'F32', tensors: 1, elements: 6, bytes: 24 });
  });

  test('--no-stats reads only headers', async () => {
    const [record] = await inspectJson('--no-stats', model);
    expect(record?.tensors.map(({ statistics }) => statistics)).toEqual([null, null, null, null]);
  });

  test('several files give a list of entries', async () => {
    expect(await inspectJson(model, model)).toHaveLength(2);
  });
});

describe('files of other kinds', () => {
  test('raw bytes, as --dtype and --shape describe them', async () => {
    const raw = put(folder, 'weights.bin', Uint8Array.of(0x80, 0x3f, 0x00, 0xc0));
    const [record] = await inspectJson('--dtype', 'bf16', '--shape', '2', raw);
    expect(record?.tensors[0]?.statistics).toMatchObject({ min: -2, max: 1 });
  });

  test('shards are shown as one model, each tensor with its file', async () => {
    const home = join(folder, 'sharded');
    mkdirSync(home);
    putSafetensors(home, 'm-1.safetensors', { a: floats(1) });
    putSafetensors(home, 'm-2.safetensors', { b: floats(2, 3) });
    const weights = { a: 'm-1.safetensors', b: 'm-2.safetensors' };
    const index = put(home, 'm.safetensors.index.json', JSON.stringify({ metadata: {}, weight_map: weights }));
    const { stdout } = await inspect('--no-stats', index);
    expect(stdout).toContain('safetensors in 2 files, 2 tensors, 3 elements');
  });

  test('tensors that the index does not list are named in a warning', async () => {
    const home = join(folder, 'unlisted');
    mkdirSync(home);
    putSafetensors(home, 'm-1.safetensors', { a: floats(1), b: floats(1), c: floats(1) });
    putSafetensors(home, 'm-2.safetensors', { d: floats(2), e: floats(3), a: floats(4) });
    const indexOf = (weight_map: object): string =>
      put(home, 'm.safetensors.index.json', JSON.stringify({ weight_map }));
    const index = indexOf({ a: 'm-1.safetensors', e: 'm-2.safetensors' });
    const words = '3 tensors of its files are not listed in the index, so they are left out: b, c, d';
    const out = join(home, 'o.safetensors');
    for (const args of [
      ['inspect', index],
      ['diff', index, index],
      ['convert', index, out, '--to', 'f16'],
    ])
      expect((await ptxlab(args)).stderr).toContain(`ptxlab: warning: ${index}: ${words}\n`);
    indexOf({ a: 'm-1.safetensors', b: 'm-1.safetensors', c: 'm-1.safetensors', e: 'm-2.safetensors' });
    expect((await inspect(index)).stderr).toBe(
      `ptxlab: warning: ${index}: 1 tensor of its files is not listed in the index, so it is left out: d\n`,
    );
    expect((await ptxlab(['inspect', index, '-q'])).stderr).toBe('');
  });

  test('members of an .npz that are not arrays are named in a warning', async () => {
    const array = writeNpy({ type: 'u1', shape: [1], bytes: Uint8Array.of(1) });
    const path = put(folder, 'mixed.npz', zipSync({ 'a.npy': array, 'notes.txt': array }));
    const words = 'left out: member "notes.txt" is not an .npy file';
    for (const args of [
      ['inspect', path],
      ['diff', path, path],
      ['convert', path, join(folder, 'mixed.safetensors'), '--to', 'f16'],
    ])
      expect((await ptxlab(args)).stderr).toContain(`ptxlab: warning: ${path}: ${words}\n`);
  });
});

describe('unreadable files exit 2 with one sentence', () => {
  const locked = putSafetensors(folder, 'locked.safetensors', { w: floats(1) });
  chmodSync(locked, 0);
  const isRoot = process.getuid?.() === 0;
  const cut = put(folder, 'cut.safetensors', Uint8Array.of(200, 0, 0, 0, 0, 0, 0, 0, 0x7b));
  const lying = putSafetensors(folder, 'lying.safetensors', { w: { ...floats(1), shape: [2] } });

  const loop = join(folder, 'loop.npy');
  symlinkSync(loop, loop);

  test.each<[string, readonly string[], RegExp]>([
    ['no file', [join(folder, 'none.safetensors')], /none\.safetensors/],
    ['a directory', [folder], /is a directory/],
    ['a header that is cut off', [cut], /cut\.safetensors: /],
    ['a header with wrong sizes', [lying], /lying\.safetensors: /],
    ['bytes without a --dtype', [put(folder, 'u.bin', 'hello, world')], /u\.bin: .*--dtype f32 --shape 1024,1024/],
    ['bytes without extents', ['--dtype', 'f32', put(folder, 'v.bin', 'abcd')], /v\.bin: .*--shape 1024,1024/],
    ['a link to itself', [loop], /loop\.npy: a symbolic link that cannot be followed/],
    ['something else', [put(folder, 'text.txt', 'hello, world')], /text\.txt: not a safetensors/],
    ['raw bytes of the wrong size', ['--dtype', 'f32', '--shape', '2', put(folder, 'r.bin', 'abcd')], /r\.bin: /],
    ['an unknown element type', ['--dtype', 'f33', '--shape', '1', put(folder, 's.bin', 'abcd')], /f33/],
    ['an invalid shape', ['--dtype', 'f32', '--shape', '-1', put(folder, 't.bin', 'abcd')], /--shape takes/],
    ['a name that no tensor has', ['--only', 'nothing*', model], /--only matches none of its 4 tensors/],
    ['stdin', ['-'], /stdin/],
    ['no file at all', [], /needs a tensor file/],
    ...(isRoot ? [] : [['a file without permission', [locked], /permission denied/] as [string, string[], RegExp]]),
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await inspect(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ptxlab: [^\n]+\n$/);
    expect(stderr).not.toContain('internal error');
  });

  test('the other files are still shown', async () => {
    const { code, stdout, stderr } = await inspect(cut, model);
    expect(code).toBe(2);
    expect(stderr).toContain('cut.safetensors');
    expect(stdout).toContain('model.safetensors');
  });
});

describe('files that take long', () => {
  // Four GiB in a sparse file, which takes up no disk space.
  const large = put(folder, 'large.bin', '');
  truncateSync(large, 2 ** 32);
  const flags = ['--dtype', 'F32', '--shape', `${2 ** 30}`, large];

  test('--no-stats does not read them', async () => {
    const { code, stdout } = await inspect('--no-stats', ...flags);
    expect(code).toBe(0);
    expect(stdout).toContain('1,073,741,824  4.29 GB');
  });

  test('Ctrl-C stops it at once without output', async () => {
    const child = await start(['inspect', ...flags]);
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_, signal) => resolve(signal)));
    // After 700 ms, the process has installed its signal handlers. The process is still reading the file, because
    // reading takes seconds.
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill('SIGINT');
    expect([await ended, stdout]).toEqual(['SIGINT', '']);
  });
});
