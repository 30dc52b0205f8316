/**
 * Threads of a warp that exchange values through volatile shared memory without synchronizing. GPUs run them in lockstep
 * unless they diverge, and join their branches again, so that is what both engines must do.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOfWarps, randomWarpProgram, runInLockstep, words } from './warp-programs.ts';

const warps = 3;

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  test.each(Array.from({ length: 150 }, (_, seed) => seed))('warp program %i', async (seed) => {
    const program = randomWarpProgram(seed);
    const device = await Device.create();
    const out = device.alloc(warps * words * 4);
    const result = await device
      .load(moduleOfWarps(program))
      .kernel('k')
      .launch({ block: 32 * warps, args: [out], engine });
    expect(result).toMatchObject({ ok: true });
    const expected = runInLockstep(program);
    expect([...new Uint32Array(out.read().buffer)]).toEqual(Array.from({ length: warps }, () => expected).flat());
  });
});
