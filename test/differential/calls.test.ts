/** Random modules of functions give on both engines what their model in JavaScript gives. */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { randomCalls } from './random-calls.ts';

const threads = 48;
const modules = 40;

async function run(source: string, engine: 'interp' | 'jit'): Promise<readonly number[]> {
  const device = await Device.create({ simd: true, memory: 2 ** 22 });
  const out = device.alloc(4 * threads);
  const result = await device
    .load(source)
    .kernel('k')
    .launch({ block: threads, args: [out], engine });
  expect(result).toMatchObject({ ok: true });
  return [...new Uint32Array(out.read().buffer)];
}

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  test(`${modules} modules`, async () => {
    for (let seed = 1; seed <= modules; seed++) {
      const { source, expected } = randomCalls(seed);
      const found = await run(source, engine);
      const wanted = Array.from({ length: threads }, (_, thread) => expected(thread));
      expect({ seed, found }).toEqual({ seed, found: wanted });
    }
  });
});
