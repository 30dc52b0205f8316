/**
 * `plan convert`: merging the shards produces the same bytes as `convert`, no matter how the tensors are divided
 * between shards.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ptxlab, put, scratch, scratchIn } from './ptxlab.ts';
import { floats, putSafetensors, tensor } from './tensor-files.ts';

const folder = scratch();

/** Returns finite f16 bit patterns of both signs and many magnitudes. */
function halves(count: number): Uint16Array {
  let state = 1;
  return Uint16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return ((state >>> 16) & 0x83ff) | (((state >>> 8) % 24) << 10);
  });
}

/**
 * `big.weight` is converted in three pieces. The first two pieces each make up about half of the file. The last element
 * is NaN.
 */
const model = ((): string => {
  const big = halves(1100 * 2048);
  big[big.length - 1] = 0x7e00;
  return putSafetensors(folder, 'in.safetensors', {
    'big.weight': tensor('F16', [1100, 2048], big),
    'norm.weight': floats(...Array.from({ length: 300 }, (_, i) => i / 7)),
    'small.weight': tensor('F16', [32, 64], halves(2048)),
    ids: tensor('I32', [3], Int32Array.of(1, 2, 3)),
  });
})();

async function planned(shards: number, ...flags: readonly string[]): Promise<string> {
  const plan = join(scratchIn(folder), 'plan');
  const { code, stderr } = await ptxlab(['plan', 'convert', model, ...flags, '--shards', `${shards}`, '--out', plan]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${shards} shard`)]);
  return plan;
}

async function worked(plan: string, shards: number): Promise<void> {
  for (let shard = shards - 1; shard >= 0; shard--)
    expect(await ptxlab(['work', plan, '--shard', `${shard}`])).toMatchObject({
      code: 0,
      stderr: `shard ${shard}: done\n`,
    });
}

/** Runs a conversion that writes to an empty folder, and returns the contents of the new files by name. */
async function filesFrom(args: (out: string) => readonly string[], name: string): Promise<ReadonlyMap<string, Buffer>> {
  const place = scratchIn(folder);
  const { code, stderr } = await ptxlab(args(join(place, name)));
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  return new Map(readdirSync(place).map((file) => [file, readFileSync(join(place, file))]));
}

describe('shards of a conversion merge to the bytes of convert', () => {
  test.each([
    ['plain elements', 3, 'm.safetensors', ['--to', 'bf16']],
    ['a scale per row', 4, 'm.safetensors', ['--to', 'e4m3', '--scale', 'row']],
    ['a scale per tensor', 4, 'm.safetensors', ['--to', 'e4m3', '--scale', 'tensor', '--only', '*.weight']],
    ['a scale per tile', 3, 'm.safetensors', ['--to', 'e4m3', '--scale', 'block', '--only', 'big*']],
    ['block scales and a tensor scale', 5, 'm.safetensors', ['--to', 'nvfp4', '--keep', 'norm*']],
    ['a layout of other readers', 3, 'm.safetensors', ['--to', 'nvfp4', '--layout', 'compressed-tensors']],
    ['random rounding', 3, 'm.safetensors', ['--to', 'e5m2', '--rounding', 'rs', '--seed', '7']],
    ['another container', 3, 'm.gguf', ['--to', 'q8_0', '--only', 'big*']],
    ['checksums over the whole', 2, 'm.npz', ['--to', 'bf16', '--only', 'norm*']],
    ['several files', 3, 'm.safetensors.index.json', ['--to', 'mxfp4', '--only', '*big*', '--shard-size', '1MB']],
  ])('%s', async (_, shards, name, flags) => {
    const plan = await planned(shards, ...flags, '--as', name);
    await worked(plan, shards);
    const single = await filesFrom((out) => ['convert', model, out, ...flags], name);
    const merged = await filesFrom((out) => ['merge', plan, '--out', out], name);
    expect([...merged.keys()]).toEqual([...single.keys()]);
    for (const [file, bytes] of single) expect(Buffer.compare(merged.get(file) ?? Buffer.alloc(0), bytes)).toBe(0);
  });

  test('of an input that is a model in several files', async () => {
    const index = join(scratchIn(folder), 'in.safetensors.index.json');
    await ptxlab(['convert', model, index, '--to', 'bf16', '--shard-size', '3MB']);
    const plan = join(scratchIn(folder), 'plan');
    await ptxlab(['plan', 'convert', index, '--to', 'e4m3', '--scale', 'row', '--shards', '2', '--out', plan]);
    await worked(plan, 2);
    const single = await filesFrom((out) => ['convert', index, out, '--to', 'e4m3', '--scale', 'row'], 'm.safetensors');
    const merged = await filesFrom((out) => ['merge', plan, '--out', out], 'm.safetensors');
    expect(merged).toEqual(single);
  });
});

describe('tensors without elements', () => {
  const empty = putSafetensors(folder, 'empty.safetensors', {
    'a.weight': tensor('F32', [2, 16], new Float32Array(32).fill(1)),
    'e.weight': tensor('F32', [0, 16], new Float32Array(0)),
  });
  test.each([
    ['e.weight_scale_2', ['--to', 'nvfp4']],
    ['e.weight_global_scale', ['--to', 'nvfp4', '--layout', 'compressed-tensors']],
    ['e.weight_scale', ['--to', 'e4m3', '--scale', 'tensor']],
    ['e.weight_scale', ['--to', 's8', '--scale', 'tensor', '--layout', 'compressed-tensors']],
  ])('%s is 1: %s', async (name, flags) => {
    const place = scratchIn(folder);
    const [plan, merged, single] = ['plan', 'merged.safetensors', 'single.safetensors'].map((one) => join(place, one));
    await ptxlab(['plan', 'convert', empty, ...flags, '--shards', '1', '--out', `${plan}`]);
    await worked(`${plan}`, 1);
    expect(await ptxlab(['merge', `${plan}`, '--out', `${merged}`])).toMatchObject({ code: 0 });
    expect(await ptxlab(['convert', empty, `${single}`, ...flags, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(`${merged}`).equals(readFileSync(`${single}`))).toBe(true);
    const { stdout } = await ptxlab(['inspect', '--json', `${single}`]);
    const [{ tensors }] = JSON.parse(stdout) as [{ tensors: readonly { name: string; offset: number }[] }];
    const offset = tensors.find((one) => one.name === name)?.offset ?? -1;
    expect(readFileSync(`${single}`).readFloatLE(offset)).toBe(1);
  });
});

describe('the manifest', () => {
  test('has the largest magnitude of a tensor that is cut, if its scale depends on the whole', async () => {
    const manifest = async (...flags: readonly string[]): Promise<unknown> =>
      JSON.parse(readFileSync(join(await planned(4, ...flags), 'manifest.json'), 'utf8'));
    const maxima = { 'big.weight': expect.stringMatching(/^\d/) };
    expect(await manifest('--to', 'e4m3', '--scale', 'tensor')).toMatchObject({ what: { maxima } });
    expect(await manifest('--to', 'e4m3', '--scale', 'row')).toMatchObject({ what: { maxima: {} } });
  });
});

describe('a shard', () => {
  test('refuses an input that changed since it was planned, but only in its own part', async () => {
    const bytes = readFileSync(model);
    const copy = put(scratchIn(folder), 'copy.safetensors', bytes);
    const plan = join(scratchIn(folder), 'plan');
    await ptxlab(['plan', 'convert', copy, '--to', 'bf16', '--shards', '2', '--out', plan]);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100);
    writeFileSync(copy, bytes);
    expect(await ptxlab(['work', plan, '--shard', '0'])).toMatchObject({ code: 0 });
    const { code, stderr } = await ptxlab(['work', plan, '--shard', '1']);
    expect([code, stderr]).toEqual([2, `ptxlab: ${copy}: is not the file that was planned; its contents differ\n`]);
    expect(readdirSync(join(plan, 'results')).sort()).toEqual(['0.bin', '0.json']);
  });
});

describe('merge refuses, by name,', () => {
  test.each<[string, (plan: string) => void, string]>([
    ['data that are missing', (plan) => rmSync(join(plan, 'results/1.bin')), 'shard 1 is torn: '],
    ['data that are cut off', (plan) => writeFileSync(join(plan, 'results/1.bin'), 'short'), 'shard 1 is torn: '],
    [
      'data with a changed bit',
      (plan) => {
        const path = join(plan, 'results/1.bin');
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(1000) ^ 4, 1000);
        writeFileSync(path, bytes);
      },
      'shard 1 is torn: ',
    ],
  ])('%s', async (_, damage, words) => {
    const plan = await planned(2, '--to', 'bf16');
    await worked(plan, 2);
    damage(plan);
    const { code, stderr } = await ptxlab(['merge', plan, '--out', join(plan, 'm.safetensors')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(readdirSync(plan).some((name) => name.includes('m.safetensors'))).toBe(false);
  });

  test('an output of another container than was planned', async () => {
    const plan = await planned(1, '--to', 'bf16');
    await worked(plan, 1);
    const out = join(plan, 'm.gguf');
    const { code, stderr } = await ptxlab(['merge', plan, '--out', out]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`make a plan for this one with: plan convert --as ${basename(out)}`),
    ]);
  });
});

test('a result with damaged data is found by status --verify, and work computes it again', async () => {
  const plan = await planned(2, '--to', 'bf16');
  await worked(plan, 2);
  const path = join(plan, 'results/1.bin');
  const intact = readFileSync(path);
  const damaged = Buffer.from(intact);
  damaged.writeUInt8(damaged.readUInt8(1000) ^ 4, 1000);
  expect(await ptxlab(['status', plan, '--verify'])).toMatchObject({ code: 0 });
  writeFileSync(path, damaged);
  const { code, stdout } = await ptxlab(['status', plan, '--verify', '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { done: 1, missing: [], torn: [1] }]);
  const again = await ptxlab(['work', plan, '--shard', '0..1']);
  expect(again).toMatchObject({ code: 0, stderr: 'shard 0: is done already\nshard 1: done\n' });
  expect(readFileSync(path).equals(intact)).toBe(true);
  expect(await ptxlab(['merge', plan, '--out', join(plan, 'm.safetensors')])).toMatchObject({ code: 0 });
});

test('merge removes what killed tasks left', async () => {
  const plan = await planned(2, '--to', 'bf16');
  put(plan, 'results/.0.bin.0123456789ab.ptxlab-part', 'left by a killed task');
  await worked(plan, 2);
  await ptxlab(['merge', plan, '--out', join(plan, 'm.safetensors')]);
  expect(readdirSync(join(plan, 'results')).filter((name) => name.startsWith('.'))).toEqual([]);
});
