/**
 * Tests locks that are held by whole warps, as in the code that GCC generates for `omp critical`: all lanes release the
 * lock at the same time.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ways } from './run.ts';

/** Lane 0 acquires the lock, all lanes of the warp increment the counter together, and all lanes release the lock. */
const text = `.version 6.3
.target sm_75
.address_size 64
.visible .global .u32 lock = 0;
.visible .entry k(.param .u64 out, .param .u32 n) {
.reg .pred %p<4>; .reg .u32 %r<9>; .reg .u64 %rd<4>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %laneid; setp.eq.u32 %p1, %r2, 0;
again: @%p1 atom.global.exch.b32 %r3, [lock], 1; shfl.sync.idx.b32 %r3, %r3, 0, 31, 0xffffffff;
setp.ne.u32 %p2, %r3, 0; @%p2 bra again;
membar.gl; ld.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.u32 [%rd1], %r4; membar.gl;
st.global.u32 [lock], 0;
sub.u32 %r1, %r1, 1; setp.ne.u32 %p3, %r1, 0; @%p3 bra again;
ret; }
`;

const shapes = [
  [1, 32],
  [1, 128],
  [7, 32],
  [3, 64],
  [3, 128],
  [4, 256],
] as const;
const cases = Object.entries(ways).flatMap(([way, options]) =>
  shapes.map(([grid, block]) => [way, grid, block, options] as const),
);

test.each(cases)('%s: %i blocks of %i threads', async (_, grid, block, options) => {
  const device = await Device.create({ gpu: 'H100' });
  const [counter, times] = [device.alloc(4), 20];
  const kernel = device.load(text).kernel('k');
  const result = await kernel.launch({ grid, block, args: [counter, times], lockstep: true, ...options });
  expect(result.ok).toBe(true);
  expect(counter.read('u32')[0]).toBe((grid * block * times) / 32);
});
