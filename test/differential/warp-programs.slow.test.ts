/**
 * Tests threads of a warp that exchange values through volatile shared memory without synchronizing. GPUs run such
 * threads in lockstep unless they diverge, and let them reconverge after branches. Both engines must run such threads
 * in the same way.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOfWarps, randomWarpProgram, runInLockstep, words } from './warp-programs.ts';

const warps = 3;

async function compare(seed: number, engine: 'interp' | 'jit', lockstep: boolean): Promise<void> {
  const program = randomWarpProgram(seed);
  const device = await Device.create();
  const out = device.alloc(warps * words * 4);
  const text = moduleOfWarps(program, lockstep ? '' : '.volatile');
  const result = await device
    .load(text)
    .kernel('k')
    .launch({ block: 32 * warps, args: [out], engine, lockstep });
  expect(result).toMatchObject({ ok: true });
  const expected = runInLockstep(program);
  expect([...new Uint32Array(out.read().buffer)]).toEqual(Array.from({ length: warps }, () => expected).flat());
}

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  test.each(Array.from({ length: 120 }, (_, seed) => seed))('warp program %i', async (seed) => {
    await compare(seed, engine, false);
  });

  test.each(Array.from({ length: 40 }, (_, i) => 120 + i))(
    'warp program %i, without volatile but with lockstep',
    async (seed) => {
      await compare(seed, engine, true);
    },
  );
});
