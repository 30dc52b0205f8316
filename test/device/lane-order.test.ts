/**
 * Tests that the threads of a warp or block continue in ascending order after they have waited for each other. If the
 * threads store different values at one address, the value of the last thread remains, no matter how often the threads
 * have waited.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { moduleOf } from './run.ts';

const shuffle = 'shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;';
const barrier = 'bar.sync 0;';

/** The index of the thread whose value remains in memory. */
async function winner(engine: 'interp' | 'jit', waits: string, block: number): Promise<number> {
  const device = await Device.create();
  const out = device.alloc(4);
  const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; ${waits} st.global.u32 [%rd1], %r1;`;
  const kernel = device.load(moduleOf({ parameters: '.param .u64 out', body })).kernel('k');
  const result = await kernel.launch({ block, args: [out], engine });
  expect(result.ok).toBe(true);
  return new Uint32Array(out.read().buffer)[0] ?? -1;
}

describe.each(['interp', 'jit'] as const)('%s', (engine) => {
  test.each([
    ['nothing', '', 32],
    ['a shuffle', shuffle, 32],
    ['three shuffles', shuffle.repeat(3), 32],
    ['a barrier', barrier, 64],
    ['two barriers', barrier.repeat(2), 64],
    ['a shuffle and a barrier', shuffle + barrier, 96],
    ['a barrier and a shuffle', barrier + shuffle, 96],
  ])('after %s, the last thread wins', async (_, waits, block) => {
    expect(await winner(engine, waits, block)).toBe(block - 1);
  });
});
