/**
 * Kernels that depend on the threads of a warp running in lockstep (`warp-synchronous/kernels.cu`). Their results must
 * be the same as on GPUs, and threads of a warp that wait for each other must still make progress.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';

const folder = new URL('./warp-synchronous/', import.meta.url);
const input = Int32Array.from({ length: 96 }, (_, i) => ((i * 7919 + 13) % 101) - 50);

/** Applies a function to the words of each warp. */
function inWarps(compute: (words: Int32Array) => Iterable<number>): readonly number[] {
  return [0, 32, 64].flatMap((first) => [...compute(input.slice(first, first + 32))]);
}

const sorted = inWarps((words) => words.toSorted());
const sums = (words: Int32Array): Int32Array => {
  let sum = 0;
  return words.map((word) => (sum += word));
};

const results: Readonly<Record<string, readonly number[]>> = {
  scan: inWarps(sums),
  exclusive_scan: inWarps((words) => [0, ...sums(words).slice(0, -1)]),
  odd_even_sort: sorted,
  bitonic_sort: sorted,
  branches: inWarps((words) => {
    const changed = words.map((word, lane) => (lane % 2 === 1 ? word + Math.floor(lane / 4) : word * 3));
    const added = changed.map((_, lane) => Number(changed[lane ^ 1]) + Number(changed[lane ^ 31]));
    return added.map((_, lane) => Number(added[lane ^ 5]));
  }),
  mixed: inWarps((words) => words.map((_, lane) => 2 * Number(words[lane ^ 30]))),
  reduction: [input.reduce((sum, word) => sum + word)],
};

const files = readdirSync(folder).filter((file) => file.endsWith('.ptx'));
const engines = ['interp', 'jit'] as const;

describe.each(files.flatMap((file) => engines.map((engine) => ({ file, engine }))))('$file on $engine', (given) => {
  const text = readFileSync(new URL(given.file, folder), 'utf8');

  async function run(name: string, block: number, inputs: readonly Int32Array[], words: number): Promise<number[]> {
    const device = await Device.create();
    const out = device.alloc(4 * words);
    const kernel = device.load(text).kernel(name);
    const args = [...inputs.map((one) => device.alloc(one)), out];
    const result = await kernel.launch({ block, args, engine: given.engine, timeout: 60 });
    expect(result).toMatchObject({ ok: true });
    return [...new Int32Array(out.read().buffer)];
  }

  test.each(Object.entries(results))('%s', async (name, expected) => {
    const block = name === 'reduction' ? 128 : 96;
    expect(await run(name, block, [input], expected.length)).toEqual(expected);
  });

  test('threads of a warp take a lock in turn', async () => {
    expect(await run('lock', 64, [], 1)).toEqual([64]);
  });

  test('a thread that is behind in the code can wait for one that is ahead', async () => {
    expect(await run('flag', 32, [], 2)).toEqual([1, 7]);
  });

  test('two warps take turns', async () => {
    expect(await run('turns', 64, [], 1)).toEqual([100]);
  });
});
