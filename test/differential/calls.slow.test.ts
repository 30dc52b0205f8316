/**
 * Runs modules with randomly generated functions on both engines. The results must be the same as those of a model,
 * which consists of the same functions in JavaScript.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { randomCalls } from './random-calls.ts';

const threads = 48;
const engines = ['interp', 'jit'] as const;

async function results(source: string): Promise<readonly (readonly number[])[]> {
  const device = await Device.create({ simd: true, memory: 2 ** 22 });
  const found: (readonly number[])[] = [];
  for (const engine of engines) {
    const out = device.alloc(4 * threads);
    const kernel = device.load(source).kernel('k');
    expect(await kernel.launch({ block: threads, args: [out], engine })).toMatchObject({ ok: true });
    found.push([...new Uint32Array(out.read().buffer)]);
  }
  return found;
}

test.each(Array.from({ length: 40 }, (_, i) => i + 1))('module of seed %i', async (seed) => {
  const { source, expected } = randomCalls(seed);
  const wanted = Array.from({ length: threads }, (_, thread) => expected(thread));
  expect(await results(source)).toEqual(engines.map(() => wanted));
});
